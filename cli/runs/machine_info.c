#include "runs/machine_info.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "show/json_output.h"

int cli_machine_cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 1024 ? 1024 : (int)n;
}

/* The first `model name : ...` of the file in which Linux describes processors. */
static json_t *processor(void)
{
    char line[512], name[256] = "";
    FILE *file = fopen("/proc/cpuinfo", "r");

    while (file && !name[0] && fgets(line, sizeof line, file))
        if (sscanf(line, "model name : %255[^\n]", name) != 1)
            name[0] = '\0';
    if (file)
        fclose(file);
    return name[0] ? cli_json_text(name) : json_null();
}

static json_t *memory(void)
{
#ifdef _SC_PHYS_PAGES
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (pages > 0 && size > 0)
        return cli_json_count((size_t)pages * (size_t)size);
#endif
    return json_null();
}

json_t *cli_machine_json(void)
{
    struct utsname about;
    json_t *object = cli_json_object();
    int known = uname(&about) >= 0;

    cli_json_put(object, "system", known ? cli_json_text(about.sysname) : json_null());
    cli_json_put(object, "release", known ? cli_json_text(about.release) : json_null());
    cli_json_put(object, "architecture", known ? cli_json_text(about.machine) : json_null());
    cli_json_put(object, "processor", processor());
    cli_json_put(object, "cores", cli_json_count((size_t)cli_machine_cores()));
    cli_json_put(object, "memory_bytes", memory());
    return object;
}

json_t *cli_machine_date(void)
{
    time_t now = time(NULL);
    struct tm parts;
    char text[32];

    if (!gmtime_r(&now, &parts) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts))
        return json_null();
    return cli_json_text(text);
}

#include "show/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static int is_terminal(int descriptor)
{
    const char *kind = getenv("TERM");
    return isatty(descriptor) && kind && strcmp(kind, "dumb") != 0;
}

int cli_terminal_is_live(void)
{
    return is_terminal(STDERR_FILENO);
}

const char *cli_terminal_ink(FILE *out, cli_ink ink)
{
    static const char *const codes[] = {
        [CLI_PLAIN] = "\033[0m",
        [CLI_BOLD] = "\033[1m",
        [CLI_RED] = "\033[1;31m",
        [CLI_YELLOW] = "\033[33m",
    };
    const char *refused = getenv("NO_COLOR");
    return is_terminal(fileno(out)) && !(refused && refused[0]) ? codes[ink] : "";
}

int cli_terminal_columns(void)
{
    struct winsize size = {0};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

void cli_terminal_time(char *out, size_t size, long seconds)
{
    if (seconds >= 3600)
        snprintf(out, size, "%ld:%02ld:%02ld", seconds / 3600, seconds / 60 % 60, seconds % 60);
    else
        snprintf(out, size, "%ld:%02ld", seconds / 60, seconds % 60);
}

double cli_terminal_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

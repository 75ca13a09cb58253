/* The machine that the program runs on. */
#ifndef CLI_RUNS_MACHINE_INFO_H
#define CLI_RUNS_MACHINE_INFO_H

#include <jansson.h>

int cli_machine_cores(void);
/* {system, release, architecture, processor, cores, memory_bytes}; null where unknown. */
json_t *cli_machine_json(void);
/* The time of day as 2024-05-01T12:30:00Z. */
json_t *cli_machine_date(void);

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* nvidia-smi as a child of ours. */
#ifndef STALLTRACE_GPU_PROGRAM_H
#define STALLTRACE_GPU_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Starts argv[0] with its standard output to `output` in a process group of its own, with an
 * environment of ours (times in UTC); it dies with us. Its pid or -errno.
 */
pid_t gpu_program_start(const char *const argv[], int output);
/* Whether it has ended; then it is reaped. */
bool gpu_program_has_ended(pid_t pid);
/* Kills and reaps it. */
void gpu_program_stop(pid_t pid);

#endif /* STALLTRACE_GPU_PROGRAM_H */

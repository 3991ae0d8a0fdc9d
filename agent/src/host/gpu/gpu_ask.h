/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* One question to nvidia-smi, for `check` and `list`. Its answers are hostile and may never come. */
#ifndef STALLTRACE_GPU_ASK_H
#define STALLTRACE_GPU_ASK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What the program says to those arguments (NULL-terminated), NUL-terminated, in `out`. 0, or
 * -errno: -ETIMEDOUT after five seconds, -EIO where it says nothing.
 */
int gpu_ask(const char *program, const char *const arguments[], char *out, size_t size);

/* Processes that use a GPU now. Returns how many are in out, or -errno. */
struct gpu_process {
	pid_t pid;
	int64_t memory_bytes; /* on all GPUs; < 0 = not told */
};
int gpu_processes(const char *program, struct gpu_process *out, size_t capacity);

#endif /* STALLTRACE_GPU_ASK_H */

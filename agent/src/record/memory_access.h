/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef STALLTRACE_RECORD_MEMORY_ACCESS_H
#define STALLTRACE_RECORD_MEMORY_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Tried on a child of ours. As struct recorder has it; a text of how, in why, where it returns 0 and there is something to say. */
int memory_try_out(char *why, size_t why_size);
/* Whether the process lets itself be read; 0 or -errno, with why in one sentence. */
int memory_may_read(pid_t pid, char *why, size_t why_size);
/* It does not, as opposed to: it has ended. */
bool memory_is_refused(pid_t pid, char *why, size_t why_size);

#endif /* STALLTRACE_RECORD_MEMORY_ACCESS_H */

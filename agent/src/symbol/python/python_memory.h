/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Another process's memory. It may change or go away between any two reads. */
#ifndef STALLTRACE_PYTHON_MEMORY_H
#define STALLTRACE_PYTHON_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* All of it or -errno: -ESRCH the process is gone, -EFAULT nothing is mapped there. */
int memory_read(pid_t pid, uint64_t address, void *buffer, size_t size);
int memory_read_word(pid_t pid, uint64_t address, uint64_t *word);

#endif /* STALLTRACE_PYTHON_MEMORY_H */

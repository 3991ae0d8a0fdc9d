/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef STALLTRACE_SYSCALL_NAMES_H
#define STALLTRACE_SYSCALL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* "futex"; "system call 999" for one this build does not know. */
void syscall_name(int number, char *out, size_t size);
/* Whether its first argument is a file descriptor. */
bool syscall_takes_descriptor(int number);
/* Whether its result is a number of bytes. */
bool syscall_moves_bytes(int number);

#endif /* STALLTRACE_SYSCALL_NAMES_H */

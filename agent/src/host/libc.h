/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The C library that programs of this machine are started with; the agent itself has its own inside. */
#ifndef STALLTRACE_LIBC_H
#define STALLTRACE_LIBC_H

#include <stdbool.h>

struct libc {
	char path[160];
	bool musl;
	unsigned int major, minor; /* of glibc; 0 = it does not say */
};

/* `root`: where the machine's own folders are, "" otherwise. False where none lies in the usual places. */
bool libc_find(const char *root, struct libc *libc);

#endif /* STALLTRACE_LIBC_H */

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The line of Python by which a process that runs already comes into a capture. */
#ifndef STALLTRACE_INSIDE_LINE_H
#define STALLTRACE_INSIDE_LINE_H

#include <stddef.h>
#include <sys/types.h>

#define INSIDE_LINE_BYTES 768

/* As a program that is asked to: it prints nothing. */
#define INSIDE_LINE_QUIET 1
/* 0, or -ENAMETOOLONG. */
int inside_line(const char *library, unsigned int flags, char *out, size_t size);
/*
 * Whether the process can load the library there and meet the agent; the library is put there where it is not.
 * 0, else -errno and why in one sentence.
 */
int inside_line_works(const char *library, pid_t pid, char *why, size_t size);

#endif /* STALLTRACE_INSIDE_LINE_H */

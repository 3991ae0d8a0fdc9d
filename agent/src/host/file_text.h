/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Small files of /proc and /sys, and answers of programs, read whole into bounded buffers. */
#ifndef STALLTRACE_FILE_TEXT_H
#define STALLTRACE_FILE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Open for reading, never blocking on a pipe; -errno. */
int file_text_open(const char *path);
/* From its begin to the buffer's end; NUL-terminated. Length or -errno. */
ssize_t file_text_read_fd(int fd, char *out, size_t size);
ssize_t file_text_read(const char *path, char *out, size_t size);
/* The first line, without its newline. */
ssize_t file_text_line(const char *path, char *out, size_t size);
/* What comes out of a pipe up to its end; -ETIMEDOUT with what came until then. */
ssize_t file_text_read_pipe(int fd, char *out, size_t size, unsigned int within_ms);
/* The file's first number; `fallback` where there is none. */
int64_t file_text_integer(const char *path, int64_t fallback);
/*
 * The number behind `key` at the begin of a line ("MemTotal:", "nr_throttled"); -1 where the text
 * has no such line. Saturates.
 */
int64_t file_text_value(const char *text, const char *key);

#endif /* STALLTRACE_FILE_TEXT_H */

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A complete file that is sent in parts: the same one, unchanged, from the first part to the last. */
#ifndef STALLTRACE_SEND_FILE_H
#define STALLTRACE_SEND_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct sent_file {
	int fd;
	const char *path; /* as it was given */
	uint64_t bytes;
	struct stat first; /* as it was when it was opened */
};

/*
 * Opens a regular file; the path's last part is no link. 0, or -errno with one sentence in message.
 * -ELOOP: it is a link; -EISDIR, -EINVAL: it is no regular file.
 */
int sent_file_open(const char *path, struct sent_file *out, char *message, size_t size);
/* 0; -ESTALE where it is written to, replaced or removed; another -errno where it can't be asked. */
int sent_file_check(const struct sent_file *file);
/* Exactly those bytes. 0, -ESTALE where there are fewer by now, or another -errno. */
int sent_file_read(const struct sent_file *file, uint64_t offset, void *out, size_t length);
uint64_t sent_file_modified_unix_ns(const struct sent_file *file);
void sent_file_close(struct sent_file *file);

#endif /* STALLTRACE_SEND_FILE_H */

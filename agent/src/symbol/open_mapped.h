/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef STALLTRACE_OPEN_MAPPED_H
#define STALLTRACE_OPEN_MAPPED_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Opens a regular file that the process maps at start to end, for reading: through its mapping, so
 * that it may have been deleted or replaced; else by its path under the process's root. Never a file
 * that is not the mapped one. A descriptor or -errno.
 */
int open_mapped(pid_t pid, uint64_t start, uint64_t end, uint64_t device, uint64_t inode,
		const char *path);

/*
 * Opens for reading what the path leads to, -EINVAL where that is no regular file: a pipe is not
 * waited for, and a device, some of which act when they are opened, is not touched.
 */
int open_regular(const char *path);

/*
 * A path below a root, opened without touching the file (O_PATH); links in it count from that root
 * (openat2, 5.6 on; before, there may be none at its end). A descriptor or -errno.
 */
int open_path_in_root(int root, const char *path);

#endif /* STALLTRACE_OPEN_MAPPED_H */

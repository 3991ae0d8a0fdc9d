// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "open_mapped.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/*
 * Overlay and btrfs show other device numbers in mappings than stat does, always with the major
 * number 0 of file systems without a device; there the inode has to do.
 */
static bool is_mapped_file(const struct stat *status, uint64_t device, uint64_t inode)
{
	if (!S_ISREG(status->st_mode) || status->st_ino != inode)
		return false;
	return status->st_dev == device || (major(device) == 0 && major(status->st_dev) == 0);
}

/* From a descriptor that was opened without touching the file, so that no device or pipe is. */
static int reopen(int path_fd)
{
	char link[64];
	int fd;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
	fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

int open_regular(const char *path)
{
	struct stat status;
	int path_fd = open(path, O_PATH | O_CLOEXEC), fd = -EINVAL;

	if (path_fd < 0)
		return -errno;
	if (fstat(path_fd, &status) != 0)
		fd = -errno;
	else if (S_ISREG(status.st_mode))
		fd = reopen(path_fd);
	close(path_fd);
	return fd;
}

/* The pid may be another process by now. */
static int open_through_mapping(pid_t pid, uint64_t start, uint64_t end, uint64_t device,
				uint64_t inode)
{
	struct stat status;
	char link[96];
	int path_fd, fd = -ESTALE;

	snprintf(link, sizeof(link), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, start, end);
	path_fd = open(link, O_PATH | O_CLOEXEC);
	if (path_fd < 0)
		return -errno;
	if (fstat(path_fd, &status) == 0 && S_ISREG(status.st_mode) &&
	    (status.st_ino == inode || major(device) == 0))
		fd = reopen(path_fd);
	close(path_fd);
	return fd;
}

int open_path_in_root(int root, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	int fd = syscall(SYS_openat2, root, path, &how, sizeof(how));

	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = openat(root, path[0] == '/' ? path + 1 : path,
			    O_PATH | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 ? -errno : fd;
}

static int open_under_root(pid_t pid, uint64_t device, uint64_t inode, const char *path)
{
	struct stat status;
	char root_path[64];
	int root, path_fd, fd = -ESTALE;

	if (path[0] != '/' || path[1] == '\0')
		return -ENOENT;
	snprintf(root_path, sizeof(root_path), "/proc/%d/root", pid);
	root = open(root_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	path_fd = open_path_in_root(root, path);
	close(root);
	if (path_fd < 0)
		return path_fd;
	if (fstat(path_fd, &status) == 0 && is_mapped_file(&status, device, inode))
		fd = reopen(path_fd);
	close(path_fd);
	return fd;
}

int open_mapped(pid_t pid, uint64_t start, uint64_t end, uint64_t device, uint64_t inode,
		const char *path)
{
	int fd = open_under_root(pid, device, inode, path);

	/* Needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE, and the mapping to be still whole. */
	if (fd < 0)
		fd = open_through_mapping(pid, start, end, device, inode);
	/* The process has gone; ours may be the same root. */
	if (fd < 0)
		fd = open_under_root(getpid(), device, inode, path);
	return fd;
}

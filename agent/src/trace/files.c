// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "files.h"

/* A reserve of less does not pay. */
#define SMALLEST_RESERVE_BYTES (1u << 20)

static const char *const sidecars[] = {"-wal", "-journal", "-shm"};

/* Whose files SQLite opens now. */
static const struct trace_files *opened;

static int refuse(int fd, int error)
{
	if (fd >= 0)
		close(fd);
	errno = error;
	return -1;
}

/* Stands in for open(2) in SQLite's unix VFS; while a trace is written, for nothing but its files. */
static int open_pinned(const char *path, int flags, int mode)
{
	struct stat status;
	size_t length;
	int fd;

	if (!opened || strcmp(path, "/dev/urandom") == 0)
		return open(path, flags | O_CLOEXEC, mode);
	length = strlen(opened->path);
	if (strncmp(path, opened->path, length) != 0 || strchr(path + length, '/'))
		return refuse(-1, EACCES);
	fd = openat(opened->directory_fd, path + (opened->name - opened->path),
		    flags | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		return -1;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1)
		return refuse(fd, EACCES);
	return fd;
}

static int use_pinned_open(void)
{
	sqlite3_vfs *vfs;

	if (sqlite3_initialize() != SQLITE_OK)
		return -ENOMEM;
	vfs = sqlite3_vfs_find("unix");
	if (!vfs || vfs->iVersion < 3 ||
	    vfs->xSetSystemCall(vfs, "open", (sqlite3_syscall_ptr)open_pinned) != SQLITE_OK)
		return -ENOSYS;
	return 0;
}

/* path → canonical directory and name. */
static int resolve(struct trace_files *files, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	char directory[PATH_MAX];
	int length;

	if (*name == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return -EISDIR;
	length = slash ? snprintf(directory, sizeof(directory), "%.*s", (int)(slash - path) + 1,
				  path) :
			 snprintf(directory, sizeof(directory), ".");
	if (length >= (int)sizeof(directory) || strlen(name) + sizeof("-journal") > NAME_MAX)
		return -ENAMETOOLONG;
	if (!realpath(directory, files->directory))
		return -errno;
	if (strcmp(files->directory, "/") == 0)
		files->directory[0] = '\0';
	length = snprintf(files->path, sizeof(files->path), "%s/%s", files->directory, name);
	if (length >= (int)sizeof(files->path))
		return -ENAMETOOLONG;
	files->name = files->path + strlen(files->directory) + 1;
	if (files->directory[0] == '\0')
		memcpy(files->directory, "/", 2);
	return 0;
}

static int sidecar_exists(const struct trace_files *files, const char *suffix)
{
	char name[NAME_MAX + 1];
	struct stat status;

	if (snprintf(name, sizeof(name), "%s%s", files->name, suffix) >= (int)sizeof(name))
		return 0;
	return fstatat(files->directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

static int create_file(struct trace_files *files, uid_t owner, gid_t group)
{
	files->directory_fd = open(files->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (files->directory_fd < 0)
		return -errno;
	/* SQLite would take another database's log for this one's. */
	for (size_t index = 0; index < sizeof(sidecars) / sizeof(sidecars[0]); index++)
		if (sidecar_exists(files, sidecars[index]))
			return -EEXIST;
	files->file_fd = openat(files->directory_fd, files->name,
				O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (files->file_fd < 0)
		return -errno;
	if (fchmod(files->file_fd, 0600) < 0)
		return -errno;
	/* SQLite, as root, gives its log the same owner. */
	if ((owner != (uid_t)-1 || group != (gid_t)-1) && fchown(files->file_fd, owner, group) < 0)
		return -errno;
	return 0;
}

static void say_why(int error, const char *path, char *message, size_t size)
{
	if (error == -EEXIST)
		snprintf(
			message, size,
			"There is already a file %s (or its “-wal”): choose another name or remove it.",
			path);
	else if (error == -ENOENT || error == -ENOTDIR)
		snprintf(message, size, "The folder of %s does not exist: create it first.", path);
	else if (error == -ENOSPC || error == -EDQUOT)
		snprintf(message, size, "There is no room for %s: free some space.", path);
	else if (error == -EACCES || error == -EPERM || error == -EROFS)
		snprintf(message, size, "%s may not be written (%s): choose another folder.", path,
			 strerror(-error));
	else
		snprintf(message, size, "%s cannot be created (%s): choose another path.", path,
			 strerror(-error));
}

int files_create(struct trace_files *files, const char *path, uid_t owner, gid_t group,
		 char *message, size_t message_size)
{
	int error;

	memset(files, 0, sizeof(*files));
	files->directory_fd = files->file_fd = files->reserve_fd = -1;
	error = resolve(files, path);
	if (error == 0)
		error = create_file(files, owner, group);
	if (error == 0)
		error = use_pinned_open();
	if (error == 0) {
		opened = files;
		return 0;
	}
	say_why(error, path, message, message_size);
	files_remove(files);
	files_close(files);
	return error;
}

static int open_file(struct trace_files *files)
{
	struct stat status;

	files->directory_fd = open(files->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (files->directory_fd < 0)
		return -errno;
	files->file_fd = openat(files->directory_fd, files->name,
				O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (files->file_fd < 0 || fstat(files->file_fd, &status) < 0)
		return -errno;
	return S_ISREG(status.st_mode) && status.st_nlink == 1 ? 0 : -EACCES;
}

int files_open(struct trace_files *files, const char *path)
{
	int error;

	memset(files, 0, sizeof(*files));
	files->directory_fd = files->file_fd = files->reserve_fd = -1;
	error = resolve(files, path);
	if (error == 0)
		error = open_file(files);
	if (error == 0)
		error = use_pinned_open();
	if (error == 0)
		opened = files;
	else
		files_close(files);
	return error;
}

/* A file without a name: a killed recorder leaves no 24 MiB behind. */
static int open_unnamed(const struct trace_files *files)
{
	char name[64];
	int fd = openat(files->directory_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	/* Some network and stacked file systems have no O_TMPFILE. */
	snprintf(name, sizeof(name), ".stalltrace-reserve-%d", (int)getpid());
	fd = openat(files->directory_fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd >= 0)
		unlinkat(files->directory_fd, name, 0);
	return fd;
}

static uint64_t free_bytes_of(const struct statvfs *space)
{
	return (uint64_t)space->f_bavail * space->f_frsize;
}

static uint64_t least(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

static void take_reserve(struct trace_files *files, uint64_t free_bytes)
{
	uint64_t bytes = least(free_bytes / 4, RESERVE_BYTES);

	if (bytes < SMALLEST_RESERVE_BYTES)
		return;
	files->reserve_fd = open_unnamed(files);
	if (files->reserve_fd >= 0 && fallocate(files->reserve_fd, 0, 0, (off_t)bytes) == 0)
		files->reserve_bytes = bytes;
	else
		files_free_reserve(files);
}

void files_reserve(struct trace_files *files)
{
	struct statvfs space;
	uint64_t free_bytes, needed;

	if (fstatvfs(files->directory_fd, &space) < 0)
		return;
	free_bytes = free_bytes_of(&space);
	take_reserve(files, free_bytes);
	needed = files->reserve_bytes ? files->reserve_bytes / 2 : RESERVE_BYTES;
	files->floor_bytes = least((uint64_t)space.f_blocks * space.f_frsize / 100 * FLOOR_PERCENT,
				   FLOOR_MAX_BYTES);
	if (files->floor_bytes < needed)
		files->floor_bytes = needed;
	files->floor_bytes = least(files->floor_bytes, (free_bytes - files->reserve_bytes) / 2);
}

int files_reached_floor(const struct trace_files *files)
{
	struct statvfs space;

	return files->floor_bytes > 0 && fstatvfs(files->directory_fd, &space) == 0 &&
	       free_bytes_of(&space) < files->floor_bytes;
}

void files_free_reserve(struct trace_files *files)
{
	if (files->reserve_fd >= 0)
		close(files->reserve_fd);
	files->reserve_fd = -1;
	files->reserve_bytes = 0;
}

uint64_t files_bytes(const struct trace_files *files)
{
	char log[NAME_MAX + 1];
	struct stat status;
	uint64_t bytes = 0;

	if (fstat(files->file_fd, &status) == 0)
		bytes = (uint64_t)status.st_size;
	if (snprintf(log, sizeof(log), "%s-wal", files->name) < (int)sizeof(log) &&
	    fstatat(files->directory_fd, log, &status, AT_SYMLINK_NOFOLLOW) == 0)
		bytes += (uint64_t)status.st_size;
	return bytes;
}

int files_have_log(const struct trace_files *files)
{
	return sidecar_exists(files, "-wal");
}

int files_sync(const struct trace_files *files)
{
	int error = fsync(files->file_fd) < 0 ? -errno : 0;

	/* Some file systems can't sync a directory. */
	if (fsync(files->directory_fd) < 0 && errno != EINVAL && error == 0)
		error = -errno;
	return error;
}

void files_remove(struct trace_files *files)
{
	char name[NAME_MAX + 1];

	if (files->file_fd < 0)
		return;
	unlinkat(files->directory_fd, files->name, 0);
	for (size_t index = 0; index < sizeof(sidecars) / sizeof(sidecars[0]); index++)
		if (snprintf(name, sizeof(name), "%s%s", files->name, sidecars[index]) <
		    (int)sizeof(name))
			unlinkat(files->directory_fd, name, 0);
}

void files_close(struct trace_files *files)
{
	files_free_reserve(files);
	if (files->file_fd >= 0)
		close(files->file_fd);
	if (files->directory_fd >= 0)
		close(files->directory_fd);
	files->file_fd = files->directory_fd = -1;
	if (opened == files)
		opened = NULL;
}

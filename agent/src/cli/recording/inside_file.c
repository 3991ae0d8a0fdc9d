// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "inside_file.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME "libstalltrace-inside.so"

/* What is linked in; tests have none. */
extern const char inside_library[] __attribute__((weak));
extern const char inside_library_end[] __attribute__((weak));

int inside_file_path(char *out, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", out, size - sizeof(NAME));
	char *slash = length > 0 ? memrchr(out, '/', (size_t)length) : NULL;

	if (!slash)
		return length < 0 ? -errno : -ENOENT;
	strcpy(slash + 1, NAME);
	return 0;
}

static int open_folder(const char *path, const char **name)
{
	char folder[4096];
	const char *slash = strrchr(path, '/');

	if (!slash || (size_t)(slash - path) >= sizeof(folder) - 1)
		return -EINVAL;
	*name = slash + 1;
	memcpy(folder, path, (size_t)(slash - path) + 1);
	folder[slash - path + 1] = '\0';
	return open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int is_ours(const char *path, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), err = 0;
	struct stat info;
	char *content;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &info) || !S_ISREG(info.st_mode) || (size_t)info.st_size != size) {
		close(fd);
		return -ESTALE;
	}
	content = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (content == MAP_FAILED) {
		err = -errno;
	} else {
		err = memcmp(content, inside_library, size) ? -ESTALE : 0;
		munmap(content, size);
	}
	close(fd);
	return err;
}

/* Its owner, where nobody else may put something else in its place; -1 where somebody may. */
static uid_t owner_of(int folder)
{
	struct stat info;

	if (fstat(folder, &info) || info.st_mode & (S_IWGRP | S_IWOTH))
		return (uid_t)-1;
	return info.st_uid;
}

static int write_all_of(int fd, const char *from, size_t size)
{
	while (size) {
		ssize_t written = write(fd, from, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written < 0 ? -errno : -EIO;
		from += written;
		size -= (size_t)written;
	}
	return 0;
}

/* Whole under its name, or not there: another agent may do the same. */
static int put_file(int folder, const char *name, size_t size)
{
	char part[64];
	int fd, err;

	snprintf(part, sizeof(part), ".stalltrace-agent.inside.%d", getpid());
	unlinkat(folder, part, 0);
	fd = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	err = write_all_of(fd, inside_library, size);
	/* Whatever the umask: the job's user is to read it. */
	if (!err && fchmod(fd, 0755))
		err = -errno;
	close(fd);
	if (!err && renameat(folder, part, folder, name))
		err = -errno;
	if (err)
		unlinkat(folder, part, 0);
	return err;
}

static int try_folder(int folder, const char *name, size_t size, bool put)
{
	uid_t owner = owner_of(folder);

	if (owner == (uid_t)-1)
		return -EPERM;
	/* Of another user's, the job that root starts for them can put it there itself. */
	if (owner != geteuid())
		return put || geteuid() ? -EPERM : 0;
	if (put)
		return put_file(folder, name, size);
	return faccessat(folder, ".", W_OK, 0) ? -errno : 0;
}

static int provide(const char *path, bool put)
{
	size_t size = inside_library ? (size_t)(inside_library_end - inside_library) : 0;
	int err = size ? is_ours(path, size) : -ENOENT, folder;
	const char *name = NULL;

	if (!err || !size)
		return err;
	folder = open_folder(path, &name);
	if (folder < 0)
		return -errno;
	err = try_folder(folder, name, size, put);
	close(folder);
	return err;
}

int inside_file_provide(const char *path)
{
	return provide(path, true);
}

/* In a child, which becomes that user for good. */
static int provide_as(const char *path, uid_t user, gid_t group)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		bool is_user = !setgroups(1, &group) && !setresgid(group, group, group) &&
			       !setresuid(user, user, user);

		_exit(is_user ? -provide(path, true) & 0xff : EPERM);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child < 0 || !WIFEXITED(status) ? -EAGAIN : -WEXITSTATUS(status);
}

int inside_file_provide_for(const char *path, uid_t reader, gid_t group)
{
	int err = provide(path, true), folder;
	struct stat owner;
	const char *name;

	if (geteuid())
		return err;
	folder = err ? open_folder(path, &name) : -1;
	if (folder >= 0 && !fstat(folder, &owner) && owner.st_uid)
		err = provide_as(path, owner.st_uid, owner.st_gid);
	if (folder >= 0)
		close(folder);
	return err || !reader ? err : provide_as(path, reader, group);
}

int inside_file_can_be_provided(const char *path)
{
	return provide(path, false);
}

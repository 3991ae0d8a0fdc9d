// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "send_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "../../clock.h"

static int refuse(int err, const char *path, char *message, size_t size)
{
	switch (err) {
	case -ENOENT:
	case -ENOTDIR:
		snprintf(message, size, "There is no file %s.", path);
		break;
	case -ELOOP:
		snprintf(message, size, "%s is a link: name the file itself.", path);
		break;
	case -EISDIR:
	case -EINVAL:
		snprintf(message, size, "%s is no regular file.", path);
		break;
	default:
		snprintf(message, size, "%s can't be read (%s).", path, strerror(-err));
	}
	return err;
}

int sent_file_open(const char *path, struct sent_file *out, char *message, size_t size)
{
	memset(out, 0, sizeof(*out));
	out->path = path;
	/* A FIFO would be waited for, a terminal become ours. */
	out->fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (out->fd < 0)
		/* A socket's file: ENXIO. */
		return refuse(errno == ENXIO ? -EINVAL : -errno, path, message, size);
	if (fstat(out->fd, &out->first) || !S_ISREG(out->first.st_mode)) {
		sent_file_close(out);
		return refuse(S_ISDIR(out->first.st_mode) ? -EISDIR : -EINVAL, path, message, size);
	}
	out->bytes = (uint64_t)out->first.st_size;
	return 0;
}

static int compare(const struct stat *first, const struct stat *now)
{
	return first->st_dev == now->st_dev && first->st_ino == now->st_ino &&
			       first->st_size == now->st_size &&
			       first->st_mtim.tv_sec == now->st_mtim.tv_sec &&
			       first->st_mtim.tv_nsec == now->st_mtim.tv_nsec ?
		       0 :
		       -ESTALE;
}

int sent_file_check(const struct sent_file *file)
{
	struct stat now;
	int err;

	if (fstat(file->fd, &now))
		return -errno;
	err = compare(&file->first, &now);
	if (err)
		return err;
	/* Behind the path may stand another file by now. */
	if (lstat(file->path, &now))
		return errno == ENOENT || errno == ENOTDIR ? -ESTALE : -errno;
	return compare(&file->first, &now);
}

int sent_file_read(const struct sent_file *file, uint64_t offset, void *out, size_t length)
{
	size_t done = 0;

	while (done < length) {
		ssize_t got =
			pread(file->fd, (char *)out + done, length - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -ESTALE;
		done += (size_t)got;
	}
	return 0;
}

uint64_t sent_file_modified_unix_ns(const struct sent_file *file)
{
	const struct timespec *time = &file->first.st_mtim;

	return time->tv_sec < 0 ? 0 :
				  (uint64_t)time->tv_sec * NS_PER_SECOND + (uint64_t)time->tv_nsec;
}

void sent_file_close(struct sent_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

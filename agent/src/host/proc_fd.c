// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "proc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOUNTINFO_BYTES (256 * 1024)

void proc_mount_type(pid_t pid, unsigned int mount, char *out, size_t size)
{
	char *text = malloc(MOUNTINFO_BYTES), *rest, *line;
	long length = text ? proc_read(pid, 0, "mountinfo", text, MOUNTINFO_BYTES) : -ENOMEM;

	out[0] = '\0';
	rest = length > 0 ? text : NULL;
	while ((line = strsep(&rest, "\n"))) {
		const char *type = strstr(line, " - ");

		if (!type || strtoul(line, NULL, 10) != mount)
			continue;
		type += 3;
		snprintf(out, size, "%.*s", (int)strcspn(type, " "), type);
		break;
	}
	free(text);
}

int proc_parse_fdinfo(const char *text, struct proc_fd *out)
{
	const char *mount = proc_status_field(text, "mnt_id");
	const char *inode = proc_status_field(text, "ino");

	if (!mount || !inode)
		return -EBADMSG;
	out->mount = (unsigned int)strtoul(mount, NULL, 10);
	out->inode = strtoull(inode, NULL, 10);
	return 0;
}

static int read_fdinfo(pid_t pid, int fd, struct proc_fd *out)
{
	char name[64], text[256]; /* both stand in its first lines */
	long length;

	snprintf(name, sizeof(name), "fdinfo/%d", fd);
	length = proc_read(pid, 0, name, text, sizeof(text));
	return length < 0 ? (int)length : proc_parse_fdinfo(text, out);
}

int proc_read_fd(pid_t pid, int fd, struct proc_fd *out)
{
	struct proc_fd after;
	char link[64];
	ssize_t length;
	int err = read_fdinfo(pid, fd, out);

	if (err)
		return err;
	snprintf(link, sizeof(link), "/proc/%d/fd/%d", pid, fd);
	length = readlink(link, out->path, sizeof(out->path) - 1);
	if (length < 0)
		return -errno;
	out->path[length] = '\0';
	err = read_fdinfo(pid, fd, &after);
	if (err)
		return err;
	return after.inode == out->inode && after.mount == out->mount ? 0 : -ESTALE;
}

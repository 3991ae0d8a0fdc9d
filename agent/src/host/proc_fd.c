// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "proc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOUNTINFO_BYTES (256 * 1024)

/* Type of the mount with that id: statfs(2) would tell it too, but hangs on a dead NFS server. */
static void file_system_of(pid_t pid, long mount_id, char *out, size_t size)
{
	char *text = malloc(MOUNTINFO_BYTES), *rest, *line;
	long length = text ? proc_read(pid, 0, "mountinfo", text, MOUNTINFO_BYTES) : -ENOMEM;

	out[0] = '\0';
	rest = length > 0 ? text : NULL;
	while ((line = strsep(&rest, "\n"))) {
		const char *type = strstr(line, " - ");

		if (!type || strtol(line, NULL, 10) != mount_id)
			continue;
		type += 3;
		snprintf(out, size, "%.*s", (int)strcspn(type, " "), type);
		break;
	}
	free(text);
}

/* "pipe:[123]" → "pipe", "anon_inode:[eventfd]" → "eventfd": the numbers tell nobody anything. */
static void describe_special(const char *link, char *out, size_t size)
{
	const char *bracket = strchr(link, '[');

	if (!strncmp(link, "anon_inode:", 11)) {
		const char *name = bracket ? bracket + 1 : link + 11;

		snprintf(out, size, "%.*s", (int)strcspn(name, "]"), name);
		return;
	}
	snprintf(out, size, "%.*s", (int)strcspn(link, ":"), link);
}

int proc_describe_fd(pid_t pid, int fd, char *out, size_t size)
{
	char name[64], path[64], link[4096], info[1024], type[64] = "";
	const char *mount_id;
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	length = readlink(path, link, sizeof(link) - 1);
	if (length < 0)
		return -errno;
	link[length] = '\0';
	if (link[0] != '/') {
		describe_special(link, out, size);
		return 0;
	}
	snprintf(name, sizeof(name), "fdinfo/%d", fd);
	if (proc_read(pid, 0, name, info, sizeof(info)) > 0) {
		mount_id = proc_status_field(info, "mnt_id");
		if (mount_id)
			file_system_of(pid, strtol(mount_id, NULL, 10), type, sizeof(type));
	}
	if (type[0])
		snprintf(out, size, "%s (%s)", link, type);
	else
		snprintf(out, size, "%s", link);
	return 0;
}

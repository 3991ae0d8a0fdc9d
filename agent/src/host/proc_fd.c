// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "proc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define MOUNTINFO_BYTES (256 * 1024)

/* 36 35 98:0 /root /mnt rw,noatime shared:1 - ext4 /dev/sda rw */
static bool is_mount(const char *line, uint64_t mount)
{
	return strtoul(line, NULL, 10) == mount;
}

static bool is_device(const char *line, uint64_t device)
{
	unsigned int major, minor;

	return sscanf(line, "%*u %*u %u:%u", &major, &minor) == 2 &&
	       makedev(major, minor) == device;
}

/*
 * Whether what is mounted lies elsewhere: "nas:/data", "//nas/data", "10.0.0.7@tcp:/scratch". An address of the web may
 * have a password in it, and an escape (\040) or a bracket would not be read as a part of it.
 */
static bool names_server(const char *source, size_t length)
{
	const char *colon = memchr(source, ':', length), *at = memchr(source, '@', length);

	if (memchr(source, '(', length) || memchr(source, ')', length) ||
	    memchr(source, '\\', length))
		return false;
	if (length > 2 && source[0] == '/')
		return source[1] == '/';
	return colon && colon > source && (!at || at < colon) && strncmp(colon, "://", 3) != 0;
}

void proc_describe_mount(const char *text, char *out, size_t size)
{
	size_t type = strcspn(text, " ");
	const char *source = text + type + (text[type] == ' ');
	size_t length = strcspn(source, " ");
	int needed = -1;

	if (names_server(source, length))
		needed = snprintf(out, size, "%.*s of %.*s", (int)type, text, (int)length, source);
	if (needed < 0 || (size_t)needed >= size)
		snprintf(out, size, "%.*s", (int)type, text);
}

static void find_type(pid_t pid, bool (*is_wanted)(const char *line, uint64_t wanted),
		      uint64_t wanted, char *out, size_t size)
{
	char *text = malloc(MOUNTINFO_BYTES), *rest, *line;
	long length = text ? proc_read(pid, 0, "mountinfo", text, MOUNTINFO_BYTES) : -ENOMEM;

	out[0] = '\0';
	rest = length > 0 ? text : NULL;
	while ((line = strsep(&rest, "\n"))) {
		const char *type = strstr(line, " - ");

		if (!type || !is_wanted(line, wanted))
			continue;
		proc_describe_mount(type + 3, out, size);
		break;
	}
	free(text);
}

void proc_mount_type(pid_t pid, unsigned int mount, char *out, size_t size)
{
	find_type(pid, is_mount, mount, out, size);
}

void proc_device_type(pid_t pid, uint64_t device, char *out, size_t size)
{
	find_type(pid, is_device, device, out, size);
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

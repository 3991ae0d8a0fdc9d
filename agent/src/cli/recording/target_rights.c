// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "target_rights.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../../host/proc.h"
#include "user_database.h"

/* The real user id; -1 where it is not told. */
static int64_t owner_of(pid_t pid)
{
	char status[8192];
	const char *field;

	if (proc_read(pid, 0, "status", status, sizeof(status)) <= 0)
		return -1;
	field = proc_status_field(status, "Uid");
	return field ? strtoll(field, NULL, 10) : -1;
}

/* Proved by trying: the kernel opens it to whoever might trace the process (proc(5)). */
static bool is_closed(pid_t pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == EACCES || errno == EPERM;
	close(fd);
	return false;
}

static void say_whose(pid_t pid, int64_t owner, char *message, size_t size)
{
	char number[24], line[1024], name[64];

	snprintf(number, sizeof(number), "%lld", (long long)owner);
	snprintf(name, sizeof(name), "%s", number);
	if (!user_database_line(number, line, sizeof(line)))
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(line, ":"), line);
	snprintf(message, size, "Process %d belongs to user %s, and user %u may not look into it.",
		 pid, name, geteuid());
}

int target_rights(const struct record_options *options, char *message, size_t size)
{
	for (unsigned int i = 0; geteuid() && i < options->pid_count; i++) {
		int64_t owner = owner_of(options->pids[i]);

		if (owner < 0 || owner == (int64_t)geteuid() || !is_closed(options->pids[i]))
			continue;
		say_whose(options->pids[i], owner, message, size);
		return -EPERM;
	}
	return 0;
}

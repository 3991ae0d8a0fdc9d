// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "connection_spaces.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int read_name(const char *process, char *out, size_t size)
{
	char path[64];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%s/ns/net", process);
	length = readlink(path, out, size - 1);
	out[length < 0 ? 0 : length] = '\0';
	return length < 0 ? -errno : 0;
}

void connection_spaces_begin(struct connection_spaces *spaces)
{
	read_name("self", spaces->own, sizeof(spaces->own));
	for (unsigned int at = 0; at < MOST_SPACES; at++)
		spaces->entries[at].diag.fd = -1;
}

int connection_space_of(struct connection_spaces *spaces, pid_t pid, unsigned int *number)
{
	char name[32], process[16];
	unsigned int at, free_at = MOST_SPACES;
	int err;

	snprintf(process, sizeof(process), "%d", pid);
	err = read_name(process, name, sizeof(name));
	/* A kernel without namespaces has one. */
	if (err == -ENOENT && !spaces->own[0])
		snprintf(name, sizeof(name), "all");
	else if (err)
		return err;
	for (at = 0; at < MOST_SPACES && strcmp(spaces->entries[at].name, name) != 0; at++)
		if (!spaces->entries[at].name[0] && free_at == MOST_SPACES)
			free_at = at;
	if (at == MOST_SPACES && free_at == MOST_SPACES)
		return -ENOSPC;
	if (at == MOST_SPACES) {
		at = free_at;
		snprintf(spaces->entries[at].name, sizeof(spaces->entries[at].name), "%s", name);
		spaces->entries[at].is_own = !spaces->own[0] || strcmp(name, spaces->own) == 0;
	}
	spaces->entries[at].pid = pid;
	spaces->entries[at].is_used = true;
	*number = at;
	return 0;
}

int connection_space_open(struct connection_spaces *spaces, unsigned int number)
{
	struct connection_space *space = &spaces->entries[number];

	int err = space->err;

	if (space->diag.fd < 0 && !err)
		err = tcp_diag_open(&space->diag, space->is_own ? 0 : space->pid);
	/* That process has ended: the next look finds another one in it, or none. */
	if (err != -ENOENT && err != -ESRCH)
		space->err = err;
	return err;
}

static void leave(struct connection_space *space)
{
	tcp_diag_close(&space->diag);
	*space = (struct connection_space){.diag.fd = -1};
}

void connection_spaces_leave(struct connection_spaces *spaces)
{
	for (unsigned int at = 0; at < MOST_SPACES; at++) {
		if (!spaces->entries[at].is_used)
			leave(&spaces->entries[at]);
		spaces->entries[at].is_used = false;
	}
}

void connection_spaces_close(struct connection_spaces *spaces)
{
	for (unsigned int at = 0; at < MOST_SPACES; at++)
		leave(&spaces->entries[at]);
}

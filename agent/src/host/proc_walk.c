// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "proc.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_PID (1 << 22) /* PID_MAX_LIMIT of 64-bit kernels */

static pid_t parse_pid(const char *name)
{
	char *end;
	long value;

	if (*name < '1' || *name > '9')
		return 0;
	value = strtol(name, &end, 10);
	return *end == '\0' && value <= MAX_PID ? (pid_t)value : 0;
}

static int each_number(const char *path, void (*visit)(void *context, pid_t pid), void *context)
{
	DIR *directory = opendir(path);
	struct dirent *entry;

	if (!directory)
		return errno == ENOENT ? -ESRCH : -errno;
	while ((entry = readdir(directory))) {
		pid_t pid = parse_pid(entry->d_name);

		if (pid)
			visit(context, pid);
	}
	closedir(directory);
	return 0;
}

int proc_each_process(void (*visit)(void *context, pid_t pid), void *context)
{
	return each_number("/proc", visit, context);
}

int proc_each_thread(pid_t pid, void (*visit)(void *context, pid_t tid), void *context)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return each_number(path, visit, context);
}

struct lineage {
	pid_t pid, parent;
};

struct lineages {
	struct lineage *entries;
	size_t count, capacity;
	int err;
};

static void add_lineage(void *context, pid_t pid)
{
	struct lineages *all = context;
	struct proc_stat stat;

	if (all->err || proc_read_stat(pid, 0, &stat))
		return;
	if (all->count == all->capacity) {
		size_t capacity = all->capacity ? 2 * all->capacity : 512;
		void *grown = reallocarray(all->entries, capacity, sizeof(*all->entries));

		if (!grown) {
			all->err = -ENOMEM;
			return;
		}
		all->entries = grown;
		all->capacity = capacity;
	}
	all->entries[all->count++] = (struct lineage){pid, stat.parent};
}

/*
 * Breadth first over an array that keeps the found ones in front. A pid can't come twice, so it ends
 * whatever the parents say.
 */
static void visit_descendants(struct lineages *all, pid_t root,
			      void (*visit)(void *context, pid_t pid), void *context)
{
	size_t found = 0, next = 0, i;

	for (i = 0; i < all->count && found == 0; i++) {
		if (all->entries[i].pid != root)
			continue;
		all->entries[i] = all->entries[0];
		all->entries[0] = (struct lineage){root, 0};
		found = 1;
	}
	for (; next < found; next++) {
		visit(context, all->entries[next].pid);
		for (i = found; i < all->count; i++) {
			struct lineage child = all->entries[i];

			if (child.parent != all->entries[next].pid)
				continue;
			all->entries[i] = all->entries[found];
			all->entries[found++] = child;
		}
	}
}

int proc_each_of_tree(pid_t root, void (*visit)(void *context, pid_t pid), void *context)
{
	struct lineages all = {0};
	int err = proc_each_process(add_lineage, &all);

	if (!err)
		err = all.err;
	if (!err)
		visit_descendants(&all, root, visit, context);
	free(all.entries);
	return err;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "connection_list.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const struct connection *left = a, *right = b;

	if (left->inode != right->inode)
		return left->inode < right->inode ? -1 : 1;
	return left->process < right->process ? -1 : left->process > right->process;
}

/* One that several processes have is as old as the one says that knows least. */
static void join_same(struct connection_list *list)
{
	size_t kept = 0;

	for (size_t at = 0; at < list->count; at++) {
		struct connection *entry = &list->entries[at];
		struct connection *last = kept ? &list->entries[kept - 1] : NULL;

		if (!last || last->inode != entry->inode)
			list->entries[kept++] = *entry;
		else if (!entry->absent_ns)
			last->absent_ns = 0;
	}
	list->count = kept;
}

static void take_over(struct connection *now, const struct connection *before)
{
	struct connection known = *before;

	known.pid = now->pid;
	known.fd = now->fd;
	known.space = now->space;
	*now = known;
}

void connection_list_settle(struct connection_list *found, const struct connection_list *before)
{
	size_t old = 0;

	qsort(found->entries, found->count, sizeof(found->entries[0]), compare);
	join_same(found);
	for (size_t at = 0; at < found->count; at++) {
		struct connection *entry = &found->entries[at];

		while (old < before->count && before->entries[old].inode < entry->inode)
			old++;
		if (old < before->count && before->entries[old].inode == entry->inode)
			take_over(entry, &before->entries[old]);
	}
}

struct connection *connection_list_find(struct connection_list *list, uint64_t inode)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->entries[middle].inode < inode)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->count && list->entries[low].inode == inode ? &list->entries[low] : NULL;
}

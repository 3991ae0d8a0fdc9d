// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "numa.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../trace/writer.h"
#include "cpu_list.h"
#include "file_text.h"

/* Of a list of nodes: stops at the second one. */
static int count_node(void *context, unsigned int node)
{
	unsigned int *count = context;

	return ++*count > 1;
}

bool numa_has_several_nodes(const char *root)
{
	char path[PATH_MAX], text[4096];
	unsigned int count = 0;

	snprintf(path, sizeof(path), "%s/sys/devices/system/node/has_cpu", root);
	return file_text_read(path, text, sizeof(text)) > 0 &&
	       cpu_list_each(text, count_node, &count) != 0;
}

/* Domain, bus, device, function: /sys writes the domain with four digits, nvidia-smi with eight. */
int64_t numa_node_of_gpu(const char *root, const char *pci_bus_id)
{
	unsigned int domain, bus, device, function;
	char path[PATH_MAX];
	int64_t node;

	if (!pci_bus_id ||
	    sscanf(pci_bus_id, "%8x:%2x:%2x.%1x", &domain, &bus, &device, &function) != 4)
		return TRACE_NULL;
	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/%04x:%02x:%02x.%x/numa_node", root,
		 domain, bus, device, function);
	node = file_text_integer(path, -1);
	return node < 0 ? TRACE_NULL : node;
}

/* A line of numa_maps: where a mapping begins, and what of it is in memory. */
struct mapping {
	uint64_t begin, total;
	uint64_t bytes[NUMA_MOST_NODES];
};

/*
 * "7f0000000000 default file=/dev/zero\040(deleted) dirty=3 N0=1 N1=2 kernelpagesize_kB=4": see numa(7).
 * Blanks in a name are written as \040.
 */
static bool parse_line(char *line, struct mapping *out)
{
	unsigned long long page_kib = 0, pages;
	uint64_t elsewhere = 0;
	char *rest, *word;
	unsigned int node;

	memset(out, 0, sizeof(*out));
	out->begin = strtoull(line, &rest, 16);
	if (rest == line)
		return false;
	while ((word = strsep(&rest, " \n"))) {
		if (sscanf(word, "N%u=%llu", &node, &pages) == 2)
			*(node < NUMA_MOST_NODES ? &out->bytes[node] : &elsewhere) += pages;
		else
			sscanf(word, "kernelpagesize_kB=%llu", &page_kib);
	}
	/* Nodes of a higher number are not told of, but pages there are on no other. */
	out->total = elsewhere * page_kib * 1024;
	for (node = 0; node < NUMA_MOST_NODES; node++) {
		out->bytes[node] *= page_kib * 1024;
		out->total += out->bytes[node];
	}
	return true;
}

static void add_pinned(const struct mapping *mapping, uint64_t pinned, uint64_t *bytes)
{
	if (pinned > mapping->total)
		pinned = mapping->total;
	for (unsigned int node = 0; node < NUMA_MOST_NODES; node++) {
		uint64_t elsewhere = mapping->total - mapping->bytes[node];

		if (pinned > elsewhere)
			bytes[node] += pinned - elsewhere;
	}
}

int numa_read_pinned(const char *root, pid_t pid, numa_pinned *pinned, void *context,
		     uint64_t bytes[NUMA_MOST_NODES])
{
	struct mapping before = {0}, mapping;
	char path[PATH_MAX], *line = NULL;
	size_t capacity = 0;
	int err = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/%d/numa_maps", root, pid);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	/* A line doesn't say where its mapping ends: before the next one at the latest. */
	while (getline(&line, &capacity, file) > 0) {
		if (!parse_line(line, &mapping))
			continue;
		if (before.total)
			add_pinned(&before, pinned(context, before.begin, mapping.begin), bytes);
		before = mapping;
	}
	if (before.total)
		add_pinned(&before, pinned(context, before.begin, UINT64_MAX), bytes);
	if (ferror(file))
		err = -errno;
	free(line);
	fclose(file);
	return err;
}

void numa_text(const uint64_t bytes[NUMA_MOST_NODES], char *out, size_t size)
{
	size_t length = 0;

	out[0] = '\0';
	for (unsigned int node = 0; node < NUMA_MOST_NODES; node++) {
		char word[40];
		int added = snprintf(word, sizeof(word), "%sN%u=%llu", length ? " " : "", node,
				     (unsigned long long)bytes[node]);

		if (!bytes[node])
			continue;
		/* A number is there whole, or not at all. */
		if (length + (size_t)added >= size)
			return;
		memcpy(out + length, word, (size_t)added + 1);
		length += (size_t)added;
	}
}

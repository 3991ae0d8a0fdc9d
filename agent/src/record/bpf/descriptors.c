// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <stdlib.h>
#include "../../clock.h"
#include "../../host/proc.h"
#include "descriptors.h"

#define SLOTS 4096 /* a power of two; a clash forgets the older one */
#define REMEMBER_NS NS_PER_SECOND

struct descriptor {
	pid_t pid;
	int fd;
	uint64_t read_ns;
	int64_t name;
};

struct descriptors {
	struct trace_writer *writer;
	struct descriptor slots[SLOTS];
};

struct descriptors *descriptors_new(struct trace_writer *writer)
{
	struct descriptors *descriptors = calloc(1, sizeof(*descriptors));

	if (descriptors)
		descriptors->writer = writer;
	return descriptors;
}

void descriptors_free(struct descriptors *descriptors)
{
	free(descriptors);
}

int64_t descriptor_name(struct descriptors *descriptors, pid_t pid, int fd, uint64_t now_ns)
{
	unsigned int at = ((unsigned int)pid * 31 + (unsigned int)fd) & (SLOTS - 1);
	struct descriptor *slot = &descriptors->slots[at];
	char text[1024];

	if (fd < 0)
		return TRACE_NULL;
	if (slot->pid == pid && slot->fd == fd && now_ns - slot->read_ns < REMEMBER_NS)
		return slot->name;
	*slot = (struct descriptor){.pid = pid, .fd = fd, .read_ns = now_ns, .name = TRACE_NULL};
	if (proc_describe_fd(pid, fd, text, sizeof(text)) == 0)
		slot->name = trace_name(descriptors->writer, "", text);
	return slot->name;
}

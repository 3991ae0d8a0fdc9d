// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "shared_futexes.h"

#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include "../../symbol/maps_parser.h"
#include "look_ups.h"

/* A power of two; a clash forgets the older one. */
#define FUTEXES 1024
/* A lock stays where it is; the memory may be given back, and the process's number used again. */
#define RENEW_NS (10 * NS_PER_SECOND)
/* The mappings of a Python process take a millisecond to read: of a shorter wait they are not asked for. */
#define WORTH_NS 1000000ull
#define LOOK_UPS_A_SECOND 20

struct shared_futex {
	pid_t pid; /* 0 = free */
	uint64_t address;
	uint64_t looked_ns;
	int64_t name; /* TRACE_NULL = not in shared memory */
};

struct shared_futexes {
	struct trace_writer *writer;
	struct look_ups look_ups;
	struct shared_futex known[FUTEXES];
};

struct shared_futexes *shared_futexes_new(struct trace_writer *writer)
{
	struct shared_futexes *futexes = calloc(1, sizeof(*futexes));

	if (futexes)
		futexes->writer = writer;
	return futexes;
}

void shared_futexes_free(struct shared_futexes *futexes)
{
	free(futexes);
}

bool is_shared_futex(const struct off_cpu_record *record)
{
	uint64_t operation = record->syscall_arguments[1];

	if (!(record->header.flags & OFF_CPU_IN_SYSCALL) || record->syscall != SYS_futex ||
	    !record->state || operation & FUTEX_PRIVATE_FLAG)
		return false;
	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return true;
	default:
		return false;
	}
}

struct place {
	uint64_t address;
	char text[512];
};

/* Files without a name that others could have are told by their inode: "/dev/zero", "/memfd:x", "/SYSV0". */
static int find_place(void *context, const struct maps_line *line)
{
	struct place *place = context;
	uint64_t offset = place->address - line->start + line->offset;
	bool is_file = !strncmp(line->path, "/dev/shm/", 9);
	int length;

	if (place->address < line->start || place->address >= line->end)
		return 0;
	if (!line->shared)
		return 1;
	length = snprintf(place->text, sizeof(place->text), "shared memory %.400s", line->path);
	if (!is_file)
		length += snprintf(place->text + length, sizeof(place->text) - (size_t)length,
				   ", inode %llu", (unsigned long long)line->inode);
	if (offset)
		snprintf(place->text + length, sizeof(place->text) - (size_t)length, " at 0x%llx",
			 (unsigned long long)offset);
	return 1;
}

static int64_t look_up(struct shared_futexes *futexes, pid_t pid, uint64_t address)
{
	struct place place = {.address = address};

	maps_read(pid, find_place, &place);
	return place.text[0] ? trace_name(futexes->writer, "", place.text) : TRACE_NULL;
}

int64_t shared_futex_name(struct shared_futexes *futexes, const struct off_cpu_record *record)
{
	pid_t pid = (pid_t)record->tgid;
	uint64_t address = record->syscall_arguments[0];
	uint64_t now_ns = record->start_ns + record->duration_ns, begin_ns;
	uint64_t hash = (address ^ (uint64_t)pid << 40) * 0x9e3779b97f4a7c15ull;
	struct shared_futex *known = &futexes->known[hash >> 54 & (FUTEXES - 1)];

	if (known->pid == pid && known->address == address && now_ns < known->looked_ns + RENEW_NS)
		return known->name;
	if (record->duration_ns < WORTH_NS ||
	    !may_look(&futexes->look_ups, now_ns, LOOK_UPS_A_SECOND))
		return TRACE_NULL;
	begin_ns = clock_ns(CLOCK_MONOTONIC);
	*known = (struct shared_futex){.pid = pid,
				       .address = address,
				       .looked_ns = now_ns,
				       .name = look_up(futexes, pid, address)};
	looked_for(&futexes->look_ups, now_ns, clock_ns(CLOCK_MONOTONIC) - begin_ns);
	return known->name;
}

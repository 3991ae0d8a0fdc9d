// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Processes and what they map, as it is told or read. */
#include "symboliser.h"
#include "../clock.h"
#include "maps_parser.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_MAPPINGS (1u << 20)
#define MAX_PROCESSES (1u << 20)

struct symboliser *symboliser_new(void)
{
	struct symboliser *symboliser = calloc(1, sizeof(*symboliser));

	if (!symboliser)
		return NULL;
	symboliser->files = mapped_files_new();
	if (!symboliser->files) {
		free(symboliser);
		return NULL;
	}
	return symboliser;
}

void symboliser_free(struct symboliser *symboliser)
{
	if (!symboliser)
		return;
	for (size_t i = 0; i < symboliser->process_count; i++)
		process_mappings_clear(&symboliser->processes[i].mappings);
	free(symboliser->processes);
	free(symboliser->slots);
	free(symboliser->mappings);
	mapped_files_free(symboliser->files);
	kallsyms_free(symboliser->kallsyms);
	free(symboliser);
}

static size_t slot_of(const struct symboliser *symboliser, uint64_t process)
{
	size_t mask = symboliser->process_capacity * 2 - 1;
	size_t slot = (process * 0x9e3779b97f4a7c15u) >> 32 & mask;

	while (symboliser->slots[slot] &&
	       symboliser->processes[symboliser->slots[slot] - 1].process != process)
		slot = (slot + 1) & mask;
	return slot;
}

struct traced_process *symboliser_process(const struct symboliser *symboliser, uint64_t process)
{
	uint32_t found;

	if (symboliser->process_capacity == 0)
		return NULL;
	found = symboliser->slots[slot_of(symboliser, process)];
	return found ? &symboliser->processes[found - 1] : NULL;
}

static int grow_processes(struct symboliser *symboliser)
{
	size_t capacity = symboliser->process_capacity ? symboliser->process_capacity * 2 : 64;
	struct traced_process *processes;
	uint32_t *slots;

	if (capacity > MAX_PROCESSES)
		return -ENOSPC;
	slots = calloc(capacity * 2, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	processes = realloc(symboliser->processes, capacity * sizeof(*processes));
	if (!processes) {
		free(slots);
		return -ENOMEM;
	}
	free(symboliser->slots);
	symboliser->processes = processes;
	symboliser->process_capacity = capacity;
	symboliser->slots = slots;
	for (size_t i = 0; i < symboliser->process_count; i++)
		slots[slot_of(symboliser, processes[i].process)] = i + 1;
	return 0;
}

static int find_or_add_process(struct symboliser *symboliser, uint64_t process,
			       struct traced_process **out)
{
	struct traced_process *found = symboliser_process(symboliser, process);

	if (!found) {
		int err = 0;

		if (symboliser->process_count == symboliser->process_capacity)
			err = grow_processes(symboliser);
		if (err)
			return err;
		found = &symboliser->processes[symboliser->process_count++];
		*found = (struct traced_process){.process = process};
		symboliser->slots[slot_of(symboliser, process)] = symboliser->process_count;
	}
	*out = found;
	return 0;
}

/* /proc and perf name memory without a file differently. */
static const char *plain_path(const char *path)
{
	if (path[0] == '\0' || strcmp(path, "//anon") == 0)
		return "[anon]";
	return path;
}

static int store_mapping(struct symboliser *symboliser, const struct mapping *mapping,
			 uint32_t *out)
{
	struct stored_mapping *stored;
	uint32_t file;
	int err;

	err = mapped_files_add(symboliser->files, mapping->device, mapping->inode, mapping->file,
			       &file);
	if (err)
		return err;
	if (symboliser->mapping_count == symboliser->mapping_capacity) {
		size_t capacity = symboliser->mapping_capacity ? symboliser->mapping_capacity * 2 :
								 256;

		if (capacity > MAX_MAPPINGS)
			return -ENOSPC;
		stored = realloc(symboliser->mappings, capacity * sizeof(*stored));
		if (!stored)
			return -ENOMEM;
		symboliser->mappings = stored;
		symboliser->mapping_capacity = capacity;
	}
	stored = &symboliser->mappings[symboliser->mapping_count];
	*stored = (struct stored_mapping){.mapping = *mapping, .file = file};
	stored->mapping.file = mapped_files_path(symboliser->files, file);
	memcpy(stored->mapping.build_id, mapped_files_build_id(symboliser->files, file),
	       sizeof(stored->mapping.build_id));
	*out = symboliser->mapping_count++;
	return 0;
}

/* Whether the process is known to have just this there already. */
static bool is_known(const struct symboliser *symboliser, const struct traced_process *process,
		     const struct mapping *new)
{
	const struct mapped_range *range = process_mappings_find(&process->mappings, new->address);
	const struct mapping *old;

	if (!range || range->before_exec || range->end < new->address + new->size)
		return false;
	old = &symboliser->mappings[range->mapping].mapping;
	return old->device == new->device &&
	       old->inode == new->inode &&strcmp(old->file, new->file) == 0 &&
	       (new->inode == 0 || old->offset + (new->address - old->address) == new->offset);
}

static int add_mapping(struct symboliser *symboliser, struct traced_process *process,
		       const struct mapping *mapping)
{
	uint32_t stored;
	int err;

	if (mapping->size == 0 || mapping->size > UINT64_MAX - mapping->address)
		return -EINVAL;
	if (is_known(symboliser, process, mapping))
		return 0;
	err = store_mapping(symboliser, mapping, &stored);
	if (!err)
		err = process_mappings_add(&process->mappings, mapping->address,
					   mapping->address + mapping->size, stored);
	symboliser->refused_mappings += err != 0;
	return err;
}

struct process_reading {
	struct symboliser *symboliser;
	struct traced_process *process;
	uint64_t now_ns;
};

static int add_line(void *context, const struct maps_line *line)
{
	struct process_reading *reading = context;
	struct mapping mapping = {
		.start_ns = reading->now_ns,
		.address = line->start,
		.size = line->end - line->start,
		.offset = line->offset,
		.device = line->device,
		.inode = line->inode,
		.file = plain_path(line->path),
	};

	if (!line->executable)
		return 0;
	return add_mapping(reading->symboliser, reading->process, &mapping);
}

int symboliser_read_process(struct symboliser *symboliser, uint64_t process, pid_t pid)
{
	struct process_reading reading = {.symboliser = symboliser};
	int result;

	result = find_or_add_process(symboliser, process, &reading.process);
	if (result)
		return result;
	reading.now_ns = clock_ns(CLOCK_MONOTONIC);
	reading.process->pid = pid;
	result = maps_read(pid, add_line, &reading);
	return result < 0 ? result : 0;
}

int symboliser_add_mapping(struct symboliser *symboliser, uint64_t process, pid_t pid,
			   uint64_t time_ns, uint64_t address, uint64_t size, uint64_t offset,
			   uint64_t device, uint64_t inode, const char *path)
{
	struct mapping mapping = {
		.start_ns = time_ns,
		.address = address,
		.size = size,
		.offset = inode ? offset : 0,
		.device = device,
		.inode = inode,
		.file = plain_path(path),
	};
	struct traced_process *found;
	int err;

	err = find_or_add_process(symboliser, process, &found);
	if (err)
		return err;
	found->pid = pid;
	return add_mapping(symboliser, found, &mapping);
}

int symboliser_fork(struct symboliser *symboliser, uint64_t parent, uint64_t child)
{
	struct traced_process *to;
	const struct traced_process *from;
	int err;

	if (parent == child)
		return -EINVAL;
	err = find_or_add_process(symboliser, child, &to);
	if (err)
		return err;
	from = symboliser_process(symboliser, parent);
	if (!from)
		return -ENOENT;
	err = process_mappings_fork(&from->mappings, &to->mappings);
	if (err)
		symboliser->refused_mappings += from->mappings.range_count;
	return err;
}

void symboliser_exec(struct symboliser *symboliser, uint64_t process)
{
	struct traced_process *found = symboliser_process(symboliser, process);

	if (found)
		process_mappings_exec(&found->mappings);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "symboliser.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

void symbol_cut_name(char *name, size_t most)
{
	size_t kept = most - (sizeof(SYMBOL_CUT_MARK) - 1);

	if (strlen(name) <= most)
		return;
	/* 10xxxxxx goes on with a character; a sound one has three of these at most. */
	for (int i = 0; i < 3 && ((unsigned char)name[kept] & 0xc0) == 0x80; i++)
		kept--;
	strcpy(name + kept, SYMBOL_CUT_MARK);
}

static void hold_file(struct symboliser *symboliser, uint32_t number, pid_t pid)
{
	struct stored_mapping *stored = &symboliser->mappings[number];
	struct mapping *mapping = &stored->mapping;

	mapped_files_hold(symboliser->files, stored->file, pid, mapping->address,
			  mapping->address + mapping->size);
	memcpy(mapping->build_id, mapped_files_build_id(symboliser->files, stored->file),
	       sizeof(mapping->build_id));
}

void symboliser_hold_files(struct symboliser *symboliser, uint64_t process, pid_t pid)
{
	struct traced_process *found = symboliser_process(symboliser, process);

	if (!found)
		return;
	found->pid = pid;
	for (size_t i = 0; i < found->mappings.range_count; i++)
		hold_file(symboliser, found->mappings.ranges[i].mapping, pid);
}

uint64_t symboliser_refused_mappings(const struct symboliser *symboliser)
{
	return symboliser->refused_mappings;
}

uint64_t symboliser_missed_files(const struct symboliser *symboliser)
{
	return mapped_files_missed(symboliser->files);
}

static struct stored_mapping *find_stored(const struct symboliser *symboliser,
					  const struct traced_process *process, uint64_t address)
{
	const struct mapped_range *range;

	range = process ? process_mappings_find(&process->mappings, address) : NULL;
	return range ? &symboliser->mappings[range->mapping] : NULL;
}

const struct mapping *symboliser_find(const struct symboliser *symboliser, uint64_t process,
				      uint64_t address)
{
	const struct stored_mapping *stored;

	stored = find_stored(symboliser, symboliser_process(symboliser, process), address);
	return stored ? &stored->mapping : NULL;
}

void symboliser_each_mapping_of(const struct symboliser *symboliser, uint64_t process,
				void (*visit)(void *context, const struct mapping *m),
				void *context)
{
	const struct traced_process *found = symboliser_process(symboliser, process);
	const struct mapped_range *range;

	for (size_t i = 0; found && i < found->mappings.range_count; i++) {
		range = &found->mappings.ranges[i];
		if (!range->before_exec)
			visit(context, &symboliser->mappings[range->mapping].mapping);
	}
}

void symboliser_each_mapping(struct symboliser *symboliser,
			     void (*visit)(void *context, uint64_t process,
					   const struct mapping *m),
			     void *context)
{
	for (size_t i = 0; i < symboliser->process_count; i++) {
		const struct traced_process *process = &symboliser->processes[i];

		for (size_t j = 0; j < process->mappings.seen_count; j++) {
			uint32_t number = process->mappings.seen[j];

			hold_file(symboliser, number, process->pid);
			visit(context, process->process, &symboliser->mappings[number].mapping);
		}
	}
}

static int name_function(struct elf_file *elf, uint64_t offset, struct symbol *out)
{
	uint64_t address, begin;
	const char *name;
	int err;

	err = elf_file_address_of_offset(elf, offset, &address);
	if (!err)
		err = elf_file_function_at(elf, address, &name, &begin);
	if (err)
		return -ENOENT;
	snprintf(out->name, sizeof(out->name), "%s", name);
	out->offset = address - begin;
	return 0;
}

int symboliser_resolve(struct symboliser *symboliser, uint64_t process, uint64_t address,
		       struct symbol *out)
{
	const struct traced_process *found = symboliser_process(symboliser, process);
	const struct stored_mapping *stored = find_stored(symboliser, found, address);
	struct elf_file *elf;

	out->name[0] = out->file[0] = '\0';
	out->offset = 0;
	if (!stored)
		return -ENOENT;
	snprintf(out->file, sizeof(out->file), "%s", stored->mapping.file);
	hold_file(symboliser, stored - symboliser->mappings, found->pid);
	elf = mapped_files_elf(symboliser->files, stored->file);
	if (!elf)
		return -ENOENT;
	return name_function(elf, address - stored->mapping.address + stored->mapping.offset, out);
}

int symboliser_resolve_kernel(struct symboliser *symboliser, uint64_t address, struct symbol *out)
{
	uint64_t begin;
	int err;

	out->name[0] = '\0';
	out->offset = 0;
	snprintf(out->file, sizeof(out->file), "[kernel]");
	if (!symboliser->kallsyms && !symboliser->kallsyms_error) {
		FILE *file = fopen("/proc/kallsyms", "re");

		symboliser->kallsyms_error = file ? kallsyms_read(file, &symboliser->kallsyms) :
						    -errno;
		if (file)
			fclose(file);
	}
	if (!symboliser->kallsyms)
		return symboliser->kallsyms_error;
	err = kallsyms_find(symboliser->kallsyms, address, out->name, sizeof(out->name), &begin);
	if (!err)
		out->offset = address - begin;
	return err;
}

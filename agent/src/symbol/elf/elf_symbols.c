// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Names → addresses and back. */
#include "elf_layout.h"
#include "../symbols.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How many functions before an address may lie inside the one that encloses it. */
#define MAX_NESTED 64
#define MAX_SAME_HASH 64

static bool is_function(const struct elf_symbol *symbol)
{
	return symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC;
}

/* Of several names of one address the one with the least: what a programmer would have called. */
static int name_rank(const struct elf_symbol *symbol)
{
	return (symbol->type == STT_GNU_IFUNC ? 8 : 0) + (symbol->binding == STB_LOCAL ? 4 : 0) +
	       (symbol->internal ? 2 : 0) + (symbol->binding == STB_WEAK ? 1 : 0);
}

static int compare_functions(const void *left, const void *right, void *context)
{
	const struct elf_symbol *symbols = context;
	uint32_t left_index = *(const uint32_t *)left, right_index = *(const uint32_t *)right;
	const struct elf_symbol *a = &symbols[left_index], *b = &symbols[right_index];

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	/* The last of an address is looked at first: the best name comes last. */
	if (a->sized != b->sized)
		return a->sized ? 1 : -1;
	if (name_rank(a) != name_rank(b))
		return name_rank(a) > name_rank(b) ? -1 : 1;
	return left_index < right_index ? 1 : left_index > right_index ? -1 : 0;
}

static int sort_functions(struct elf_file *file)
{
	size_t count = 0;

	if (file->functions_sorted)
		return 0;
	file->functions_sorted = true;
	for (size_t i = 0; i < file->symbol_count; i++)
		count += is_function(&file->symbols[i]);
	if (count == 0)
		return 0;
	file->functions = malloc(count * sizeof(*file->functions));
	if (!file->functions) {
		file->functions_sorted = false;
		return -ENOMEM;
	}
	for (size_t i = 0; i < file->symbol_count; i++)
		if (is_function(&file->symbols[i]))
			file->functions[file->function_count++] = i;
	qsort_r(file->functions, count, sizeof(*file->functions), compare_functions, file->symbols);
	return 0;
}

void elf_symbols_free(struct elf_file *file)
{
	for (size_t i = 0; i < file->symbol_count; i++)
		free(file->symbols[i].name);
	free(file->symbols);
	free(file->functions);
}

static const char *symbol_name(const struct elf_file *file, struct elf_symbol *symbol)
{
	char name[SYMBOL_NAME_BYTES + 2];
	long got;
	char *version;

	if (symbol->name)
		return symbol->name;
	got = elf_file_read(file, symbol->name_offset, name, sizeof(name) - 1);
	if (got <= 0)
		return NULL;
	name[got] = '\0';
	version = name[0] ? strchr(name + 1, '@') : NULL;
	if (version)
		*version = '\0';
	symbol_cut_name(name, SYMBOL_NAME_BYTES);
	symbol->name = strdup(name);
	return symbol->name;
}

/* A version may follow the name. */
static bool has_name(const struct elf_file *file, const struct elf_symbol *symbol, const char *name,
		     size_t length)
{
	char found[256];

	if (length + 1 > sizeof(found) ||
	    elf_read_exactly(file, symbol->name_offset, found, length + 1) != 0)
		return false;
	return memcmp(found, name, length) == 0 && (found[length] == '\0' || found[length] == '@');
}

static struct elf_symbol *find_by_name(struct elf_file *file, const char *name)
{
	uint32_t hash = elf_hash_name(name), tried = 0;
	size_t length = strlen(name);

	if (elf_read_symbols(file) != 0)
		return NULL;
	for (size_t i = 0; i < file->symbol_count && tried < MAX_SAME_HASH; i++) {
		struct elf_symbol *symbol = &file->symbols[i];

		if (symbol->name_hash != hash)
			continue;
		if (has_name(file, symbol, name, length))
			return symbol;
		tried++;
	}
	return NULL;
}

uint64_t elf_file_symbol_address(struct elf_file *file, const char *name)
{
	const struct elf_symbol *symbol = find_by_name(file, name);

	return symbol ? symbol->address : 0;
}

uint64_t elf_file_symbol_offset(struct elf_file *file, const char *name)
{
	const struct elf_symbol *symbol = find_by_name(file, name);
	uint64_t offset;

	if (!symbol || elf_file_offset_of_address(file, symbol->address, &offset) != 0)
		return 0;
	return offset;
}

/* How many functions begin at or before the address. */
static size_t functions_up_to(const struct elf_file *file, uint64_t address)
{
	size_t low = 0, high = file->function_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->symbols[file->functions[middle]].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The innermost function with a size that covers the address. Else the nearest without a size, as
 * assembler leaves them; but never one of which is known that it ends before.
 */
static struct elf_symbol *function_covering(struct elf_file *file, uint64_t address)
{
	size_t before = functions_up_to(file, address);
	struct elf_symbol *unsized = NULL;

	for (size_t i = 0; i < MAX_NESTED && i < before; i++) {
		struct elf_symbol *symbol = &file->symbols[file->functions[before - 1 - i]];

		if (address - symbol->address >= symbol->size)
			continue;
		if (symbol->sized)
			return symbol;
		if (i == 0)
			unsized = symbol;
	}
	return unsized;
}

int elf_file_function_at(struct elf_file *file, uint64_t address, const char **name,
			 uint64_t *begin)
{
	struct elf_symbol *symbol;
	int err = elf_read_symbols(file);

	if (!err)
		err = sort_functions(file);
	if (err)
		return err;
	symbol = function_covering(file, address);
	if (!symbol)
		return -ENOENT;
	*name = symbol_name(file, symbol);
	*begin = symbol->address;
	return *name ? 0 : -ENOENT;
}

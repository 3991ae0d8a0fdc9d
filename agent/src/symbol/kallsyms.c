// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "kallsyms.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "../reserve.h"

#define MAX_FUNCTIONS (4u << 20)
#define MAX_NAME_BYTES (256u << 20)
/* No function is longer; past the last one of a module lies nothing. */
#define MAX_FUNCTION_BYTES (1u << 20)

struct kernel_function {
	uint64_t address;
	uint32_t name_offset;
};

struct kallsyms {
	struct kernel_function *functions;
	size_t count, capacity;
	char *names;
	size_t names_size, names_capacity;
};

static int add_function(struct kallsyms *all, uint64_t address, const char *name)
{
	size_t bytes = strlen(name) + 1;
	int err;

	err = reserve((void **)&all->functions, &all->capacity, all->count + 1,
		      sizeof(*all->functions), MAX_FUNCTIONS);
	if (!err)
		err = reserve((void **)&all->names, &all->names_capacity, all->names_size + bytes,
			      1, MAX_NAME_BYTES);
	if (err)
		return err;
	memcpy(all->names + all->names_size, name, bytes);
	all->functions[all->count++] = (struct kernel_function){address, all->names_size};
	all->names_size += bytes;
	return 0;
}

/* "ffffffff81000000 T _text", and "\t[module]" behind it. False where it is no function. */
static bool parse_line(char *line, uint64_t *address, char **name)
{
	char *end, *module;

	*address = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || end[1] == '\0' || end[2] != ' ')
		return false;
	if (!strchr("tTwW", end[1]))
		return false;
	*name = end + 3;
	end = *name + strcspn(*name, "\n");
	*end = '\0';
	module = strchr(*name, '\t');
	if (module)
		*module = ' ';
	return **name != '\0';
}

static int compare_addresses(const void *left, const void *right)
{
	const struct kernel_function *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->name_offset < b->name_offset ? -1 : a->name_offset > b->name_offset;
}

int kallsyms_read(FILE *file, struct kallsyms **out)
{
	struct kallsyms *all = calloc(1, sizeof(*all));
	uint64_t address, any_address = 0;
	char line[1024], *name;
	int err = all ? 0 : -ENOMEM;

	while (!err && fgets(line, sizeof(line), file)) {
		if (!parse_line(line, &address, &name))
			continue;
		any_address |= address;
		err = add_function(all, address, name);
	}
	if (!err && any_address == 0)
		err = -EPERM;
	if (err) {
		kallsyms_free(all);
		return err;
	}
	qsort(all->functions, all->count, sizeof(*all->functions), compare_addresses);
	*out = all;
	return 0;
}

void kallsyms_free(struct kallsyms *kallsyms)
{
	if (!kallsyms)
		return;
	free(kallsyms->functions);
	free(kallsyms->names);
	free(kallsyms);
}

int kallsyms_find(const struct kallsyms *kallsyms, uint64_t address, char *name, size_t size,
		  uint64_t *begin)
{
	size_t low = 0, high = kallsyms->count;
	const struct kernel_function *found;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (kallsyms->functions[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return -ENOENT;
	found = &kallsyms->functions[low - 1];
	if (address - found->address >= MAX_FUNCTION_BYTES)
		return -ENOENT;
	/* Aliases keep the kernel's order; of them the first is the common name. */
	while (found > kallsyms->functions && found[-1].address == found->address)
		found--;
	*begin = found->address;
	snprintf(name, size, "%s", kallsyms->names + found->name_offset);
	return 0;
}

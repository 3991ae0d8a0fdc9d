// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The symbol tables. Names stay in the file: of 100,000 functions a recording asks for some hundreds,
 * so only a hash of each is kept.
 */
#include "elf_layout.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SYMBOLS (4u << 20)
#define MAX_STRING_BYTES (256u << 20)
#define MAX_NAME_BYTES 8192
#define SYMBOLS_PER_READ 4096
/* How many functions before an address may lie inside the one that encloses it. */
#define MAX_NESTED 64
#define MAX_SAME_HASH 64

/* FNV-1a. A name ends at its version: .symtab has memcpy@@GLIBC_2.14. */
static uint32_t hash_name(const char *name)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; name[i] && (name[i] != '@' || i == 0); i++)
		hash = (hash ^ (unsigned char)name[i]) * 16777619u;
	return hash;
}

struct name_section {
	char *bytes; /* and a NUL */
	size_t size;
	uint64_t offset;
	/* Symbols may share the ends of names but hardly more: what reads on and on is hostile. */
	size_t budget;
};

static int read_names(const struct elf_file *file, const Elf64_Shdr *table,
		      struct name_section *out)
{
	const Elf64_Shdr *section;
	int err;

	if (table->sh_link >= file->section_count)
		return -EINVAL;
	section = &file->sections[table->sh_link];
	if (section->sh_type != SHT_STRTAB || section->sh_size == 0)
		return -EINVAL;
	if (section->sh_offset > file->size || section->sh_size > file->size - section->sh_offset)
		return -EINVAL;
	if (section->sh_size > MAX_STRING_BYTES)
		return -EFBIG;
	out->size = section->sh_size;
	out->offset = section->sh_offset;
	out->bytes = malloc(out->size + 1);
	if (!out->bytes)
		return -ENOMEM;
	err = elf_read_exactly(file, out->offset, out->bytes, out->size);
	if (err)
		free(out->bytes);
	else
		out->bytes[out->size] = '\0';
	out->budget = 8 * out->size;
	return err;
}

/* From an address to the end of the section it is in. */
static uint64_t rest_of_section(const struct elf_file *file, const Elf64_Sym *symbol)
{
	const Elf64_Shdr *section;

	if (symbol->st_shndx >= file->section_count)
		return 0;
	section = &file->sections[symbol->st_shndx];
	if (symbol->st_value < section->sh_addr ||
	    symbol->st_value - section->sh_addr >= section->sh_size)
		return 0;
	return section->sh_size - (symbol->st_value - section->sh_addr);
}

static bool is_internal(const char *name)
{
	return name[0] == '_' && name[1] != 'Z';
}

static int add_symbol(struct elf_file *file, const Elf64_Sym *symbol, struct name_section *names)
{
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);
	struct elf_symbol *added;
	const char *name;
	size_t length;

	if (type != STT_FUNC && type != STT_OBJECT && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return 0;
	if (symbol->st_name == 0 || symbol->st_name >= names->size)
		return 0;
	/* Without a type it is an import, or a label of the assembler that is no function. */
	if (type == STT_NOTYPE && symbol->st_shndx != SHN_UNDEF)
		return 0;
	name = names->bytes + symbol->st_name;
	length = strlen(name);
	if (length > names->budget)
		return -EINVAL;
	names->budget -= length;
	added = &file->symbols[file->symbol_count++];
	*added = (struct elf_symbol){
		.address = symbol->st_value,
		.size = symbol->st_size ? symbol->st_size : rest_of_section(file, symbol),
		.name_offset = names->offset + symbol->st_name,
		.name_hash = hash_name(name),
		.type = type,
		.binding = ELF64_ST_BIND(symbol->st_info),
		.defined = symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS,
		.sized = symbol->st_size != 0,
		.internal = is_internal(name),
	};
	return 0;
}

static int add_symbols(struct elf_file *file, const Elf64_Shdr *table, struct name_section *names,
		       size_t count)
{
	Elf64_Sym *read = malloc(SYMBOLS_PER_READ * sizeof(*read));
	int err = 0;

	if (!read)
		return -ENOMEM;
	for (size_t done = 0; done < count && !err;) {
		size_t part = count - done < SYMBOLS_PER_READ ? count - done : SYMBOLS_PER_READ;

		err = elf_read_exactly(file, table->sh_offset + done * sizeof(*read), read,
				       part * sizeof(*read));
		for (size_t i = 0; i < part && !err; i++)
			err = add_symbol(file, &read[i], names);
		done += part;
	}
	free(read);
	return err;
}

static int read_symbol_table(struct elf_file *file, const Elf64_Shdr *table)
{
	size_t count = table->sh_size / sizeof(Elf64_Sym);
	struct name_section names;
	struct elf_symbol *symbols;
	int err;

	if (table->sh_entsize != sizeof(Elf64_Sym) || table->sh_offset > file->size ||
	    table->sh_size > file->size - table->sh_offset)
		return -EINVAL;
	if (count > MAX_SYMBOLS - file->symbol_count)
		return -EFBIG;
	if (count == 0)
		return 0;
	err = read_names(file, table, &names);
	if (err)
		return err;
	symbols = realloc(file->symbols, (file->symbol_count + count) * sizeof(*symbols));
	if (symbols) {
		file->symbols = symbols;
		err = add_symbols(file, table, &names, count);
	} else {
		err = -ENOMEM;
	}
	free(names.bytes);
	return err;
}

static bool is_function(const struct elf_symbol *symbol)
{
	return symbol->defined && (symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC);
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

	for (size_t i = 0; i < file->symbol_count; i++)
		count += is_function(&file->symbols[i]);
	if (count == 0)
		return 0;
	file->functions = malloc(count * sizeof(*file->functions));
	if (!file->functions)
		return -ENOMEM;
	for (size_t i = 0; i < file->symbol_count; i++)
		if (is_function(&file->symbols[i]))
			file->functions[file->function_count++] = i;
	qsort_r(file->functions, count, sizeof(*file->functions), compare_functions, file->symbols);
	return 0;
}

/* A damaged table does not spoil the other; it is an error only where nothing is left. */
static int read_symbols(struct elf_file *file)
{
	int err = 0;

	if (file->symbols_read)
		return file->symbols_error;
	file->symbols_read = true;
	for (size_t i = 0; i < file->section_count; i++) {
		const Elf64_Shdr *section = &file->sections[i];
		int failed;

		if (section->sh_type != SHT_DYNSYM && section->sh_type != SHT_SYMTAB)
			continue;
		failed = read_symbol_table(file, section);
		err = failed ? failed : err;
	}
	if (file->symbol_count == 0)
		file->symbols_error = err;
	return file->symbols_error;
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
	char name[MAX_NAME_BYTES];
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

static struct elf_symbol *find_by_name(struct elf_file *file, const char *name, bool defined)
{
	uint32_t hash = hash_name(name), tried = 0;
	size_t length = strlen(name);

	if (read_symbols(file) != 0)
		return NULL;
	for (size_t i = 0; i < file->symbol_count && tried < MAX_SAME_HASH; i++) {
		struct elf_symbol *symbol = &file->symbols[i];

		if (symbol->name_hash != hash || symbol->defined != defined)
			continue;
		if (has_name(file, symbol, name, length))
			return symbol;
		tried++;
	}
	return NULL;
}

uint64_t elf_file_symbol_address(struct elf_file *file, const char *name)
{
	const struct elf_symbol *symbol = find_by_name(file, name, true);

	return symbol ? symbol->address : 0;
}

uint64_t elf_file_symbol_offset(struct elf_file *file, const char *name)
{
	const struct elf_symbol *symbol = find_by_name(file, name, true);
	uint64_t offset;

	if (!symbol || elf_file_offset_of_address(file, symbol->address, &offset) != 0)
		return 0;
	return offset;
}

bool elf_file_imports(struct elf_file *file, const char *name)
{
	return find_by_name(file, name, false) != NULL;
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
	int err = read_symbols(file);

	if (err)
		return err;
	if (!file->functions) {
		err = sort_functions(file);
		if (err)
			return err;
	}
	symbol = function_covering(file, address);
	if (!symbol)
		return -ENOENT;
	*name = symbol_name(file, symbol);
	*begin = symbol->address;
	return *name ? 0 : -ENOENT;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Reads .dynsym and .symtab. Names stay in the file: of 100,000 functions a recording asks for some
 * hundreds, so only a hash of each is kept.
 */
#include "elf_layout.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STRING_BYTES (256u << 20)
#define SYMBOLS_PER_READ 4096
#define SEARCH_BYTES (128u << 10)

/* FNV-1a. */
uint32_t elf_hash_name(const char *name)
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

	if (type != STT_FUNC && type != STT_OBJECT && type != STT_GNU_IFUNC)
		return 0;
	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS)
		return 0;
	if (symbol->st_name == 0 || symbol->st_name >= names->size)
		return 0;
	name = names->bytes + symbol->st_name;
	length = strlen(name);
	if (length > names->budget)
		return -EINVAL;
	names->budget -= length;
	if (elf_spend(file, length))
		return -EFBIG;
	added = &file->symbols[file->symbol_count++];
	*added = (struct elf_symbol){
		.address = symbol->st_value,
		.size = symbol->st_size ? symbol->st_size : rest_of_section(file, symbol),
		.name_offset = names->offset + symbol->st_name,
		.name_hash = elf_hash_name(name),
		.type = type,
		.binding = ELF64_ST_BIND(symbol->st_info),
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
	if (count == 0)
		return 0;
	if (count > file->budget->symbols || (file->shared && count > file->shared->symbols))
		return -EFBIG;
	file->budget->symbols -= count;
	if (file->shared)
		file->shared->symbols -= count;
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

int elf_read_symbols(struct elf_file *file)
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

/* Errs towards yes. Parts overlap, so that no name is overlooked between two. */
static bool section_mentions(const struct elf_file *file, const Elf64_Shdr *section,
			     const char *name, char buffer[SEARCH_BYTES])
{
	size_t length = strlen(name);
	uint64_t step = SEARCH_BYTES - length;

	if (section->sh_offset > file->size || section->sh_size > file->size - section->sh_offset)
		return true;
	for (uint64_t done = 0; done < section->sh_size; done += step) {
		uint64_t left = section->sh_size - done;
		size_t part = left < SEARCH_BYTES ? left : SEARCH_BYTES;

		/* Out of budget it is left alone. */
		if (elf_spend(file, part))
			return false;
		if (elf_read_exactly(file, section->sh_offset + done, buffer, part))
			return true;
		if (memmem(buffer, part, name, length))
			return true;
	}
	return false;
}

bool elf_file_mentions(const struct elf_file *file, const char *name)
{
	char *buffer = malloc(SEARCH_BYTES);
	bool mentioned = !buffer;

	for (size_t i = 0; i < file->section_count && !mentioned; i++) {
		const Elf64_Shdr *table = &file->sections[i];

		if (table->sh_type != SHT_DYNSYM && table->sh_type != SHT_SYMTAB)
			continue;
		mentioned = table->sh_link >= file->section_count ||
			    section_mentions(file, &file->sections[table->sh_link], name, buffer);
	}
	free(buffer);
	return mentioned;
}

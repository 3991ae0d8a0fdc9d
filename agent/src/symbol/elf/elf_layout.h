/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What elf_file.c, elf_symbol_tables.c and elf_symbols.c share of an open ELF file. */
#ifndef STALLTRACE_ELF_LAYOUT_H
#define STALLTRACE_ELF_LAYOUT_H

#include <elf.h>
#include <stdbool.h>
#include "elf_file.h"

/* More than any real file has (libtorch_cuda: 12). Sections are 65,535 at most. */
#define ELF_MAX_SEGMENTS 1024

struct elf_symbol {
	uint64_t address;
	uint64_t size;        /* where it says none: to the end of its section */
	uint64_t name_offset; /* of its name, in the file */
	char *name;           /* read when first asked for */
	uint32_t name_hash;
	uint8_t type;    /* STT_* */
	uint8_t binding; /* STB_* */
	bool sized;      /* says its size */
	bool internal;   /* __write beside write: a name of the implementation's own */
};

struct elf_file {
	int fd;                    /* the caller's */
	struct elf_budget *budget; /* its own, and one shared with others or NULL */
	struct elf_budget *shared;
	struct elf_budget own;
	uint64_t size;
	Elf64_Phdr *segments;
	size_t segment_count;
	Elf64_Shdr *sections;
	size_t section_count;
	char build_id[64 + 1];

	/* .dynsym and .symtab, read when first asked for: 0, or why they can't be had. */
	bool symbols_read;
	int symbols_error;
	struct elf_symbol *symbols;
	size_t symbol_count;
	/* Defined functions among them, by address. */
	bool functions_sorted;
	uint32_t *functions;
	size_t function_count;
};

/* Takes so many bytes of the budget: -EFBIG where there are not as many left. */
int elf_spend(const struct elf_file *file, uint64_t bytes);
/* Exactly size bytes of the file, or -EINVAL where it is shorter. */
int elf_read_exactly(const struct elf_file *file, uint64_t offset, void *buffer, size_t size);
/*
 * Once; what it has is then in file->symbols. A damaged table does not spoil the other: it is an error
 * only where nothing is left.
 */
int elf_read_symbols(struct elf_file *file);
/* A name ends at its version: .symtab has memcpy@@GLIBC_2.14. */
uint32_t elf_hash_name(const char *name);
void elf_symbols_free(struct elf_file *file);

#endif /* STALLTRACE_ELF_LAYOUT_H */

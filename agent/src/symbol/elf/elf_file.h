/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* One ELF file, read as hostile input. */
#ifndef STALLTRACE_ELF_FILE_H
#define STALLTRACE_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "../../clock.h"

struct elf_file;

/*
 * What may be done for files of others, whatever they say of themselves: a file of a few bytes can say
 * that it has 65,535 tables of 256 MiB, all of them the same hole. Once it is used up, everything that
 * has not been read is -EFBIG.
 */
struct elf_budget {
	uint64_t bytes;   /* read, and compared or hashed once read */
	uint64_t symbols; /* kept */
};
/*
 * Waiting for files has a limit too, which all of them share: a file behind FUSE may answer each question
 * just in time. Not counted is what a disk of 10 MB/s takes. Once it is used up, everything that has not
 * been read is -EFBIG as well.
 */
#define ELF_MOST_WAITING_NS (60 * NS_PER_SECOND)
/* That `bytes` were waited for so long. */
void elf_count_waiting(uint64_t waited_ns, uint64_t bytes);
/* As if nothing had been waited for yet: for the tests. */
void elf_forget_waiting(void);

/* Of one file. The largest libraries (libtorch_cuda) need a tenth. */
#define ELF_FILE_BUDGET                                                  \
	{                                                                \
		.bytes = UINT64_C(1) << 30, .symbols = UINT64_C(4) << 20 \
	}

/*
 * fd stays the caller's, open for as long as the file is. 0 or -errno (-EINVAL: not an ELF file of
 * 64 bits, or damaged).
 */
int elf_file_open(int fd, struct elf_file **out);
/* Shares `budget` with other files from here on, beside its own; the caller keeps it as long. */
void elf_file_share(struct elf_file *file, struct elf_budget *budget);
void elf_file_close(struct elf_file *file);

/* Hexadecimal GNU build id; empty where it has none. */
void elf_file_build_id(const struct elf_file *file, char out[64 + 1]);

/*
 * False where no symbol has the name: a hundredth of the time that reading all symbols of a large
 * file takes. True says nothing yet.
 */
bool elf_file_mentions(const struct elf_file *file, const char *name);
/* Offset in the file of a defined function or object of .dynsym or .symtab; 0 = has none. */
uint64_t elf_file_symbol_offset(struct elf_file *file, const char *name);
/* Virtual address as linked of that symbol; 0 = has none. */
uint64_t elf_file_symbol_address(struct elf_file *file, const char *name);
/* Virtual address as linked ↔ offset in the file, through the program headers. */
int elf_file_address_of_offset(const struct elf_file *file, uint64_t offset, uint64_t *address);
int elf_file_offset_of_address(const struct elf_file *file, uint64_t address, uint64_t *offset);

/* The function at a virtual address as linked: its raw name and begin. 0, -ENOENT or
 * what kept the symbols from being read. The name is valid until the file is closed. */
int elf_file_function_at(struct elf_file *file, uint64_t address, const char **name,
			 uint64_t *begin);

/* Up to `size` bytes at an offset, for looking at instructions. Bytes read or -errno. */
long elf_file_read(const struct elf_file *file, uint64_t offset, void *buffer, size_t size);

#endif /* STALLTRACE_ELF_FILE_H */

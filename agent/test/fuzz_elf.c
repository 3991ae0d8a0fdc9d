// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * A file as given, and a small sound one with bytes of the input written into it: only errors, never
 * an overrun, and what is found holds together.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../src/symbol/elf/elf_file.h"
#include "small_elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(struct elf_file *file, uint64_t address)
{
	uint64_t begin, offset, back;
	const char *name;

	if (elf_file_function_at(file, address, &name, &begin) == 0 && (begin > address || !name))
		abort();
	if (elf_file_address_of_offset(file, address, &back) == 0)
		elf_file_offset_of_address(file, back, &offset);
}

static void read_elf(const void *bytes, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char build_id[64 + 1];
	struct elf_file *file;

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	if (elf_file_open(fd, &file) == 0) {
		elf_file_build_id(file, build_id);
		if (strlen(build_id) > 64)
			abort();
		elf_file_symbol_offset(file, "outer");
		elf_file_symbol_address(file, "unsized");
		for (uint64_t at = 0; at < 0x400; at += 0x20)
			ask(file, SMALL_ELF_ADDRESS + SMALL_ELF_TEXT + at);
		ask(file, 0);
		ask(file, UINT64_MAX);
		elf_file_close(file);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct small_elf elf;

	read_elf(data, size);
	make_small_elf(&elf);
	for (size_t i = 0; i + 3 <= size; i += 3)
		((uint8_t *)&elf)[(data[i] | data[i + 1] << 8) % offsetof(struct small_elf, rest)] =
			data[i + 2];
	read_elf(&elf, size % 2 ? sizeof(elf) : sizeof(elf) - size % 4096);
	return 0;
}

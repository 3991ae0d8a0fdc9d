// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Mappings, ELF files, kallsyms and names. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "../src/symbol/elf/elf_file.h"
#include "../src/symbol/kallsyms.h"
#include "../src/symbol/maps_parser.h"
#include "../src/symbol/process_mappings.h"
#include "../src/symbol/symbols.h"
#include "small_elf.h"

static int checks, failures;

static void check(bool holds, const char *what, int line)
{
	checks++;
	if (holds)
		return;
	failures++;
	fprintf(stderr, "symbol_test.c:%d: %s\n", line, what);
}
#define CHECK(condition) check(condition, #condition, __LINE__)

static int parse(const char *text, struct maps_line *out)
{
	return maps_parse_line(text, strlen(text), out);
}

static void test_maps_lines(void)
{
	static const char *const damaged[] = {
		"",
		"\n",
		"-",
		"1000-",
		"1000-2000",
		"1000-2000 r-xp",
		"2000-1000 r-xp 0 0:0 0",
		"1000-1000 r-xp 0 0:0 0",
		"1000-2000 rwxq 0 0:0 0",
		"1000-2000 r-xp 0 00 0",
		"1000-2000 r-xp 0 0:0 x",
		"10000000000000000-20000000000000000 r-xp 0 0:0 0",
		"1000-2000 r-xp 0 100000000:0 0",
		"1000-2000 r-xp 0 0:0 99999999999999999999",
	};
	static struct maps_line line;
	static char endless[8192];

	CHECK(parse("7f00-7f80 r-xp 00026000 fe:01 339380                     /usr/lib/libc.so.6\n",
		    &line) == 0);
	CHECK(line.start == 0x7f00 && line.end == 0x7f80 && line.offset == 0x26000);
	CHECK(line.device == makedev(0xfe, 1) && line.inode == 339380);
	CHECK(line.readable && !line.writable && line.executable && !line.shared && !line.deleted);
	CHECK(!strcmp(line.path, "/usr/lib/libc.so.6"));
	CHECK(parse("1000-2000 rw-s 0 0:5 7 /memfd:a b (deleted)", &line) == 0);
	CHECK(line.deleted && line.shared && !strcmp(line.path, "/memfd:a b"));
	CHECK(parse("1000-2000 r-xp 0 0:5 7 /a\\012b\\x", &line) == 0);
	CHECK(!strcmp(line.path, "/a\nb\\x"));
	CHECK(parse("1000-2000 r-xp 00000000 00:00 0 ", &line) == 0 && line.path[0] == '\0');
	CHECK(parse("1000-2000 r-xp 00000000 00:00 0", &line) == 0 && line.path[0] == '\0');
	CHECK(parse("1000-2000 r-xp 0 0:0 0 [vdso]", &line) == 0 && !strcmp(line.path, "[vdso]"));
	CHECK(parse("1000-2000 r-xp 0 0:0 0  (deleted)", &line) == 0 && !line.deleted);
	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++)
		check(parse(damaged[i], &line) == -EINVAL, damaged[i], __LINE__);
	memset(endless, 'a', sizeof(endless));
	memcpy(endless, "1000-2000 r-xp 0 0:0 0 /", 24);
	CHECK(maps_parse_line(endless, sizeof(endless), &line) == -ENAMETOOLONG);
}

/* Random mappings laid over each other, against one number for each page. */
static void test_process_mappings(void)
{
	struct process_mappings process = {}, child = {};
	uint32_t pages[256];

	memset(pages, 0xff, sizeof(pages));
	srand(1);
	for (uint32_t mapping = 0; mapping < 2000; mapping++) {
		unsigned int begin = rand() % 250, size = 1 + rand() % (mapping % 7 ? 6 : 200);
		unsigned int end = begin + size < 256 ? begin + size : 256;
		bool same = true;

		CHECK(process_mappings_add(&process, begin * 4096, end * 4096, mapping) == 0);
		for (unsigned int i = begin; i < end; i++)
			pages[i] = mapping;
		for (unsigned int i = 0; i < 256; i++) {
			const struct mapped_range *range =
				process_mappings_find(&process, i * 4096 + i);

			same &= range ? range->mapping == pages[i] : pages[i] == UINT32_MAX;
		}
		CHECK(same);
	}
	CHECK(process.seen_count == 2000);
	CHECK(process_mappings_add(&process, 4096, 4096, 1) == -EINVAL);
	CHECK(process_mappings_add(&child, 0, 4096, 5000) == 0);
	CHECK(process_mappings_fork(&process, &child) == 0);
	CHECK(process_mappings_find(&child, 0)->mapping == 5000);
	CHECK(process_mappings_find(&child, 100 * 4096)->mapping == pages[100]);
	process_mappings_clear(&process);
	process_mappings_clear(&child);
}

static int open_bytes(const void *bytes, size_t size)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, bytes, size) == (ssize_t)size)
		return fd;
	perror("memfd");
	exit(EXIT_FAILURE);
}

static void check_function(struct elf_file *file, uint64_t offset, const char *wanted,
			   uint64_t wanted_begin)
{
	uint64_t text = SMALL_ELF_ADDRESS + SMALL_ELF_TEXT, begin;
	const char *name;
	int err = elf_file_function_at(file, text + offset, &name, &begin);

	if (!wanted)
		CHECK(err == -ENOENT);
	else
		CHECK(err == 0 && !strcmp(name, wanted) && begin == text + wanted_begin);
}

static void test_elf(void)
{
	struct small_elf elf;
	struct elf_file *file;
	char build_id[64 + 1];
	uint64_t number;
	int fd;

	make_small_elf(&elf);
	fd = open_bytes(&elf, sizeof(elf));
	CHECK(elf_file_open(fd, &file) == 0);
	elf_file_build_id(file, build_id);
	CHECK(!strcmp(build_id, "abababababababababababababababababababab"));
	check_function(file, 0, "outer", 0);
	check_function(file, 0x40, "inner", 0x40);
	check_function(file, 0x4f, "inner", 0x40);
	check_function(file, 0x50, "outer", 0);
	check_function(file, 0x100, NULL, 0);
	check_function(file, 0x3ff, "unsized", 0x200);
	check_function(file, 0x400, NULL, 0);
	CHECK(elf_file_symbol_offset(file, "inner") == SMALL_ELF_TEXT + 0x40);
	CHECK(elf_file_symbol_address(file, "unsized") ==
	      SMALL_ELF_ADDRESS + SMALL_ELF_TEXT + 0x200);
	CHECK(elf_file_symbol_offset(file, "inne") == 0);
	CHECK(elf_file_symbol_offset(file, "__cudaRegisterFatBinary") == 0);
	CHECK(elf_file_address_of_offset(file, 16, &number) == 0 &&
	      number == SMALL_ELF_ADDRESS + 16);
	CHECK(elf_file_offset_of_address(file, number, &number) == 0 && number == 16);
	CHECK(elf_file_address_of_offset(file, sizeof(elf), &number) == -ENOENT);
	elf_file_close(file);
	close(fd);
}

/* Cut at every length: an error, or what the rest still says. */
static void test_cut_elf(void)
{
	struct small_elf elf;

	make_small_elf(&elf);
	for (size_t size = 0; size < sizeof(elf); size += 7) {
		int fd = open_bytes(&elf, size), err;
		uint64_t begin;
		const char *name;
		struct elf_file *file;

		err = elf_file_open(fd, &file);
		CHECK(err == 0 || err == -EINVAL);
		CHECK((err == 0) == (size >= sizeof(elf.header) + sizeof(elf.segments)));
		if (err == 0) {
			elf_file_function_at(file, SMALL_ELF_ADDRESS + SMALL_ELF_TEXT, &name,
					     &begin);
			elf_file_close(file);
		}
		close(fd);
	}
}

#define TABLES 60000
#define HOLE_BYTES (16u << 20)

/* A header, and as many symbol tables as one can say, all with the same names: a hole of the file. */
static int open_sparse_elf(uint64_t hole_bytes)
{
	static Elf64_Shdr sections[TABLES];
	struct small_elf elf;
	uint64_t sections_at = sizeof(elf), hole_at = sections_at + sizeof(sections);
	int fd;

	make_small_elf(&elf);
	elf.header.e_shoff = sections_at;
	elf.header.e_shnum = TABLES;
	for (size_t i = 0; i < TABLES; i++) {
		sections[i] = elf.sections[2];
		sections[i].sh_link = TABLES - 1;
	}
	sections[TABLES - 1] = small_elf_section(0, SHT_STRTAB, hole_at, hole_bytes);
	fd = open_bytes(&elf, sizeof(elf));
	if (ftruncate(fd, (off_t)(hole_at + hole_bytes)) != 0 ||
	    pwrite(fd, sections, sizeof(sections), (off_t)sections_at) != sizeof(sections)) {
		perror("sparse file");
		exit(EXIT_FAILURE);
	}
	return fd;
}

/* Without a budget the first of these takes an hour, the second years. */
static void test_sparse_elf(void)
{
	struct elf_budget budget = {.bytes = 4 * HOLE_BYTES, .symbols = 1000};
	uint64_t text = SMALL_ELF_ADDRESS + SMALL_ELF_TEXT, begin;
	struct elf_file *file;
	const char *name;
	int fd = open_sparse_elf(HOLE_BYTES);

	CHECK(elf_file_open(fd, &file) == 0);
	elf_file_share(file, &budget);
	elf_file_function_at(file, text, &name, &begin);
	CHECK(budget.bytes < HOLE_BYTES);
	elf_file_close(file);
	close(fd);
	fd = open_sparse_elf(UINT64_C(1) << 50);
	budget.bytes = 4 * HOLE_BYTES;
	CHECK(elf_file_open(fd, &file) == 0);
	elf_file_share(file, &budget);
	CHECK(!elf_file_mentions(file, "cudaMemcpyAsync"));
	CHECK(budget.bytes < HOLE_BYTES);
	elf_file_close(file);
	close(fd);
}

/* A file that answers slowly is read for a while; then no file is read any more. */
static void test_slow_elf(void)
{
	struct elf_file *file, *another;
	unsigned char byte;
	int fd = open_sparse_elf(HOLE_BYTES);

	CHECK(elf_file_open(fd, &file) == 0);
	elf_count_waiting(100 * NS_PER_SECOND, UINT64_C(1) << 30);
	CHECK(elf_file_read(file, 0, &byte, 1) == 1);
	for (unsigned int i = 0; i < 7; i++) {
		CHECK(elf_file_read(file, 0, &byte, 1) == 1);
		elf_count_waiting(9 * NS_PER_SECOND, 1);
	}
	CHECK(elf_file_read(file, 0, &byte, 1) == -EFBIG);
	CHECK(elf_file_open(fd, &another) == -EFBIG);
	elf_forget_waiting();
	CHECK(elf_file_read(file, 0, &byte, 1) == 1);
	elf_file_close(file);
	close(fd);
}

/* A file that is cut while it is open. */
static void test_shrinking_elf(void)
{
	struct small_elf elf;
	struct elf_file *file;
	const char *name;
	uint64_t begin;
	int fd;

	make_small_elf(&elf);
	fd = open_bytes(&elf, sizeof(elf));
	CHECK(elf_file_open(fd, &file) == 0);
	CHECK(ftruncate(fd, 100) == 0);
	CHECK(elf_file_function_at(file, SMALL_ELF_ADDRESS + SMALL_ELF_TEXT, &name, &begin) ==
	      -EINVAL);
	elf_file_close(file);
	close(fd);
}

static void test_kallsyms(void)
{
	char text[] =
		"ffffffff81000000 T first\nffffffff81000000 t alias\nffffffff81000100 d data\n"
		"ffffffff81000200 t second\t[module]\nnonsense\n";
	char hidden[] = "0000000000000000 T first\n0000000000000000 T second\n";
	FILE *file = fmemopen(text, strlen(text), "r");
	struct kallsyms *kallsyms;
	char name[64];
	uint64_t begin;

	CHECK(kallsyms_read(file, &kallsyms) == 0);
	CHECK(kallsyms_find(kallsyms, 0xffffffff810001ff, name, sizeof(name), &begin) == 0);
	CHECK(!strcmp(name, "first") && begin == 0xffffffff81000000);
	CHECK(kallsyms_find(kallsyms, 0xffffffff81000200, name, sizeof(name), &begin) == 0);
	CHECK(!strcmp(name, "second [module]"));
	CHECK(kallsyms_find(kallsyms, 0xffffffff80ffffff, name, sizeof(name), &begin) == -ENOENT);
	CHECK(kallsyms_find(kallsyms, UINT64_MAX, name, sizeof(name), &begin) == -ENOENT);
	kallsyms_free(kallsyms);
	fclose(file);
	file = fmemopen(hidden, strlen(hidden), "r");
	CHECK(kallsyms_read(file, &kallsyms) == -EPERM);
	fclose(file);
}

/* Of `length` bytes `filler`, as the ELF file of the test would name its first function. */
static void check_name(size_t length, const char *filler, size_t wanted_length, bool cut)
{
	static char name[SYMBOL_NAME_BYTES * 2];
	size_t width = strlen(filler), mark = sizeof(SYMBOL_CUT_MARK) - 1;

	for (size_t i = 0; i + width <= length; i += width)
		memcpy(name + i, filler, width);
	name[length / width * width] = '\0';
	symbol_cut_name(name, SYMBOL_NAME_BYTES);
	CHECK(strlen(name) == wanted_length);
	CHECK(cut == !strcmp(name + strlen(name) - mark, SYMBOL_CUT_MARK));
	for (size_t i = 0; i + width <= strlen(name) - (cut ? mark : 0); i += width)
		if (memcmp(name + i, filler, width) != 0)
			CHECK(!"a character was cut in two");
}

static void test_cut_names(void)
{
	check_name(729, "_", 729, false);
	check_name(SYMBOL_NAME_BYTES, "a", SYMBOL_NAME_BYTES, false);
	check_name(SYMBOL_NAME_BYTES + 1, "a", SYMBOL_NAME_BYTES, true);
	check_name(SYMBOL_NAME_BYTES + 9, "\xc3\xa4", SYMBOL_NAME_BYTES - 1, true);
	check_name(SYMBOL_NAME_BYTES + 9, "\xf0\x9f\x94\xa5", SYMBOL_NAME_BYTES - 1, true);
	/* Bytes that are no UTF-8 at all. */
	check_name(SYMBOL_NAME_BYTES + 9, "\x80", SYMBOL_NAME_BYTES - 3, true);
}

static void count_mapping(void *context, uint64_t process, const struct mapping *mapping)
{
	*(int *)context += process == 2 && mapping->size != 0;
}

__attribute__((noinline)) void a_function_of_this_test(void);
void a_function_of_this_test(void)
{
	__asm__ volatile("");
}

static void test_symboliser(void)
{
	struct symboliser *symboliser = symboliser_new();
	uint64_t here = (uint64_t)(uintptr_t)a_function_of_this_test;
	struct symbol symbol;
	int mappings = 0;

	CHECK(symboliser_resolve(symboliser, 1, here, &symbol) == -ENOENT);
	CHECK(symboliser_read_process(symboliser, 1, getpid()) == 0);
	symboliser_hold_files(symboliser, 1, getpid());
	CHECK(symboliser_resolve(symboliser, 1, here, &symbol) == 0);
	CHECK(!strcmp(symbol.name, "a_function_of_this_test") && symbol.offset == 0);
	CHECK(symboliser_fork(symboliser, 1, 2) == 0);
	CHECK(symboliser_fork(symboliser, 77, 3) == -ENOENT);
	CHECK(symboliser_add_mapping(symboliser, 2, getpid(), 5, here & ~4095ull, 4096, 0, 0, 0,
				     "//anon") == 0);
	CHECK(symboliser_resolve(symboliser, 2, here, &symbol) == -ENOENT);
	CHECK(!strcmp(symbol.file, "[anon]") && symbol.name[0] == '\0');
	CHECK(symboliser_resolve(symboliser, 1, here, &symbol) == 0);
	symboliser_exec(symboliser, 1);
	CHECK(symboliser_resolve(symboliser, 1, here, &symbol) == 0);
	CHECK(symboliser_add_mapping(symboliser, 2, 1, 5, UINT64_MAX - 1, 4096, 0, 0, 0, "") ==
	      -EINVAL);
	symboliser_each_mapping(symboliser, count_mapping, &mappings);
	CHECK(mappings >= 2);
	symboliser_free(symboliser);
}

int main(void)
{
	test_maps_lines();
	test_process_mappings();
	test_elf();
	test_cut_elf();
	test_slow_elf();
	test_shrinking_elf();
	test_sparse_elf();
	test_kallsyms();
	test_cut_names();
	test_symboliser();
	printf("symbol: %d checks, %d failed\n", checks, failures);
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

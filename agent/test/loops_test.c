// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * No loop of the BPF programs is closed by an instruction that is no jump. Linux before 6.7 refuses such a
 * program ("back-edge", check_cfg() in kernel/bpf/verifier.c), and where clang puts a loop's end before
 * its head, it makes one. A kernel that takes everything does not tell.
 */
#undef NDEBUG
#include <assert.h>
#include <gelf.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../wire.h"
#include "stalltrace.skel.h"

enum seen { NEW, OPEN, DONE };

struct walk {
	const struct bpf_insn *code;
	size_t length;
	enum seen *seen;
	unsigned int *edges; /* of each instruction, how many were followed */
	size_t *stack;
};

static bool is_jump(const struct bpf_insn *insn)
{
	unsigned int class = BPF_CLASS(insn->code);

	return (class == BPF_JMP || class == BPF_JMP32) && BPF_OP(insn->code) != BPF_CALL;
}

/* Where the next edge of an instruction leads; false = it has no more. */
static bool next_edge(const struct walk *walk, size_t at, size_t *to)
{
	const struct bpf_insn *insn = &walk->code[at];
	unsigned int edge = walk->edges[at]++;

	*to = at + 1;
	if (!is_jump(insn))
		return edge == 0;
	if (BPF_OP(insn->code) == BPF_EXIT)
		return false;
	if (BPF_OP(insn->code) == BPF_JA || edge == 1)
		*to = (size_t)((long)at + 1 + insn->off);
	return edge < (BPF_OP(insn->code) == BPF_JA ? 1 : 2);
}

/* Depth first, as the kernel does. The instruction that closes a loop and may not; -1 = none. */
static long find_back_edge(struct walk *walk)
{
	size_t depth = 1, to;

	walk->stack[0] = 0;
	walk->seen[0] = OPEN;
	while (depth) {
		size_t at = walk->stack[depth - 1];

		if (!next_edge(walk, at, &to)) {
			walk->seen[at] = DONE;
			depth--;
			continue;
		}
		assert(to < walk->length);
		if (walk->seen[to] == OPEN && !is_jump(&walk->code[at]))
			return (long)at;
		if (walk->seen[to] == NEW) {
			walk->seen[to] = OPEN;
			walk->stack[depth++] = to;
		}
	}
	return -1;
}

static long back_edge(const void *code, size_t bytes)
{
	size_t length = bytes / sizeof(struct bpf_insn);
	struct walk walk = {
		.code = code,
		.length = length,
		.seen = calloc(length, sizeof(*walk.seen)),
		.edges = calloc(length, sizeof(*walk.edges)),
		.stack = calloc(length, sizeof(*walk.stack)),
	};
	long found;

	assert(walk.seen && walk.edges && walk.stack);
	found = find_back_edge(&walk);
	free(walk.seen);
	free(walk.edges);
	free(walk.stack);
	return found;
}

/* A loop that ends with a jump to its head, and one that falls into it. */
static void tells_loops_apart(void)
{
	const struct bpf_insn good[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K},
		{.code = BPF_ALU64 | BPF_ADD | BPF_K},
		{.code = BPF_JMP | BPF_JLT | BPF_K, .off = -2},
		{.code = BPF_JMP | BPF_EXIT},
	};
	const struct bpf_insn bad[] = {
		{.code = BPF_JMP | BPF_JA, .off = 1},
		{.code = BPF_ALU64 | BPF_ADD | BPF_K},
		{.code = BPF_JMP | BPF_JLT | BPF_K, .off = -2},
		{.code = BPF_JMP | BPF_EXIT},
	};

	assert(back_edge(good, sizeof(good)) == -1);
	assert(back_edge(bad, sizeof(bad)) == 1);
}

/* How many functions the section's part of the symbols names; each is checked. */
static unsigned int check_functions(Elf *elf, Elf_Scn *symbols, const GElf_Shdr *table)
{
	Elf_Data *data = elf_getdata(symbols, NULL);
	unsigned int functions = 0;

	for (size_t i = 0; i < table->sh_size / table->sh_entsize; i++) {
		GElf_Sym symbol;
		Elf_Data *code;
		long at;

		assert(gelf_getsym(data, (int)i, &symbol));
		if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_size)
			continue;
		code = elf_getdata(elf_getscn(elf, symbol.st_shndx), NULL);
		assert(code && symbol.st_value + symbol.st_size <= code->d_size);
		at = back_edge((const char *)code->d_buf + symbol.st_value, symbol.st_size);
		if (at >= 0)
			fprintf(stderr, "%s: instruction %ld falls into a loop\n",
				elf_strptr(elf, table->sh_link, symbol.st_name), at);
		assert(at < 0);
		functions++;
	}
	return functions;
}

static void no_loop_is_fallen_into(void)
{
	size_t size;
	const void *bytes = stalltrace_bpf__elf_bytes(&size);
	Elf_Scn *section = NULL;
	unsigned int functions = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)bytes, size);
	assert(elf);
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		assert(gelf_getshdr(section, &header));
		if (header.sh_type == SHT_SYMTAB)
			functions += check_functions(elf, section, &header);
	}
	elf_end(elf);
	assert(functions > 20);
}

int main(void)
{
	tells_loops_apart();
	no_loop_is_fallen_into();
	printf("loops: ok\n");
	return EXIT_SUCCESS;
}

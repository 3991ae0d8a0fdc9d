// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "instructions.h"
#include <string.h>

#if defined(__aarch64__)

/* arch/arm64/kernel/probes/decode-insn.c: what is simulated; push since 6.14. */
static bool is_emulated(const uint8_t *code, size_t length)
{
	uint32_t word;

	if (length < sizeof(word))
		return false;
	memcpy(&word, code, sizeof(word));
	return word == 0xd503201f ||                /* nop */
	       (word & 0x7c000000) == 0x14000000 || /* b, bl */
	       (word & 0x1f000000) == 0x10000000 || /* adr, adrp */
	       (word & 0x7e000000) == 0x34000000 || /* cbz, cbnz */
	       (word & 0xffc003e0) == 0xa98003e0;   /* stp …, [sp, #…]! */
}

/* A probe is a brk, which may stand where bti would; and past paciasp no return could be probed. */
unsigned int probe_displacement(const uint8_t *code, size_t length, bool *slow)
{
	*slow = !is_emulated(code, length);
	return 0;
}

#else

/* arch/x86/kernel/uprobes.c: push_setup_xol_ops, branch_setup_xol_ops; nop5 since 6.18. */
static bool is_emulated(const uint8_t *code, size_t length)
{
	static const uint8_t nop5[] = {0x0f, 0x1f, 0x44, 0x00, 0x00};

	if (length >= sizeof(nop5) && memcmp(code, nop5, sizeof(nop5)) == 0)
		return true;
	if (length >= 2 && code[0] == 0x41) /* push r8 to r15 */
		return code[1] >= 0x50 && code[1] <= 0x57;
	if (length >= 2 && code[0] == 0x0f) /* jcc near */
		return code[1] >= 0x80 && code[1] <= 0x8f;
	if (!length)
		return false;
	return (code[0] >= 0x50 && code[0] <= 0x57) ||                /* push */
	       (code[0] >= 0x70 && code[0] <= 0x7f) ||                /* jcc short */
	       code[0] == 0x90 ||                                     /* nop */
	       code[0] == 0xe8 || code[0] == 0xe9 || code[0] == 0xeb; /* call, jmp */
}

unsigned int probe_displacement(const uint8_t *code, size_t length, bool *slow)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	unsigned int skipped = 0;

	if (length >= sizeof(endbr64) && memcmp(code, endbr64, sizeof(endbr64)) == 0)
		skipped = sizeof(endbr64);
	*slow = !is_emulated(code + skipped, length - skipped);
	return skipped;
}

#endif

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The kernel's functions, from /proc/kallsyms. */
#ifndef STALLTRACE_KALLSYMS_H
#define STALLTRACE_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct kallsyms;

/* 0 or -errno; -EPERM where the kernel hides the addresses (kernel.kptr_restrict). */
int kallsyms_read(FILE *file, struct kallsyms **out);
void kallsyms_free(struct kallsyms *kallsyms);

/* Name, with the module in brackets as the kernel writes it, and begin. 0 or -ENOENT. */
int kallsyms_find(const struct kallsyms *kallsyms, uint64_t address, char *name, size_t size,
		  uint64_t *begin);

#endif /* STALLTRACE_KALLSYMS_H */

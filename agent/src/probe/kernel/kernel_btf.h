/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The kernel's description of its types: 5 MB and 150,000 types, so read once and searched once. */
#ifndef STALLTRACE_KERNEL_BTF_H
#define STALLTRACE_KERNEL_BTF_H

#include <bpf/btf.h>

/* Kept until libbpf takes it for a load of its own; NULL with errno where there is none. */
const struct btf *kernel_btf(void);

void kernel_btf_forget(void);

/*
 * A file with those types of the kernel whose names the programs' own types have, for libbpf to
 * place members by: it would else go through all types for each of them. Pointers in them lead to
 * nothing. Its descriptor, or -errno.
 */
int kernel_btf_for(const struct btf *programs);

#endif /* STALLTRACE_KERNEL_BTF_H */

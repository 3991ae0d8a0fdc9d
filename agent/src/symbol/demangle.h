/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef STALLTRACE_DEMANGLE_H
#define STALLTRACE_DEMANGLE_H

#include <stddef.h>

/*
 * The name as its author wrote it: C++ (Itanium ABI) and Rust's legacy scheme without its hash. All
 * else, and what is damaged, is copied as it is. Cut where it does not fit.
 */
void demangle(const char *name, char *out, size_t size);

#endif /* STALLTRACE_DEMANGLE_H */

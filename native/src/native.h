/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What every caller of this library asks first. */
#ifndef STALLTRACE_NATIVE_H
#define STALLTRACE_NATIVE_H

#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

/* Raised with every change of a function's arguments or meaning; src-main/native/library.ts has the same number. */
#define STALLTRACE_NATIVE_ABI 1

EXPORT uint32_t stalltrace_native_abi(void);
/* The version of the SQLite inside, as "3.54.1". */
EXPORT const char *stalltrace_native_sqlite(void);

#endif /* STALLTRACE_NATIVE_H */

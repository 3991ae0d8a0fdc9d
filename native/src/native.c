// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "native.h"
#include "sqlite3.h"

uint32_t stalltrace_native_abi(void)
{
	return STALLTRACE_NATIVE_ABI;
}

const char *stalltrace_native_sqlite(void)
{
	return sqlite3_libversion();
}

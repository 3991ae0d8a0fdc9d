// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <sys/mman.h>
#include "inside.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18 /* Linux 4.14 */
#endif

struct guard *inside_guard;

bool guard_set_up(void)
{
	long page;
	struct guard *guard;

	if (inside_guard)
		return is_ours();
	page = SYSTEM_CALL(SYS_mmap, 0, sizeof(struct guard), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1);
	guard = (struct guard *)page;
	if (page < 0 && page > -4096)
		return false;
	if (SYSTEM_CALL(SYS_madvise, page, sizeof(struct guard), MADV_WIPEONFORK) < 0)
		guard->pid = (int32_t)SYSTEM_CALL(SYS_getpid);
	guard->alive = 1;
	inside_guard = guard;
	return true;
}

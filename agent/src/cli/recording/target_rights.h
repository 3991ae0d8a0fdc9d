/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef STALLTRACE_TARGET_RIGHTS_H
#define STALLTRACE_TARGET_RIGHTS_H

#include <stddef.h>
#include "../../record/record.h"

/*
 * Whether this user may look into all processes that are named. 0; else -EPERM and one sentence about
 * the first that belongs to somebody else: of it only CPU times can be read, a capture of nothing.
 */
int target_rights(const struct record_options *options, char *message, size_t size);

#endif /* STALLTRACE_TARGET_RIGHTS_H */

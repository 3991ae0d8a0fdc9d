/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* One thread at a time. */
#ifndef STALLTRACE_INSIDE_PATCH_H
#define STALLTRACE_INSIDE_PATCH_H

#include <stdbool.h>

/* Leads the imports of all objects that are loaded to wrappers: how many places lead there now. */
unsigned int patch_loaded(void);
/* Whether objects were loaded since. */
bool patch_is_behind(void);
/* Leads them back. */
void patch_undo(void);

#endif /* STALLTRACE_INSIDE_PATCH_H */

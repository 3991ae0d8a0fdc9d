/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Users and their groups, whatever name service the host uses. */
#ifndef STALLTRACE_USER_DATABASE_H
#define STALLTRACE_USER_DATABASE_H

#include <stddef.h>
#include <sys/types.h>

/* The passwd line of a name or a decimal uid. 0, -ENOENT or another -errno. */
int user_database_line(const char *user, char *out, size_t size);
/* All groups of the user, `primary` first; at least that one. */
size_t user_database_groups(const char *name, gid_t primary, gid_t *out, size_t capacity);

#endif /* STALLTRACE_USER_DATABASE_H */

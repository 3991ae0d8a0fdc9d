/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The library inside, which the agent carries, as a file that CUDA can load. */
#ifndef STALLTRACE_INSIDE_FILE_H
#define STALLTRACE_INSIDE_FILE_H

#include <stddef.h>
#include <sys/types.h>

/* Its path: beside the agent. 0 or -errno. */
int inside_file_path(char *out, size_t size);
/*
 * 0 where the file is there, readable for who calls, and of this agent. Else it is put there, in a folder that is the
 * caller's own and nobody else's to write; -errno where that can't be.
 */
int inside_file_provide(const char *path);
/* The same for another user, who is to read it: root does it as the folder's owner, and looks as that user. */
int inside_file_provide_for(const char *path, uid_t reader, gid_t group);
/* Whether that would be 0; changes nothing. */
int inside_file_can_be_provided(const char *path);

#endif /* STALLTRACE_INSIDE_FILE_H */

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Who COMMAND runs as, and becoming that user for good. */
#ifndef STALLTRACE_IDENTITY_H
#define STALLTRACE_IDENTITY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define MOST_GROUPS 1024

struct identity {
	bool change; /* false: we are that user already, nothing below counts */
	uid_t uid;
	gid_t gid;
	gid_t groups[MOST_GROUPS];
	size_t group_count;
	char name[256];
	char home[PATH_MAX];
	char shell[PATH_MAX];
};

/*
 * user NULL: who called sudo, else ourselves. The databases are asked through getent, since a static
 * program can't load the host's name services, and /etc/passwd and /etc/group are read where there is
 * none. 0 or -errno with one sentence.
 */
int identity_find(const char *user, struct identity *out, char *message, size_t size);

/*
 * In the child: groups, gid, uid, proved irreversible; HOME, USER, LOGNAME and SHELL the user's, sudo's
 * own variables gone. 0 or -errno; after a failure the process may only exit.
 */
int identity_become(const struct identity *identity);

#endif /* STALLTRACE_IDENTITY_H */

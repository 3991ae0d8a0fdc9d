// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "identity.h"

#include <errno.h>
#include <grp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "../arguments.h"
#include "../recording/user_database.h"

static int copy_field(char *out, size_t size, const char *field)
{
	return snprintf(out, size, "%s", field) < (int)size ? 0 : -ENAMETOOLONG;
}

/* name:password:uid:gid:comment:home:shell */
static int parse_passwd(char *line, struct identity *out)
{
	char *fields[7] = {0}, *rest = line;
	uint64_t uid, gid;

	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; i < 7; i++) {
		fields[i] = strsep(&rest, ":");
		if (!fields[i])
			return -EINVAL;
	}
	if (parse_whole(fields[2], 0, UINT32_MAX - 1, &uid) ||
	    parse_whole(fields[3], 0, UINT32_MAX - 1, &gid))
		return -EINVAL;
	out->uid = (uid_t)uid;
	out->gid = (gid_t)gid;
	if (copy_field(out->name, sizeof(out->name), fields[0]) ||
	    copy_field(out->home, sizeof(out->home), fields[5]))
		return -ENAMETOOLONG;
	return copy_field(out->shell, sizeof(out->shell), *fields[6] ? fields[6] : "/bin/sh");
}

static int find_user(const char *user, struct identity *out, char *message, size_t size)
{
	char line[8192];
	int err = user_database_line(user, line, sizeof(line));

	if (!err)
		err = parse_passwd(line, out);
	if (err) {
		snprintf(message, size,
			 "The user \"%.60s\" is in no user database; name another with --user.",
			 user);
		return err;
	}
	out->group_count = user_database_groups(out->name, out->gid, out->groups, MOST_GROUPS);
	out->change = out->uid != getuid() || out->uid != geteuid();
	return 0;
}

int identity_find(const char *user, struct identity *out, char *message, size_t size)
{
	const char *sudo_uid = getenv("SUDO_UID"), *sudo_gid = getenv("SUDO_GID");
	uint64_t uid, gid;
	int err;

	memset(out, 0, sizeof(*out));
	out->uid = geteuid();
	out->gid = getegid();
	if (user && geteuid()) {
		snprintf(message, size,
			 "Only root can run COMMAND as another user: leave --user out.");
		return -EPERM;
	}
	if (user)
		return find_user(user, out, message, size);
	if (geteuid() || !sudo_uid)
		return 0;
	if (parse_whole(sudo_uid, 0, UINT32_MAX - 1, &uid) || !sudo_gid ||
	    parse_whole(sudo_gid, 0, UINT32_MAX - 1, &gid)) {
		snprintf(
			message, size,
			"SUDO_UID and SUDO_GID are not as sudo sets them: name the user with --user.");
		return -EINVAL;
	}
	if (!uid)
		return 0;
	err = find_user(sudo_uid, out, message, size);
	if (!err && out->uid != (uid_t)uid)
		err = -EINVAL;
	if (!err)
		out->gid = (gid_t)gid;
	return err;
}

static int restore_environment(const struct identity *identity)
{
	static const char *const sudo[] = {"SUDO_UID",     "SUDO_GID",     "SUDO_USER",
					   "SUDO_COMMAND", "SUDO_HOME",    "SUDO_TTY",
					   "SUDO_PROMPT",  "SUDO_ASKPASS", "SUDO_PS1"};

	for (size_t i = 0; i < sizeof(sudo) / sizeof(sudo[0]); i++)
		unsetenv(sudo[i]);
	unsetenv("MAIL");
	if (setenv("HOME", identity->home, 1) || setenv("USER", identity->name, 1) ||
	    setenv("LOGNAME", identity->name, 1) || setenv("SHELL", identity->shell, 1))
		return -errno;
	return 0;
}

/* POSIX lets a setuid of root's succeed half (Linux: EAGAIN at RLIMIT_NPROC); so every id is read again. */
static int prove_dropped(const struct identity *identity)
{
	uid_t real, effective, saved;
	gid_t real_group, effective_group, saved_group;

	if (getresuid(&real, &effective, &saved) ||
	    getresgid(&real_group, &effective_group, &saved_group))
		return -errno;
	if (real != identity->uid || effective != identity->uid || saved != identity->uid ||
	    real_group != identity->gid || effective_group != identity->gid ||
	    saved_group != identity->gid)
		return -EPERM;
	if (identity->uid && (!setuid(0) || !seteuid(0) || !setresuid(0, 0, 0)))
		return -EPERM;
	return 0;
}

int identity_become(const struct identity *identity)
{
	int err;

	if (!identity->change)
		return 0;
	/* Capabilities go with the user id, unless someone asked for them to stay. */
	if (prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) ||
	    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))
		return -errno;
	if (setgroups(identity->group_count, identity->groups) ||
	    setresgid(identity->gid, identity->gid, identity->gid) ||
	    setresuid(identity->uid, identity->uid, identity->uid))
		return -errno;
	err = prove_dropped(identity);
	return err ? err : restore_environment(identity);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "inside_line.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "inside_file.h"

/* As a Python string has it; false where there is no room. */
static bool quote(const char *text, char *out, size_t size)
{
	size_t at = 0;

	for (; *text; text++) {
		unsigned char letter = (unsigned char)*text;

		if (at + 5 > size)
			return false;
		if (letter < 0x20 || letter == 0x7f)
			at += (size_t)sprintf(out + at, "\\x%02x", letter);
		else if (letter == '"' || letter == '\\')
			at += (size_t)sprintf(out + at, "\\%c", letter);
		else
			out[at++] = *text;
	}
	out[at] = '\0';
	return true;
}

int inside_line(const char *library, unsigned int flags, char *out, size_t size)
{
	char path[INSIDE_LINE_BYTES];
	int length;

	if (!quote(library, path, sizeof(path)))
		return -ENAMETOOLONG;
	length = snprintf(
		out, size,
		"import ctypes; stalltrace = ctypes.CDLL(\"%s\").stalltrace_begin; stalltrace.restype = ctypes.c_char_p; %s",
		path,
		flags & INSIDE_LINE_QUIET ? "stalltrace()\n" : "print(stalltrace().decode())");
	return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

/* Where that can't be told it may be. */
static bool is_same(const char *one, const char *other)
{
	struct stat a, b;

	return stat(one, &a) || stat(other, &b) || (a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

int inside_line_works(const char *library, pid_t pid, char *why, size_t size)
{
	char path[64 + PATH_MAX];
	struct stat process;
	int err;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (stat(path, &process)) {
		snprintf(why, size, "There is no process %d.", pid);
		return -ESRCH;
	}
	err = inside_file_provide_for(library, process.st_uid, process.st_gid);
	if (err) {
		snprintf(
			why, size,
			"The library that CUDA calls go to can't be put beside the agent, or process %d's user can't read it there (%s): put the agent into a folder that is that user's.",
			pid, strerror(-err));
		return err;
	}
	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	if (is_same(path, "/proc/self/ns/net")) {
		snprintf(path, sizeof(path), "/proc/%d/root%s", pid, library);
		if (is_same(path, library))
			return 0;
	}
	snprintf(
		why, size,
		"Process %d lives in a container: start the agent in there to have it recorded from inside.",
		pid);
	return -EXDEV;
}

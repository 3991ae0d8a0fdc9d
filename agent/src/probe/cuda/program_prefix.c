// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "program_prefix.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* "/a/b/c" → "/a"; false where there are no two parts to take off. */
static bool take_two_parts(char *path)
{
	for (int part = 0; part < 2; part++) {
		char *slash = strrchr(path, '/');

		if (!slash)
			return false;
		*slash = '\0';
	}
	if (!path[0])
		snprintf(path, 2, "/");
	return true;
}

static int prefix_of_file(const char *file, char *out, size_t size)
{
	char folder[PATH_MAX];
	int length;

	if (file[0] == '/')
		length = snprintf(out, size, "%s", file);
	else if (getcwd(folder, sizeof(folder)))
		length = snprintf(out, size, "%s/%s", folder, file);
	else
		return -ENOENT;
	if (length < 0 || (size_t)length >= size || !take_two_parts(out))
		return -ENOENT;
	return 0;
}

int program_prefix(const char *command, const char *path_variable, char *out, size_t size)
{
	char file[PATH_MAX];

	if (strchr(command, '/'))
		return prefix_of_file(command, out, size);
	while (path_variable && *path_variable) {
		size_t length = strcspn(path_variable, ":");

		snprintf(file, sizeof(file), "%.*s/%s", (int)length, path_variable, command);
		if (length && access(file, X_OK) == 0)
			return prefix_of_file(file, out, size);
		path_variable += length + (path_variable[length] == ':');
	}
	return -ENOENT;
}

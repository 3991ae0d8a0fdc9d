// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "cgroup.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../file_text.h"
#include "../proc.h"

#define MOUNTINFO_BYTES (256 * 1024)

/* Whether a comma-separated list holds the word. */
static bool list_has(const char *list, size_t length, const char *word)
{
	size_t word_length = strlen(word);
	const char *end = list + length;

	while (list < end) {
		const char *comma = memchr(list, ',', (size_t)(end - list));
		const char *stop = comma ? comma : end;

		if ((size_t)(stop - list) == word_length && !memcmp(list, word, word_length))
			return true;
		list = stop + 1;
	}
	return false;
}

/* The path of the line for the controller ("" = version 2), copied; -ENOENT where there is none. */
static int path_of_controller(const char *text, const char *controller, char *out, size_t size)
{
	const char *line = text;

	while (line && *line) {
		const char *newline = strchrnul(line, '\n');
		const char *list = memchr(line, ':', (size_t)(newline - line));
		const char *path = list ? memchr(list + 1, ':', (size_t)(newline - list - 1)) :
					  NULL;

		if (path) {
			size_t list_length = (size_t)(path - list - 1);
			bool is_it = *controller ? list_has(list + 1, list_length, controller) :
						   list_length == 0;

			if (is_it && (size_t)(newline - path) <= size) {
				snprintf(out, size, "%.*s", (int)(newline - path - 1), path + 1);
				return 0;
			}
		}
		line = *newline ? newline + 1 : NULL;
	}
	return -ENOENT;
}

int cgroup_of_process(pid_t pid, char *out, size_t size)
{
	static const char *const controllers[] = {"cpu", "", "memory"};
	char text[8192];
	size_t i;
	long length = proc_read(pid, 0, "cgroup", text, sizeof(text));

	if (length < 0)
		return (int)length;
	for (i = 0; i < sizeof(controllers) / sizeof(*controllers); i++) {
		if (!path_of_controller(text, controllers[i], out, size) && strcmp(out, "/"))
			return 0;
	}
	snprintf(out, size, "/");
	return 0;
}

struct cgroup_mount {
	char root[1024], point[256];
};

/* "36 35 98:0 ROOT POINT options - cgroup cgroup rw,cpu": see proc_pid_mountinfo(5). */
static bool parse_mount(char *line, const char *controller, struct cgroup_mount *out)
{
	char *separator = strstr(line, " - ");
	char type[32], super[512];

	if (!separator || sscanf(separator, " - %31s %*s %511s", type, super) != 2)
		return false;
	if (strcmp(type, *controller ? "cgroup" : "cgroup2"))
		return false;
	if (*controller && !list_has(super, strlen(super), controller))
		return false;
	return sscanf(line, "%*d %*d %*s %1023s %255s", out->root, out->point) == 2;
}

/* Where the hierarchy of the controller ("" = version 2) is mounted. */
static int read_mount(const char *controller, struct cgroup_mount *out)
{
	char *text = malloc(MOUNTINFO_BYTES), *line, *rest;
	int err = -ENOENT;
	long length;

	if (!text)
		return -ENOMEM;
	length = file_text_read("/proc/self/mountinfo", text, MOUNTINFO_BYTES);
	rest = length > 0 ? text : NULL;
	while (err && (line = strsep(&rest, "\n")))
		err = parse_mount(line, controller, out) ? 0 : -ENOENT;
	free(text);
	return length < 0 ? (int)length : err;
}

/* Found once: these stay where they are, and the list of all mounts may be long. */
static int find_mount(const char *controller, struct cgroup_mount *out)
{
	static struct {
		char controller[16];
		struct cgroup_mount mount;
	} known[4];
	static unsigned int count;
	int err;

	for (unsigned int i = 0; i < count; i++) {
		if (!strcmp(known[i].controller, controller)) {
			*out = known[i].mount;
			return 0;
		}
	}
	err = read_mount(controller, out);
	if (!err && count < sizeof(known) / sizeof(known[0])) {
		snprintf(known[count].controller, sizeof(known[count].controller), "%s",
			 controller);
		known[count++].mount = *out;
	}
	return err;
}

int cgroup_folder_of_process(pid_t pid, const char *controller, struct cgroup_folder *out)
{
	char text[8192], path[1024];
	struct cgroup_mount mount;
	const char *below = path;
	size_t root_length;
	int err;
	long length = proc_read(pid, 0, "cgroup", text, sizeof(text));

	if (length < 0)
		return (int)length;
	out->version = path_of_controller(text, controller, path, sizeof(path)) ? 2 : 1;
	if (out->version == 2 && path_of_controller(text, "", path, sizeof(path)))
		return -ENOENT;
	err = find_mount(out->version == 2 ? "" : controller, &mount);
	if (err)
		return err;
	if (!strncmp(path, "/..", 3)) /* outside our cgroup namespace */
		return -ENOENT;
	/* A bind mount shows only what is below its root. */
	root_length = strcmp(mount.root, "/") ? strlen(mount.root) : 0;
	if (root_length) {
		if (!strncmp(path, mount.root, root_length) &&
		    (path[root_length] == '/' || path[root_length] == '\0'))
			below = path + root_length;
		else if (strcmp(path, "/"))
			return -ENOENT;
	}
	if (!strcmp(below, "/"))
		below = "";
	out->mount_length = strlen(mount.point);
	snprintf(out->directory, sizeof(out->directory), "%s%s", mount.point, below);
	return 0;
}

long cgroup_read_file(const struct cgroup_folder *folder, const char *name, char *out, size_t size)
{
	char path[1400];

	snprintf(path, sizeof(path), "%s/%s", folder->directory, name);
	return file_text_read(path, out, size);
}

bool cgroup_to_parent(struct cgroup_folder *folder)
{
	char *slash = strrchr(folder->directory, '/');

	if (strlen(folder->directory) <= folder->mount_length || !slash ||
	    slash < folder->directory + folder->mount_length)
		return false;
	*slash = '\0';
	return true;
}

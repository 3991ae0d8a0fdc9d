// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Looks where the library inside would (inside/find_cupti.c), as far as that can be known from outside. */
#include <stdio.h>
#include <string.h>
#include "../../../inside/job_cupti.h"
#include "../../host/proc.h"
#include "../../symbol/maps_parser.h"
#include "libraries.h"
#include "library_places.h"

struct search {
	char *out;
	size_t size;
	char runtime[sizeof(((struct maps_line *)0)->path)]; /* of the process that is looked at */
};

bool is_cupti_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return strncmp(name, "libcupti.so", 11) == 0 && (name[11] == '\0' || name[11] == '.');
}

static int note_mapping(void *context, const struct maps_line *line)
{
	struct search *search = context;

	if (!line->executable || line->path[0] != '/')
		return 0;
	if (is_cupti_name(line->path)) {
		snprintf(search->out, search->size, "%s", line->path);
		return 1;
	}
	if (cuda_major(line->path))
		snprintf(search->runtime, sizeof(search->runtime), "%s", line->path);
	return 0;
}

static void keep_first(void *context, const struct cuda_library *library)
{
	struct search *search = context;

	if (!search->out[0])
		snprintf(search->out, search->size, "%s", library->path);
}

static void look_at_process(void *context, pid_t pid)
{
	struct search *search = context;

	if (search->out[0])
		return;
	search->runtime[0] = '\0';
	maps_read(pid, note_mapping, search);
	if (!search->out[0] && search->runtime[0])
		cupti_places_beside(pid, search->runtime, keep_first, search);
}

bool find_any_cupti(char *out, size_t size)
{
	struct search search = {.out = out, .size = size};

	out[0] = '\0';
	proc_each_process(look_at_process, &search);
	if (!out[0])
		cupti_places(keep_first, &search);
	return out[0] != '\0';
}

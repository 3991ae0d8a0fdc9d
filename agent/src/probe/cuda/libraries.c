// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "libraries.h"
#include "library_places.h"
#include "program_prefix.h"
#include "static_runtime.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../../host/proc.h"
#include "../../symbol/maps_parser.h"

#define MAX_LIBRARIES 4096
#define MAX_ROOTS 256

struct file_identity {
	uint64_t device, inode;
};

struct search {
	library_visitor visit;
	void *context;
	pid_t pid;
	struct file_identity seen[MAX_LIBRARIES]; /* as stat tells it */
	size_t seen_count;
	struct file_identity roots[MAX_ROOTS];
	size_t root_count;
	int found;
	struct file_identity latest; /* whose mapping was considered, as the list names it */
	char latest_path[sizeof(((struct maps_line *)0)->path)];
	struct cuda_library library; /* being filled */
};

bool is_cuda_library_name(const char *path, bool *driver)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *end;

	*driver = strncmp(name, "libcuda.so", 10) == 0;
	if (*driver)
		return name[10] == '\0' || name[10] == '.';
	if (strncmp(name, "libcudart", 9) != 0)
		return false;
	/* Wheels put a hash before it: libcudart-d0da41ae.so.11.0. */
	end = strstr(name + 9, ".so");
	return end && (name[9] == '.' || name[9] == '-') && (end[3] == '\0' || end[3] == '.');
}

static bool first_sight(struct file_identity *seen, size_t *count, size_t max,
			const struct stat *status)
{
	for (size_t i = 0; i < *count; i++)
		if (seen[i].device == status->st_dev && seen[i].inode == status->st_ino)
			return false;
	if (*count == max)
		return false;
	seen[(*count)++] = (struct file_identity){status->st_dev, status->st_ino};
	return true;
}

static void tell(struct search *search, const struct cuda_library *library)
{
	struct stat status;

	if (stat(library->open_path, &status) != 0 ||
	    !first_sight(search->seen, &search->seen_count, MAX_LIBRARIES, &status))
		return;
	search->found++;
	search->visit(search->context, library);
}

/*
 * The path by which we reach the very file that is mapped: ours where it is the same, else through
 * the process's root; through the mapping where it has been deleted or replaced.
 */
static bool choose_open_path(const struct search *search, const struct maps_line *line,
			     struct cuda_library *library)
{
	struct stat mapped, found;
	char through[96];

	snprintf(through, sizeof(through), "/proc/%d/map_files/%lx-%lx", search->pid,
		 (unsigned long)line->start, (unsigned long)line->end);
	if (stat(through, &mapped) != 0) {
		mapped.st_dev = line->device;
		mapped.st_ino = line->inode;
	} else if (!S_ISREG(mapped.st_mode)) {
		return false;
	}
	snprintf(library->open_path, sizeof(library->open_path), "%s", line->path);
	if (stat(library->open_path, &found) == 0 && found.st_dev == mapped.st_dev &&
	    found.st_ino == mapped.st_ino)
		return true;
	snprintf(library->open_path, sizeof(library->open_path), "/proc/%d/root%s", search->pid,
		 line->path);
	if (stat(library->open_path, &found) == 0 && found.st_dev == mapped.st_dev &&
	    found.st_ino == mapped.st_ino)
		return true;
	snprintf(library->open_path, sizeof(library->open_path), "%s", through);
	return access(library->open_path, R_OK) == 0;
}

static int consider_mapping(void *context, const struct maps_line *line)
{
	struct search *search = context;
	struct cuda_library *library = &search->library;
	bool named;

	if (!line->executable || line->inode == 0 || line->path[0] != '/')
		return 0;
	/* Parts of one file lie side by side. */
	if (line->device == search->latest.device && line->inode == search->latest.inode &&
	    strcmp(line->path, search->latest_path) == 0)
		return 0;
	search->latest = (struct file_identity){line->device, line->inode};
	snprintf(search->latest_path, sizeof(search->latest_path), "%s", line->path);
	*library = (struct cuda_library){.mapped_by = search->pid};
	named = is_cuda_library_name(line->path, &library->driver);
	if (!named) {
		library->statically_linked = carries_cuda_runtime(
			search->pid, line->start, line->end, line->device, line->inode, line->path);
		if (!library->statically_linked)
			return 0;
	}
	snprintf(library->path, sizeof(library->path), "%s", line->path);
	library->device = line->device;
	library->inode = line->inode;
	if (choose_open_path(search, line, library))
		tell(search, library);
	return 0;
}

int libraries_of_process(pid_t pid, library_visitor visit, void *context)
{
	struct search *search = calloc(1, sizeof(*search));
	int result;

	if (!search)
		return -ENOMEM;
	search->visit = visit;
	search->context = context;
	search->pid = pid;
	result = maps_read(pid, consider_mapping, search);
	if (result >= 0)
		result = search->found;
	free(search);
	return result;
}

static void tell_found(void *context, const struct cuda_library *library)
{
	tell(context, library);
}

static void consider_process(void *context, pid_t pid)
{
	struct search *search = context;

	search->pid = pid;
	search->latest = (struct file_identity){};
	maps_read(pid, consider_mapping, search);
}

/* Containers have their own; after all mappings, so that a mapped library is told as such. */
static void consider_root(void *context, pid_t pid)
{
	struct search *search = context;
	struct stat status;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/root", pid);
	if (stat(path, &status) == 0 &&
	    first_sight(search->roots, &search->root_count, MAX_ROOTS, &status))
		library_places(pid, tell_found, search);
}

int libraries_everywhere(library_visitor visit, void *context)
{
	struct search *search = calloc(1, sizeof(*search));
	struct stat own_root;
	int result;

	if (!search)
		return -ENOMEM;
	search->visit = visit;
	search->context = context;
	result = proc_each_process(consider_process, search);
	if (stat("/", &own_root) == 0 &&
	    first_sight(search->roots, &search->root_count, MAX_ROOTS, &own_root))
		library_places(0, tell_found, search);
	if (!result)
		result = proc_each_process(consider_root, search);
	if (!result)
		result = search->found;
	free(search);
	return result;
}

int libraries_beside(const char *command, library_visitor visit, void *context)
{
	char prefix[PATH_MAX];
	int err = program_prefix(command, getenv("PATH"), prefix, sizeof(prefix));

	return err ? err : library_places_below(prefix, visit, context);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "uprobes.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../host/proc.h"
#include "../symbol/elf/elf_file.h"
#include "../symbol/maps_parser.h"
#include "../symbol/open_mapped.h"
#include "instructions.h"
#include "kernel/return_probes.h"
#include "kernel/uprobe_links.h"

/* One library file and what is probed in it. */
struct probed_file {
	struct probed_file *next;
	dev_t device;
	ino_t inode;
	int fd; /* it, to be probed again */
	bool entry_only;
	struct probed {
		struct probe_points points;
		struct uprobe_links links;
	} launches, others;
};

struct uprobes {
	struct programs *programs;
	const char *pretend_missing;
	struct probed_file *files;
};

struct uprobes *uprobes_new(struct programs *programs, const char *pretend_missing)
{
	struct uprobes *uprobes = calloc(1, sizeof(*uprobes));

	if (!uprobes)
		return NULL;
	uprobes->programs = programs;
	uprobes->pretend_missing = pretend_missing;
	return uprobes;
}

static void close_links(struct probed_file *file)
{
	uprobe_links_close(&file->launches.links);
	uprobe_links_close(&file->others.links);
}

static void free_file(struct probed_file *file)
{
	if (!file)
		return;
	close_links(file);
	close(file->fd);
	free(file);
}

void uprobes_free(struct uprobes *uprobes)
{
	if (!uprobes)
		return;
	while (uprobes->files) {
		struct probed_file *file = uprobes->files;

		uprobes->files = file->next;
		if (programs_uprobe_kind(uprobes->programs) == UPROBE_PERF) {
			uprobe_links_end_apart(&file->launches.links);
			uprobe_links_end_apart(&file->others.links);
		}
		free_file(file);
	}
	free(uprobes);
}

static void add_point(struct probe_points *points, uint64_t offset, uint64_t function)
{
	/* Two names of one function: the table's first, which is the plainest. */
	for (unsigned int i = 0; i < points->count; i++) {
		if (points->offsets[i] == offset)
			return;
	}
	points->offsets[points->count] = offset;
	points->functions[points->count] = function;
	points->count++;
}

static void find_points(struct elf_file *elf, bool driver, struct probe_points *launches,
			struct probe_points *others, unsigned int *slow)
{
	for (unsigned int i = 0; i < cuda_function_count; i++) {
		const struct cuda_function *function = &cuda_functions[i];
		uint8_t code[INSTRUCTION_BYTES];
		struct probe_points *points = function->spec.flags & FUNCTION_LAUNCH ? launches :
										       others;
		unsigned int before = points->count;
		uint64_t offset;
		bool is_slow;
		long length;

		if (!(function->spec.flags & FUNCTION_RUNTIME) != driver)
			continue;
		offset = elf_file_symbol_offset(elf, function->symbol);
		if (!offset)
			continue;
		length = elf_file_read(elf, offset, code, sizeof(code));
		if (length <= 0)
			continue;
		offset += probe_displacement(code, (size_t)length, &is_slow);
		add_point(points, offset, i);
		if (points->count > before && is_slow)
			++*slow;
	}
}

struct mapper_search {
	const struct uprobes *uprobes;
	ino_t inode;
	pid_t pid;
	bool filtered;
};

/* By inode alone: overlays show other devices here than stat, and a mistake errs to the safe side. */
static int is_mapping_of(void *context, const struct maps_line *line)
{
	const struct mapper_search *search = context;

	return line->executable && line->inode == search->inode;
}

static void look_at_mapper(void *context, pid_t pid)
{
	struct mapper_search *search = context;

	if (!search->filtered && return_probes_would_kill(pid, search->uprobes->pretend_missing))
		search->filtered = maps_read(pid, is_mapping_of, search) == 1;
}

/* Whether a process that maps the file must not be given return probes. */
static bool has_filtered_mapper(const struct uprobes *uprobes, ino_t inode, pid_t mapped_by)
{
	struct mapper_search search = {.uprobes = uprobes, .inode = inode};

	if (mapped_by && return_probes_would_kill(mapped_by, uprobes->pretend_missing))
		return true;
	if (!return_probes_may_kill(uprobes->pretend_missing))
		return false;
	proc_each_process(look_at_mapper, &search);
	return search.filtered;
}

/* As the kernel can. */
static int attach_kind(struct uprobes *uprobes, bool entry_only, struct probed *probed,
		       const char *path, unsigned int *refused)
{
	struct programs *programs = uprobes->programs;
	struct uprobe_links *links = &probed->links;
	const struct probe_points *points = &probed->points;
	int entry = programs_uprobe_entry_fd(programs), leave = programs_uprobe_return_fd(programs);
	int only = programs_uprobe_entry_only_fd(programs);
	int err;

	/* Returns first: of a call whose entry was not seen the return is ignored. */
	if (programs_uprobe_kind(programs) == UPROBE_PERF) {
		if (entry_only)
			return uprobe_links_perf(links, only, false, path, points, refused);
		err = uprobe_links_perf(links, leave, true, path, points, refused);
		return err < 0 ? err :
				 uprobe_links_perf(links, entry, false, path, points, refused);
	}
	if (entry_only)
		return uprobe_links_multi(links, only, ATTACH_UPROBE_MULTI, false, path, points,
					  refused);
	if (programs_uprobe_kind(programs) == UPROBE_SESSION)
		return uprobe_links_multi(links, programs_uprobe_session_fd(programs),
					  ATTACH_UPROBE_SESSION, false, path, points, refused);
	err = uprobe_links_multi(links, leave, ATTACH_UPROBE_MULTI, true, path, points, refused);
	return err < 0 ? err :
			 uprobe_links_multi(links, entry, ATTACH_UPROBE_MULTI, false, path, points,
					    refused);
}

/* The very file whose symbols were read, whatever its name leads to by now. */
static int attach_probed(struct uprobes *uprobes, const struct probed_file *file,
			 struct probed *probed, unsigned int *refused)
{
	unsigned int not_had = 0;
	char path[32];
	int err;

	if (!probed->points.count)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
	err = attach_kind(uprobes, file->entry_only, probed, path, &not_had);
	*refused += not_had;
	return err;
}

static void describe(struct attach_result *result, const struct probed_file *file,
		     unsigned int refused)
{
	size_t length = (size_t)snprintf(result->detail, sizeof(result->detail),
					 "%u functions probed", result->attached);

	if (result->entry_only)
		length += (size_t)snprintf(
			result->detail + length, sizeof(result->detail) - length,
			", their entries only: a process that uses the library filters its system "
			"calls, and this kernel's return probes (Linux 6.11 to 6.13) would end it");
	if (result->slow)
		length +=
			(size_t)snprintf(result->detail + length, sizeof(result->detail) - length,
					 "; %u of them cost about 10 µs a call, as they begin with "
					 "an instruction that the kernel must single-step",
					 result->slow);
	if (refused)
		snprintf(result->detail + length, sizeof(result->detail) - length,
			 "; %u could not be", refused);
}

static int attach_points(struct uprobes *uprobes, struct probed_file *file,
			 struct attach_result *result)
{
	unsigned int refused = 0;
	int err = attach_probed(uprobes, file, &file->others, &refused);

	if (err >= 0)
		err = attach_probed(uprobes, file, &file->launches, &refused);
	if (err < 0) {
		close_links(file);
		snprintf(result->detail, sizeof(result->detail), "the kernel refused: %s",
			 strerror(-err));
		return err;
	}
	result->attached = file->others.points.count + file->launches.points.count - refused;
	result->entry_only = file->entry_only;
	describe(result, file, refused);
	return 0;
}

static struct probed_file *find_file(struct uprobes *uprobes, const struct stat *info)
{
	struct probed_file *file = uprobes->files;

	while (file && (file->device != info->st_dev || file->inode != info->st_ino))
		file = file->next;
	return file;
}

/* A filtered process came to a library that has return probes: they go, before it calls anything. */
static int attach_again(struct uprobes *uprobes, struct probed_file *file, pid_t mapped_by,
			struct attach_result *result)
{
	if (file->entry_only || !mapped_by ||
	    !return_probes_would_kill(mapped_by, uprobes->pretend_missing))
		return 0;
	close_links(file);
	file->entry_only = true;
	return attach_points(uprobes, file, result);
}

static int attach_new(struct uprobes *uprobes, const struct cuda_library *library, int fd,
		      const struct stat *info, struct attach_result *result)
{
	struct probed_file *file = calloc(1, sizeof(*file));
	struct elf_file *elf = NULL;
	int err;

	if (!file)
		return -ENOMEM;
	file->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	err = file->fd < 0 ? -errno : elf_file_open(fd, &elf);
	if (err < 0) {
		snprintf(result->detail, sizeof(result->detail), "it is not a whole ELF file");
		goto cleanup;
	}
	file->device = info->st_dev;
	file->inode = info->st_ino;
	find_points(elf, library->driver, &file->launches.points, &file->others.points,
		    &result->slow);
	if (!file->launches.points.count && !file->others.points.count) {
		err = -ENOENT;
		snprintf(result->detail, sizeof(result->detail),
			 "it exports none of the CUDA functions that are recorded");
		goto cleanup;
	}
	file->entry_only = has_filtered_mapper(uprobes, info->st_ino, library->mapped_by);
	err = attach_points(uprobes, file, result);
	if (err < 0)
		goto cleanup;
	file->next = uprobes->files;
	uprobes->files = file;
	file = NULL;
cleanup:
	elf_file_close(elf);
	free_file(file);
	return err;
}

bool uprobes_can_leave_launches(const struct uprobes *uprobes)
{
	return programs_uprobe_kind(uprobes->programs) != UPROBE_PERF;
}

int uprobes_leave_launches(struct uprobes *uprobes, bool left)
{
	int result = 0;

	/* One library's probes go, or come, after another's: what all of them tell ends, and begins, at once. */
	if (left)
		programs_leave_launches(uprobes->programs, true);
	for (struct probed_file *file = uprobes->files; file; file = file->next) {
		unsigned int refused = 0;
		int err = 0;

		if (left)
			uprobe_links_close(&file->launches.links);
		else if (!file->launches.links.count)
			err = attach_probed(uprobes, file, &file->launches, &refused);
		result = err < 0 ? err : result;
	}
	if (!left)
		programs_leave_launches(uprobes->programs, false);
	return result;
}

int uprobes_attach(struct uprobes *uprobes, const struct cuda_library *library,
		   struct attach_result *result)
{
	/* What was a library when it was found may have been replaced since. */
	int fd = open_regular(library->open_path);
	struct probed_file *known;
	struct stat info;
	int err;

	*result = (struct attach_result){0};
	err = fd < 0 ? fd : fstat(fd, &info) < 0 ? -errno : 0;
	if (err == -EINVAL) {
		snprintf(result->detail, sizeof(result->detail), "it is not a regular file");
		goto cleanup;
	}
	if (err < 0) {
		snprintf(result->detail, sizeof(result->detail), "it can't be opened: %s",
			 strerror(-err));
		goto cleanup;
	}
	known = find_file(uprobes, &info);
	if (known)
		err = attach_again(uprobes, known, library->mapped_by, result);
	else
		err = attach_new(uprobes, library, fd, &info, result);
cleanup:
	if (fd >= 0)
		close(fd);
	return err;
}

int uprobes_costs(const struct cuda_library *library, struct probe_costs *out)
{
	struct probe_points *points = calloc(2, sizeof(*points));
	int fd = open_regular(library->open_path);
	struct elf_file *elf = NULL;
	int err = !points ? -ENOMEM : fd < 0 ? fd : elf_file_open(fd, &elf);

	*out = (struct probe_costs){0};
	if (err < 0)
		goto cleanup;
	find_points(elf, library->driver, &points[0], &points[1], &out->slow);
	out->functions = points[0].count + points[1].count;
	err = 0;
cleanup:
	elf_file_close(elf);
	if (fd >= 0)
		close(fd);
	free(points);
	return err;
}

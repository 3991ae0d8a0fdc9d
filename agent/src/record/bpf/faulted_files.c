// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "faulted_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include "../../host/proc.h"
#include "../../symbol/maps_parser.h"
#include "look_ups.h"

/* A power of two; a clash forgets the older one. */
#define FILES 1024
/* Files are renamed. */
#define RENEW_NS (10 * NS_PER_SECOND)
/* How long a name that can't be looked up again holds where inode numbers are used again. */
#define HOLD_NS (20 * NS_PER_SECOND)
/* What was not found may have been mapped by a process that has ended: the next one is asked. */
#define RETRY_NS NS_PER_SECOND
/* The mappings of a Python process take a millisecond to read. */
#define LOOK_UPS_A_SECOND 20

struct faulted_file {
	union file_identity file;
	uint64_t looked_ns; /* 0 = free */
	uint64_t proved_ns; /* when its name was last found */
	int64_t name;       /* TRACE_NULL = was never found */
};

struct faulted_files {
	struct trace_writer *writer;
	struct look_ups look_ups;
	struct faulted_file known[FILES];
};

struct faulted_files *faulted_files_new(struct trace_writer *writer)
{
	struct faulted_files *files = calloc(1, sizeof(*files));

	if (files)
		files->writer = writer;
	return files;
}

void faulted_files_free(struct faulted_files *files)
{
	free(files);
}

struct search {
	pid_t pid;
	uint64_t inode;
	uint64_t device;      /* as in /proc/PID/maps */
	uint64_t type_device; /* whose type this is; 0 = of none */
	char type[MOUNT_TEXT];
	char path[4096 + 16];
	uint64_t path_device; /* 0 = not found */
};

static const char *type_of(struct search *search, uint64_t device)
{
	if (search->type_device != device) {
		proc_device_type(search->pid, device, search->type, sizeof(search->type));
		search->type_device = device;
	}
	return search->type;
}

/*
 * Pages are kept for the file below an overlay. From Linux 6.8 on the list of mappings shows the overlay's own inode
 * instead, which has the same number where all its layers are on one file system: else it is not found.
 */
static int find_line(void *context, const struct maps_line *line)
{
	struct search *search = context;
	bool is_it = line->device == search->device;

	if (line->inode != search->inode || line->path[0] != '/')
		return 0;
	if (!is_it &&
	    (search->path_device || strcmp(type_of(search, line->device), "overlay") != 0))
		return 0;
	snprintf(search->path, sizeof(search->path), "%s%s", line->path,
		 line->deleted ? " (deleted)" : "");
	search->path_device = line->device;
	return is_it;
}

/* As the kernel keeps a device number: include/linux/kdev_t.h. */
static uint64_t device_number(uint32_t device)
{
	return makedev(device >> 20, device & 0xfffff);
}

static int64_t look_up(struct faulted_files *files, const struct off_cpu_record *record)
{
	struct search search = {
		.pid = (pid_t)record->tgid,
		.inode = record->file.inode,
		.device = device_number(record->file.device),
	};
	char text[sizeof(search.path) + sizeof(search.type) + 4];
	const char *type;

	maps_read(search.pid, find_line, &search);
	if (!search.path_device)
		return TRACE_NULL;
	type = type_of(&search, search.path_device);
	snprintf(text, sizeof(text), type[0] ? "%s (%s)" : "%s", search.path, type);
	return trace_name(files->writer, "", text);
}

/* Whether what is known of its file still stands at that time, without another look. */
static bool holds(const struct faulted_file *known, uint64_t now_ns)
{
	if (known->name == TRACE_NULL)
		return false;
	return known->file.generation || now_ns < known->proved_ns + HOLD_NS;
}

static void renew(struct faulted_files *files, struct faulted_file *known,
		  const struct off_cpu_record *record, uint64_t now_ns)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
	int64_t name = look_up(files, record);

	looked_for(&files->look_ups, now_ns, clock_ns(CLOCK_MONOTONIC) - begin_ns);
	known->looked_ns = now_ns;
	if (name == TRACE_NULL)
		return;
	known->name = name;
	known->proved_ns = now_ns;
}

int64_t faulted_file_name(struct faulted_files *files, const struct off_cpu_record *record)
{
	const union file_identity *file = &record->file;
	uint64_t now_ns = record->start_ns + record->duration_ns;
	uint64_t hash = (file->inode ^ (uint64_t)file->device << 32) * 0x9e3779b97f4a7c15ull;
	struct faulted_file *slot = &files->known[hash >> 54 & (FILES - 1)];
	struct faulted_file known = {.file = *file, .name = TRACE_NULL};
	bool is_known = slot->looked_ns && !memcmp(&slot->file, file, sizeof(*file));
	uint64_t wait_ns = slot->name == TRACE_NULL ? RETRY_NS : RENEW_NS;

	if (is_known)
		known = *slot;
	if ((!is_known || now_ns >= slot->looked_ns + wait_ns) &&
	    may_look(&files->look_ups, now_ns, LOOK_UPS_A_SECOND)) {
		renew(files, &known, record, now_ns);
		*slot = known;
	}
	return holds(&known, now_ns) ? known.name : trace_name(files->writer, "", "mapped file");
}

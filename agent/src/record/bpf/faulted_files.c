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
/* A file is renamed, or its inode's number used again where there are no generations. */
#define RENEW_NS (10 * NS_PER_SECOND)
/* What was not found may have been mapped by a process that has ended: the next one is asked. */
#define RETRY_NS NS_PER_SECOND
/* The mappings of a Python process take a millisecond to read. */
#define LOOK_UPS_A_SECOND 20

struct faulted_file {
	union file_identity file;
	uint64_t looked_ns; /* 0 = free */
	int64_t name;       /* TRACE_NULL = not found */
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
	uint64_t device; /* as st_dev */
	char text[4096 + 64];
};

/*
 * Pages are kept for the file below an overlay; from Linux 6.8 on the list of mappings shows the overlay's own, which has
 * the same inode number.
 */
static int find_line(void *context, const struct maps_line *line)
{
	struct search *search = context;
	char type[32];

	if (line->inode != search->inode || line->path[0] != '/')
		return 0;
	proc_device_type(search->pid, line->device, type, sizeof(type));
	if (line->device != search->device && strcmp(type, "overlay") != 0)
		return 0;
	snprintf(search->text, sizeof(search->text), type[0] ? "%s%s (%s)" : "%s%s", line->path,
		 line->deleted ? " (deleted)" : "", type);
	return 1;
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

	maps_read(search.pid, find_line, &search);
	return search.text[0] ? trace_name(files->writer, "", search.text) : TRACE_NULL;
}

int64_t faulted_file_name(struct faulted_files *files, const struct off_cpu_record *record)
{
	const union file_identity *file = &record->file;
	uint64_t now_ns = record->start_ns + record->duration_ns;
	uint64_t hash = (file->inode ^ (uint64_t)file->device << 32) * 0x9e3779b97f4a7c15ull;
	struct faulted_file *known = &files->known[hash >> 54 & (FILES - 1)];
	bool is_known = known->looked_ns && !memcmp(&known->file, file, sizeof(*file));
	int64_t name = is_known ? known->name : TRACE_NULL;
	uint64_t holds_ns = name == TRACE_NULL ? RETRY_NS : RENEW_NS;

	if ((!is_known || now_ns >= known->looked_ns + holds_ns) &&
	    may_look(&files->look_ups, now_ns, LOOK_UPS_A_SECOND)) {
		int64_t found = look_up(files, record);

		name = found == TRACE_NULL ? name : found;
		*known = (struct faulted_file){.file = *file, .looked_ns = now_ns, .name = name};
	}
	return name == TRACE_NULL ? trace_name(files->writer, "", "mapped file") : name;
}

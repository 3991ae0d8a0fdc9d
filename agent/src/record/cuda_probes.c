// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* CUDA libraries as they turn up, and the calls that may have been missed before. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "session.h"

#define LOOK_FOR_LOST_NS 1000000000ull

/* When the library was mapped, where that was seen; else 0. */
struct arrival {
	struct session *session;
	pid_t pid;
	uint64_t mapped_ns;
};

/* Calls between the mapping and the probes can't be known: a gap, and no more certainty. */
static void note_gap(struct session *session, pid_t pid, uint64_t from_ns)
{
	int64_t start = trace_time(session->writer, from_ns);

	trace_put_gap(session->writer, "cuda_call", start,
		      trace_time(session->writer, clock_ns(CLOCK_MONOTONIC)) - start, -1);
	session->library_gap = true;
	host_ranges_doubt(session->ranges, (uint32_t)pid);
}

/* Once of each: every process that maps a broken library finds it again. */
static bool is_new_refusal(struct session *session, const struct cuda_library *library)
{
	const unsigned int room = sizeof(session->refused) / sizeof(session->refused[0]);

	for (unsigned int i = 0; i < session->refused_count; i++) {
		if (session->refused[i].device == library->device &&
		    session->refused[i].inode == library->inode)
			return false;
	}
	if (session->refused_count == room)
		return true;
	session->refused[session->refused_count].device = library->device;
	session->refused[session->refused_count].inode = library->inode;
	session->refused_count++;
	return true;
}

static void attach(void *context, const struct cuda_library *library)
{
	struct arrival *arrival = context;
	struct session *session = arrival->session;
	struct attach_result result = {0};
	int err = uprobes_attach(session->uprobes, library, &result);

	if (err < 0) {
		if (is_new_refusal(session, library))
			session_notice(session, "warning", "%s could not be probed: %s",
				       library->path, result.detail);
		if (arrival->pid)
			host_ranges_doubt(session->ranges, (uint32_t)arrival->pid);
		return;
	}
	if (!result.attached)
		return;
	if (result.detail[0])
		session_notice(session, result.entry_only || result.slow ? "warning" : "info",
			       "%s: %s", library->path, result.detail);
	if (arrival->mapped_ns) {
		note_gap(session, arrival->pid, arrival->mapped_ns);
		session_notice(
			session, "warning",
			"%s was probed %.0f ms after process %d mapped it: CUDA calls of that time are missing, and what memory they pinned is not known. --library probes it before.",
			library->path,
			(double)(clock_ns(CLOCK_MONOTONIC) - arrival->mapped_ns) / 1e6,
			arrival->pid);
	}
}

void session_probe_process(struct session *session, pid_t pid, uint64_t mapped_ns)
{
	struct arrival arrival = {.session = session, .pid = pid, .mapped_ns = mapped_ns};

	libraries_of_process(pid, attach, &arrival);
}

static void attach_path(struct session *session, const char *path)
{
	struct arrival arrival = {.session = session};
	struct cuda_library library = {0};
	struct stat info;

	if (stat(path, &info) < 0) {
		session_notice(session, "warning", "%s can't be probed: %s", path, strerror(errno));
		return;
	}
	snprintf(library.path, sizeof(library.path), "%s", path);
	snprintf(library.open_path, sizeof(library.open_path), "%s", path);
	library.device = info.st_dev;
	library.inode = info.st_ino;
	is_cuda_library_name(path, &library.driver);
	attach(&arrival, &library);
}

void session_probe_known(struct session *session)
{
	const struct record_options *options = session->options;
	struct arrival arrival = {.session = session};

	for (unsigned int i = 0; i < options->library_count; i++)
		attach_path(session, options->libraries[i]);
	if (options->target == TARGET_PIDS)
		return;
	/* What the command will map is not known yet: probes on all that is installed cost nothing. */
	if (options->command)
		libraries_beside(options->command, attach, &arrival);
	libraries_everywhere(attach, &arrival);
}

/* False where there is no room for it. */
static bool remember_mapper(struct session *session, const struct file_mapping *mapping)
{
	unsigned int room = sizeof(session->unknown_mappers) / sizeof(session->unknown_mappers[0]);
	unsigned int count = session->unknown_mapper_count;

	for (unsigned int i = 0; i < count; i++) {
		if (session->unknown_mappers[i].pid == mapping->tgid)
			return true;
	}
	if (count == room)
		return false;
	session->unknown_mappers[count].pid = mapping->tgid;
	session->unknown_mappers[count].mapped_ns = mapping->time_ns;
	session->unknown_mapper_count++;
	return true;
}

void session_probe_unknown(struct session *session)
{
	for (unsigned int i = 0; i < session->unknown_mapper_count; i++) {
		struct arrival arrival = {
			.session = session,
			.pid = session->unknown_mappers[i].pid,
			.mapped_ns = session->unknown_mappers[i].mapped_ns,
		};
		struct process *process = tasks_find_process(session->tasks, arrival.pid);

		if (process && process->target)
			libraries_of_process(arrival.pid, attach, &arrival);
	}
	session->unknown_mapper_count = 0;
}

/* Once a look, however often a process maps such a file: its whole list is read. */
static void probe_mapper(struct session *session, const struct file_mapping *mapping)
{
	unsigned int room = sizeof(session->due_mappers) / sizeof(session->due_mappers[0]);
	struct arrival arrival = {
		.session = session,
		.pid = mapping->tgid,
		.mapped_ns = mapping->time_ns,
	};

	for (unsigned int i = 0; i < session->due_mapper_count; i++) {
		if (session->due_mappers[i].pid == mapping->tgid)
			return;
	}
	if (session->due_mapper_count == room) {
		libraries_of_process(mapping->tgid, attach, &arrival);
		return;
	}
	session->due_mappers[session->due_mapper_count].pid = mapping->tgid;
	session->due_mappers[session->due_mapper_count].mapped_ns = mapping->time_ns;
	session->due_mapper_count++;
}

static void probe_due(struct session *session)
{
	for (unsigned int i = 0; i < session->due_mapper_count; i++) {
		struct arrival arrival = {
			.session = session,
			.pid = session->due_mappers[i].pid,
			.mapped_ns = session->due_mappers[i].mapped_ns,
		};

		libraries_of_process(arrival.pid, attach, &arrival);
	}
	session->due_mapper_count = 0;
}

static void handle_mapping(void *context, const struct file_mapping *mapping)
{
	struct session *session = context;
	struct process *process = tasks_find_process(session->tasks, mapping->tgid);
	bool driver, is_cuda = is_cuda_library_name(mapping->path, &driver);

	/* Perhaps a target's child; probing a stranger's library would do no harm. */
	if (!process && is_cuda && !remember_mapper(session, mapping))
		probe_mapper(session, mapping);
	if (!process || !process->target)
		return;
	symboliser_add_mapping(session->symbols, process->id, process->pid, mapping->time_ns,
			       mapping->address, mapping->size, mapping->offset, mapping->device,
			       mapping->inode, mapping->path);
	if (is_cuda)
		probe_mapper(session, mapping);
}

static void probe_target(void *context, struct process *process)
{
	struct session *session = context;

	if (process->target)
		session_probe_process(session, process->pid, session->mappings_lost_ns);
}

/* What was missed is found in the processes' own lists; reading all of them takes time. */
static void look_for_lost(struct session *session)
{
	if (!session->mappings_lost_ns ||
	    session->now_ns - session->looked_for_lost_ns < LOOK_FOR_LOST_NS)
		return;
	tasks_each_living(session->tasks, probe_target, session);
	session->mappings_lost_ns = 0;
	session->looked_for_lost_ns = session->now_ns;
}

void session_read_mappings(struct session *session)
{
	int lost = mapping_watch_read(session->watch, handle_mapping, session);

	probe_due(session);
	if (lost > 0 && !session->mappings_lost_ns)
		session->mappings_lost_ns = session->quiet_ns;
	look_for_lost(session);
}

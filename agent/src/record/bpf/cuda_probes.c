// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* CUDA libraries as they turn up, and the calls that may have been missed before. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "bpf.h"

#define LOOK_FOR_LOST_NS 1000000000ull

/* When the library was mapped, where that was seen; else 0. */
struct arrival {
	struct bpf_recorder *bpf;
	pid_t pid;
	uint64_t mapped_ns;
};

/* Calls between the mapping and the probes can't be known: no more certainty either. */
void bpf_note_unprobed(struct bpf_recorder *bpf, pid_t pid, uint64_t from_ns)
{
	int64_t start = trace_time(bpf->session->writer, from_ns);

	trace_put_gap(bpf->session->writer, "cuda_call", start,
		      trace_time(bpf->session->writer, clock_ns(CLOCK_MONOTONIC)) - start, -1);
	bpf->session->calls_missed = true;
	host_ranges_doubt(bpf->ranges, (uint32_t)pid);
}

/* Once of each: every process that maps a broken library finds it again. */
static bool is_new_refusal(struct bpf_recorder *bpf, const struct cuda_library *library)
{
	const unsigned int room = sizeof(bpf->refused) / sizeof(bpf->refused[0]);

	for (unsigned int i = 0; i < bpf->refused_count; i++) {
		if (bpf->refused[i].device == library->device &&
		    bpf->refused[i].inode == library->inode)
			return false;
	}
	if (bpf->refused_count == room)
		return true;
	bpf->refused[bpf->refused_count].device = library->device;
	bpf->refused[bpf->refused_count].inode = library->inode;
	bpf->refused_count++;
	return true;
}

/* Its calls are recorded from inside by now: none is missing but those before CUDA was initialised. */
static bool is_seen_otherwise(struct bpf_recorder *bpf, pid_t pid)
{
	const struct call_record now = {
		.tgid = (uint32_t)pid,
		.start_ns = clock_ns(CLOCK_MONOTONIC),
	};

	return session_take_call(bpf->session, &now);
}

static void attach(void *context, const struct cuda_library *library)
{
	struct arrival *arrival = context;
	struct bpf_recorder *bpf = arrival->bpf;
	struct attach_result result = {0};
	int err;

	if (!(bpf->sources & SOURCE_BIT(SOURCE_CALLS)))
		return;
	err = uprobes_attach(bpf->uprobes, library, &result);
	if (err < 0) {
		if (is_new_refusal(bpf, library))
			session_notice(bpf->session, "warning", "%s could not be probed: %s",
				       library->path, result.detail);
		if (arrival->pid)
			host_ranges_doubt(bpf->ranges, (uint32_t)arrival->pid);
		return;
	}
	if (!result.attached)
		return;
	if (result.detail[0])
		session_notice(bpf->session, result.entry_only || result.slow ? "warning" : "info",
			       "%s: %s", library->path, result.detail);
	if (arrival->mapped_ns && !is_seen_otherwise(bpf, arrival->pid)) {
		bpf_note_unprobed(bpf, arrival->pid, arrival->mapped_ns);
		session_notice(
			bpf->session, "warning",
			"%s was probed %.0f ms after process %d mapped it: CUDA calls of that time are missing, and what memory they pinned is not known. --library probes it before.",
			library->path,
			(double)(clock_ns(CLOCK_MONOTONIC) - arrival->mapped_ns) / 1e6,
			arrival->pid);
	}
}

void bpf_probe_process(struct bpf_recorder *bpf, pid_t pid, uint64_t mapped_ns)
{
	struct arrival arrival = {.bpf = bpf, .pid = pid, .mapped_ns = mapped_ns};

	libraries_of_process(pid, attach, &arrival);
}

static void attach_path(struct bpf_recorder *bpf, const char *path)
{
	struct arrival arrival = {.bpf = bpf};
	struct cuda_library library = {0};
	struct stat info;

	if (stat(path, &info) < 0) {
		session_notice(bpf->session, "warning", "%s can't be probed: %s", path,
			       strerror(errno));
		return;
	}
	snprintf(library.path, sizeof(library.path), "%s", path);
	snprintf(library.open_path, sizeof(library.open_path), "%s", path);
	library.device = info.st_dev;
	library.inode = info.st_ino;
	is_cuda_library_name(path, &library.driver);
	attach(&arrival, &library);
}

void bpf_probe_known(struct bpf_recorder *bpf)
{
	const struct record_options *options = bpf->session->options;
	struct arrival arrival = {.bpf = bpf};

	for (unsigned int i = 0; i < options->library_count; i++)
		attach_path(bpf, options->libraries[i]);
	if (options->target == TARGET_PIDS)
		return;
	/* What the command will map is not known yet: probes on all that is installed cost nothing. */
	if (options->command)
		libraries_beside(options->command, attach, &arrival);
	libraries_everywhere(attach, &arrival);
}

/* False where there is no room for it. */
static bool remember_mapper(struct bpf_recorder *bpf, const struct file_mapping *mapping)
{
	unsigned int room = sizeof(bpf->unknown_mappers) / sizeof(bpf->unknown_mappers[0]);
	unsigned int count = bpf->unknown_mapper_count;

	for (unsigned int i = 0; i < count; i++) {
		if (bpf->unknown_mappers[i].pid == mapping->tgid)
			return true;
	}
	if (count == room)
		return false;
	bpf->unknown_mappers[count].pid = mapping->tgid;
	bpf->unknown_mappers[count].mapped_ns = mapping->time_ns;
	bpf->unknown_mapper_count++;
	return true;
}

void bpf_probe_unknown(struct bpf_recorder *bpf)
{
	for (unsigned int i = 0; i < bpf->unknown_mapper_count; i++) {
		struct arrival arrival = {
			.bpf = bpf,
			.pid = bpf->unknown_mappers[i].pid,
			.mapped_ns = bpf->unknown_mappers[i].mapped_ns,
		};
		struct process *process = tasks_find_process(bpf->session->tasks, arrival.pid);

		if (!process || !process->target)
			continue;
		bpf_note_mapped(bpf, arrival.pid, arrival.mapped_ns);
		libraries_of_process(arrival.pid, attach, &arrival);
	}
	bpf->unknown_mapper_count = 0;
}

/* Once a look, however often a process maps such a file: its whole list is read. */
static void probe_mapper(struct bpf_recorder *bpf, const struct file_mapping *mapping)
{
	unsigned int room = sizeof(bpf->due_mappers) / sizeof(bpf->due_mappers[0]);
	struct arrival arrival = {
		.bpf = bpf,
		.pid = mapping->tgid,
		.mapped_ns = mapping->time_ns,
	};

	for (unsigned int i = 0; i < bpf->due_mapper_count; i++) {
		if (bpf->due_mappers[i].pid == mapping->tgid)
			return;
	}
	if (bpf->due_mapper_count == room) {
		libraries_of_process(mapping->tgid, attach, &arrival);
		return;
	}
	bpf->due_mappers[bpf->due_mapper_count].pid = mapping->tgid;
	bpf->due_mappers[bpf->due_mapper_count].mapped_ns = mapping->time_ns;
	bpf->due_mapper_count++;
}

static void probe_due(struct bpf_recorder *bpf)
{
	for (unsigned int i = 0; i < bpf->due_mapper_count; i++) {
		struct arrival arrival = {
			.bpf = bpf,
			.pid = bpf->due_mappers[i].pid,
			.mapped_ns = bpf->due_mappers[i].mapped_ns,
		};

		libraries_of_process(arrival.pid, attach, &arrival);
	}
	bpf->due_mapper_count = 0;
}

static void handle_mapping(void *context, const struct file_mapping *mapping)
{
	struct bpf_recorder *bpf = context;
	struct process *process = tasks_find_process(bpf->session->tasks, mapping->tgid);
	bool driver, is_cuda = is_cuda_library_name(mapping->path, &driver);

	/* Perhaps a target's child; probing a stranger's library would do no harm. */
	if (!process && is_cuda)
		bpf_probe_launches_again(bpf);
	if (!process && is_cuda && !remember_mapper(bpf, mapping))
		probe_mapper(bpf, mapping);
	if (!process || !process->target)
		return;
	symboliser_add_mapping(bpf->session->symbols, process->id, process->pid, mapping->time_ns,
			       mapping->address, mapping->size, mapping->offset, mapping->device,
			       mapping->inode, mapping->path);
	if (!is_cuda)
		return;
	bpf_probe_launches_again(bpf);
	bpf_note_mapped(bpf, mapping->tgid, mapping->time_ns);
	probe_mapper(bpf, mapping);
}

static void probe_target(void *context, struct process *process)
{
	struct bpf_recorder *bpf = context;

	if (process->target)
		bpf_probe_process(bpf, process->pid, bpf->mappings_lost_ns);
}

/* What was missed is found in the processes' own lists; reading all of them takes time. */
static void look_for_lost(struct bpf_recorder *bpf)
{
	if (!bpf->mappings_lost_ns ||
	    bpf->session->now_ns - bpf->looked_for_lost_ns < LOOK_FOR_LOST_NS)
		return;
	tasks_each_living(bpf->session->tasks, probe_target, bpf);
	bpf->mappings_lost_ns = 0;
	bpf->looked_for_lost_ns = bpf->session->now_ns;
}

void bpf_read_mappings(struct bpf_recorder *bpf)
{
	int lost = mapping_watch_read(bpf->watch, handle_mapping, bpf);

	probe_due(bpf);
	if (lost > 0 && bpf->launches.are_away) {
		bpf_probe_launches_again(bpf);
		bpf_note_unprobed(bpf, 0, bpf->launches.away_ns);
	}
	if (lost > 0 && !bpf->mappings_lost_ns)
		bpf->mappings_lost_ns = bpf->quiet_ns;
	look_for_lost(bpf);
}

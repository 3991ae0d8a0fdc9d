/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What the parts of one recording share. Only record/ includes it. */
#ifndef STALLTRACE_SESSION_H
#define STALLTRACE_SESSION_H

#include "../clock.h"
#include "../host/host.h"
#include "../probe/functions.h"
#include "../probe/libraries.h"
#include "../probe/programs.h"
#include "../probe/uprobes.h"
#include "../symbol/python.h"
#include "../symbol/symbols.h"
#include "descriptors.h"
#include "poller.h"
#include "record.h"
#include "stacks.h"
#include "tasks.h"

/* How often the machine and its GPUs are looked at. */
#define SAMPLE_PERIOD_NS (200 * NS_PER_MS)
/* How often /proc is read where there is no BPF. */
#define POLL_PERIOD_NS (10 * NS_PER_MS)

struct session {
	const struct record_options *options;
	const struct record_callbacks *callbacks;
	struct record_result *result;

	struct trace_writer *writer;
	struct tasks *tasks;
	struct symboliser *symbols;
	struct python_readers *python;
	struct stacks *stacks;
	struct host_ranges *ranges;
	struct descriptors *descriptors;
	struct system_sampler *system;
	struct gpu_sampler *gpu;

	/* With BPF … */
	struct programs *programs;
	struct uprobes *uprobes;
	struct mapping_watch *watch;
	/* Who mapped a CUDA library before the record of its fork was read. */
	struct {
		pid_t pid;
		uint64_t mapped_ns;
	} unknown_mappers[64];
	unsigned int unknown_mapper_count;
	/* Whose lists of mappings are to be read for CUDA libraries, at this look. */
	struct {
		pid_t pid;
		uint64_t mapped_ns;
	} due_mappers[64];
	unsigned int due_mapper_count;
	uint64_t mappings_lost_ns; /* since when records of mappings are missing; 0 = none */
	uint64_t looked_for_lost_ns;
	/* Libraries of which it was said that they can't be probed. */
	struct {
		uint64_t device, inode;
	} refused[64];
	unsigned int refused_count;
	struct source_status status[SOURCE_COUNT];
	/* … or without. */
	struct poller *poller;

	uint64_t begin_ns, now_ns;
	uint64_t start_up_cpu_ns;     /* CPU time of loading and attaching */
	uint64_t drops[RECORD_KINDS]; /* as of the last look */
	uint64_t quiet_ns;            /* when nothing was lost yet, at the last look */
	bool packages_described;
	bool library_gap; /* calls may have been missed before a library was probed */

	int64_t call_names[MAX_FUNCTIONS]; /* name ids, 0 = not made yet */
	int64_t action_names[PROCESS_OOM_KILL + 1];
	unsigned int notices;
	struct record_progress progress;
};

/* Loads, attaches, opens the file, finds the targets. -errno with result->message. */
int session_set_up(struct session *session);
/* Records until there is a reason to end, which is then in the result. 0 or -errno. */
int session_loop(struct session *session);
/* Takes what the sources have now. */
void session_consume(struct session *session);
/* What a failure of the writer means for the recording. */
enum record_end end_of_failure(int err);
/* CPU time of this process so far. */
uint64_t agent_cpu_ns(void);

/* Hands one record to the table it belongs to. Never fails: the writer keeps its own failure. */
int session_handle(void *context, const struct record_header *record);

void session_add_call(struct session *session, const struct call_record *record);
void session_add_launches(struct session *session, const struct launches_record *record);

/* A count or duration as SQLite can hold it. */
static inline int64_t row_value(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

/* What is not a plain row: who came, went, forked, renamed itself. */
void session_see_task(struct session *session, const struct task_record *record);
void session_process_event(struct session *session, const struct process_record *record);
/* Looks for the interpreters of targets that have just begun. */
void session_find_python(struct session *session);

/* CUDA libraries: those of a process, one that is mapped just now, and those known by path. */
/* mapped_ns: since when it may map them; 0 = before the recording began. */
void session_probe_process(struct session *session, pid_t pid, uint64_t mapped_ns);
void session_probe_known(struct session *session);
void session_read_mappings(struct session *session);
/* After the records that were there when the mappings were read: those whose process was not known. */
void session_probe_unknown(struct session *session);

/* Losses since the last look become gaps. */
void session_note_losses(struct session *session);
/* Provenance of every table, and a capability for every source. */
void session_write_sources(struct session *session);
/* At the end: what was said with care at the begin, now that nothing has to be guessed any more. */
void session_settle_sources(struct session *session);
/* … and what is known only at the end: losses. */
void session_write_losses(struct session *session);
/* Once all frames have been looked up. */
void session_note_missed_files(struct session *session);
void session_write_clock(struct session *session);

void session_notice(struct session *session, const char *level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* STALLTRACE_SESSION_H */

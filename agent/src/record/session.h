/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What the parts of one recording share. Only record/ includes it. */
#ifndef STALLTRACE_SESSION_H
#define STALLTRACE_SESSION_H

#include "../clock.h"
#include "../host/host.h"
#include "../symbol/python/python.h"
#include "../symbol/symbols.h"
#include "connections.h"
#include "record.h"
#include "recorder.h"
#include "stacks.h"
#include "tasks.h"

/* How often the machine and its GPUs are looked at. */
#define SAMPLE_PERIOD_NS (200 * NS_PER_MS)
#define MOST_RECORDERS 8

struct session {
	const struct record_options *options;
	const struct record_callbacks *callbacks;
	struct record_result *result;

	struct trace_writer *writer;
	struct tasks *tasks;
	struct symboliser *symbols;
	struct python_readers *python;
	struct stacks *stacks;
	struct system_sampler *system;
	struct gpu_sampler *gpu;
	struct connections *connections; /* NULL = they are not read */

	struct open_recorder recorders[MOST_RECORDERS];
	unsigned int recorder_count;
	struct tier_status tiers[TIER_COUNT]; /* of the recorders that were tried */
	uint32_t recorded;                    /* bits, 1 << enum source, of what these can record */
	struct source_status status[SOURCE_COUNT];

	uint64_t begin_ns, now_ns;
	uint64_t start_up_cpu_ns;                   /* CPU time of loading and attaching */
	int64_t action_names[PROCESS_OOM_KILL + 1]; /* name ids, 0 = not made yet */
	unsigned int notices;
	unsigned int followed;   /* processes whose control groups were read this second */
	bool calls_missed;       /* before a library was probed */
	bool launches_missed;    /* between windows in which they are probed */
	bool pinned_unread;      /* of a process it was not to be had where it lies: said once */
	uint64_t pinned_next_ns; /* when pinned memory is looked for next; UINT64_MAX = never */
	struct record_progress progress;
};

/* Opens the recorders and the file, finds the targets. -errno, in result->message why. */
int session_set_up(struct session *session);
/* Records until there is a reason to end, which is then in the result. 0 or -errno. */
int session_loop(struct session *session);
/* What a failure of the writer means for the recording. */
enum record_end end_of_failure(int err);
/* CPU time of this process so far. */
uint64_t agent_cpu_ns(void);

/* What recorder.h says of each callback, for all recorders that are open. */
int session_open_recorders(struct session *session);
/* What the recording is, by what is open. From inside is what was launched, or asked for so. */
const struct capture_mode *session_mode(const struct session *session);
int session_begin_recorders(struct session *session);
void session_add_target(struct session *session, pid_t pid);
/* Returns how long the loop may wait: `wait_ms`, or less where a recorder wants that. */
int session_watch_recorders(struct session *session, int epoll_fd, int wait_ms);
void session_record(struct session *session, bool on);
void session_consume(struct session *session);
void session_finish_recorders(struct session *session, uint64_t end_ns);
void session_close_recorders(struct session *session);
bool session_take_call(struct session *session, const struct call_record *call);
void session_leave_calls(struct session *session, pid_t pid, bool left);
int session_wait_stack(struct session *session, struct wait_stack *stack);
uint64_t session_pinned_bytes(struct session *session, pid_t pid, uint64_t begin, uint64_t end);

/*
 * pinned_nodes.c: into the row of a process, where the machine has several nodes. Of one that is due; at the end of as
 * many as there is time for.
 */
void pinned_nodes_begin(struct session *session);
void pinned_nodes_read(struct session *session);
void pinned_nodes_read_last(struct session *session);

/* For the recorders. */
/* A count or duration as SQLite can hold it. */
static inline int64_t row_value(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}
/* Into the wait of the loop; < 0 = nothing to add. */
void session_watch_fd(int epoll_fd, int fd);
/* Of what is lost of one kind, from 0 on; the recorder counts it up. */
uint64_t *session_loss_counter(struct session *session, const char *name);
/* thread and subject: row ids, or TRACE_NULL. */
void session_put_process_event(struct session *session, enum process_action action, uint64_t at_ns,
			       int64_t thread, int64_t subject);
/* Of the tables of these sources (bits): as their status says. */
void session_write_provenance(struct session *session, uint32_t sources);
/* One sentence worth telling; warnings go into the file too. */
void session_notice(struct session *session, const char *level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Provenance of what no recorder records, and a capability for every source. */
void session_write_sources(struct session *session);
void session_write_clock(struct session *session);

#endif /* STALLTRACE_SESSION_H */

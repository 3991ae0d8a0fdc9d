/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What the parts of this recorder share: the library in agent/inside runs in the job's processes, each
 * with a ring of memory that is read here. Nobody outside includes it.
 */
#ifndef STALLTRACE_RECORD_INSIDE_H
#define STALLTRACE_RECORD_INSIDE_H

#include "../../../inside/ring.h"
#include "../../host/proc.h"
#include "../../symbol/python/python_remote.h"
#include "../call_rows.h"
#include "../memory_access.h"

/* Processes that use CUDA at one time; each takes a ring. */
#define MOST_PROCESSES 64
/* A record that the GPU's work refers to is as many calls back at the most. */
#define REMEMBERED_CALLS (1u << 17)
#define MOST_STREAMS 1024
#define MOST_CONTEXTS 64
#define MOST_DEVICES 64
#define KNOWN_NAMES (1u << 16)
/* That BPF's probes saw while CUDA was initialised. */
#define MOST_SEEN_CALLS 64
/* A probe's record of a call is there so long after its end at the most. */
#define PROBE_LAG_NS (1 * NS_PER_MS)

#define INSIDE_SCRIPT_BYTES 64

struct remembered_call {
	uint32_t correlation;
	uint32_t padding;
	uint64_t call_id;
};

/* Work whose call is not known yet: it may come. */
struct waiting_work {
	struct inside_work work;
	uint64_t
		returned_ns; /* by then no call of its number was under way; 0 = one is, or nobody has looked */
};
#define MOST_WAITING_WORK (1u << 15)

struct clock_pair {
	uint64_t cupti_ns, monotonic_ns;
};

/* A process with the library in it. */
struct inside_process {
	void *ring;
	pid_t pid;
	uint64_t start_ticks;
	bool own_namespace; /* its tids are not ours */
	bool ended;
	bool gone; /* seen at the last look: what probes saw of it last is read before it is ended */
	bool goes_on;       /* the recording ends before it does */
	uint64_t looked_ns; /* whether it lives */
	uint64_t python_next_try_ns;
	uint64_t mapped_ns; /* when its mappings were read for a stack */
	bool python_known;
	bool unreadable; /* its memory, at the last try */

	/* How far each block has been read: for what explains others, and for the others. */
	uint32_t defined[INSIDE_BLOCKS], consumed[INSIDE_BLOCKS];
	uint64_t lost[INSIDE_KINDS], cupti_lost;
	uint64_t quiet_ns; /* when nothing was lost yet, at the last look */
	uint64_t damaged;  /* blocks in which something else than records stood */

	/* Beside probes: these were told to leave its calls to us; when they were told to go on. */
	bool left;
	bool joined;       /* it was said that it has come in */
	uint64_t again_ns; /* when it came in once more; 0 = it did not */
	bool ran_before;   /* as this program, with calls that are not in this ring */
	uint64_t probed_ns;
	struct call_record seen[MOST_SEEN_CALLS];
	unsigned int seen_count;

	struct remembered_call *calls; /* by correlation */
	struct waiting_work *waiting;
	unsigned int waiting_count;
	struct {
		uint32_t context, stream;
		uint64_t handle;
	} streams[MOST_STREAMS];
	unsigned int stream_count;
	struct {
		uint32_t number;
		int64_t row;
	} contexts[MOST_CONTEXTS];
	unsigned int context_count;
	int64_t gpus[MOST_DEVICES];  /* id of a device number's GPU + 1; 0 = not known */
	struct clock_pair clocks[2]; /* the newest last; 0 = none yet */
	uint64_t last_work_ns;       /* when the last work that is known ended */
};

struct inside_recorder {
	struct session *session;
	int socket;
	struct inside_process *processes[MOST_PROCESSES];
	unsigned int process_count;
	struct host_ranges *ranges;
	struct call_names call_names;
	bool beside_probes; /* BPF's see calls too */
	uint64_t off_ns;    /* when it was told to record no more; 0 = not yet */
	uint64_t last_call_id;
	int64_t last_context;
	/* Kernels' names: number of a text by its hash. */
	struct {
		uint64_t hash;
		int64_t name;
	} names[KNOWN_NAMES];
	unsigned int name_count;
	int64_t work_names[16]; /* of what has none of its own, 0 = not made yet */
	uint64_t *call_losses, *work_losses;

	/* For what is said at the end. */
	unsigned int by_state[INSIDE_STATES];
	unsigned int
		without_cupti[INSIDE_STATES]; /* of INSIDE_BY_IMPORTS, by what kept it from CUPTI */
	unsigned int without_imports;         /* and has no import of CUDA's */
	unsigned int
		imports_after_cupti; /* another profiler came, and calls through imports were recorded then */
	unsigned int refused_processes; /* for lack of room */
	bool asked;                     /* --remote-python: each process once */
	char refusal[320];              /* why one could not be, the last */
	struct inside_request {
		struct python_offer offer;
		char path[INSIDE_SCRIPT_BYTES];
		uint64_t asked_ns;
		bool late; /* it was looked whether it has done it */
	} requests[MOST_PROCESSES];
	unsigned int request_count;
	struct outsiders {
		pid_t pids[MOST_PROCESSES];
		unsigned int count;
	} outsiders; /* use CUDA, and have not come in */
	bool partial_calls, partial_work, own_clock;
	unsigned int unreadable;  /* processes whose memory may not be read */
	char why_unreadable[320]; /* the last */
	/* What CUPTI refused, in how many processes, and why in the last. */
	struct inside_refusals {
		unsigned int processes;
		int32_t error;
		char text[INSIDE_REFUSAL_BYTES + 1];
	} refusals[INSIDE_REFUSALS];
	/* Calls that returned, but launches, and those of them of which the kernel did not tell. */
	struct {
		uint64_t calls, without_sums, without_queue;
	} accounts;
	/* Pieces of the GPU's work, those that name no call, and launches of which no more than the number is known. */
	uint64_t work, work_without_call, counted_launches;
	unsigned int without_work; /* processes whose calls are there, and nothing of the GPU */
	char detail[INSIDE_DETAIL_BYTES];
	uint32_t cupti_version;
};

/* handover.c: the socket that the library asks; -errno. */
int inside_listen(const char *name);
/* Where processes ask that run already; -errno. */
int inside_wait_for_processes(void);
/* As struct recorder has it. */
int inside_try_out(char *why, size_t why_size);
/* Gives a ring to each process that has asked for one. */
void inside_accept(struct inside_recorder *inside);
void inside_process_free(struct inside_process *process);

/* drain.c: what is published, into rows; calls in the order in which they ended. */
void inside_drain(struct inside_recorder *inside, struct inside_process *process);
/* Of one that has ended, or is not recorded any more: also what was only begun. */
void inside_drain_rest(struct inside_recorder *inside, struct inside_process *process,
		       uint64_t end_ns);

/* rows.c: one record, copied out of the ring, of at least the size that its kind has. */
void inside_define(struct inside_recorder *inside, struct inside_process *process,
		   const struct record_header *record);
void inside_add(struct inside_recorder *inside, struct inside_process *process,
		const struct record_header *record);
void inside_add_unfinished(struct inside_recorder *inside, struct inside_process *process,
			   const struct inside_slot *slot, uint64_t end_ns);
void inside_add_launches(struct inside_recorder *inside, struct inside_process *process,
			 uint32_t tid, const struct inside_bucket *bucket);

/* One that a probe saw, and the library did not. */
void inside_add_seen(struct inside_recorder *inside, struct inside_process *process,
		     const struct call_record *call);

/* beside.c: as struct recorder has it. */
bool inside_take_call(void *state, const struct call_record *call);
struct inside_span inside_span(const struct inside_process *process);
/* A call from inside becomes what a probe saw of it; false where none did. */
bool inside_adopt_seen(struct inside_process *process, struct call_record *call,
		       uint64_t *stack_id);
/* What probes saw of calls that ended before, and the library did not. */
void inside_settle_seen(struct inside_recorder *inside, struct inside_process *process,
			uint64_t before_ns);
/* Tells the probes whether the process's calls are theirs. */
void inside_leave_calls(struct inside_recorder *inside, struct inside_process *process);
/* Of one that ends: for what probes saw of it and is read later. */
void inside_remember_span(struct inside_recorder *inside, struct inside_process *process);

/* work.c: what the GPU did. */
void inside_add_work(struct inside_recorder *inside, struct inside_process *process,
		     const struct inside_work *work);
/* Those whose call has come since, or won't come: calls that ended before are read. */
void inside_settle_work(struct inside_recorder *inside, struct inside_process *process,
			uint64_t before_ns);
void inside_define_name(struct inside_recorder *inside, const struct inside_name *name);

/* threads.c: the thread of a process by the number that the library knows it by. */
struct task *inside_task(struct inside_recorder *inside, struct inside_process *process,
			 uint32_t tid);
struct process *inside_process_row(struct inside_recorder *inside, struct inside_process *process);

/* Calls of it come from inside, by CUPTI or by imports. */
static inline bool inside_records(const struct inside_process *process)
{
	struct inside_header *header = process->ring;
	uint32_t state = atomic_load(&header->state);

	return state == INSIDE_RECORDING || state == INSIDE_BY_IMPORTS ||
	       (state == INSIDE_YIELDED && atomic_load(&header->imports_ns));
}

/* join.c: of processes that ran already, when they come in; nothing of others. */
void inside_tell_line(struct inside_recorder *inside);
void inside_note_joined(struct inside_recorder *inside, struct inside_process *process);
/* What came before, when the process has ended or the recording has. */
void inside_note_before(struct inside_recorder *inside, const struct inside_process *process,
			uint64_t end_ns);
/* Who uses CUDA and has not come in; those of before stay, where they have ended since. */
void inside_find_outsiders(struct inside_recorder *inside);
void inside_note_outsiders(struct inside_recorder *inside, unsigned int recorded);

/* Has loaded CUDA's driver, and is no fork of one that has. */
bool inside_uses_cuda(const struct process *process);

/* remote.c: processes that are asked to come in by themselves; each of these does nothing where none is. */
void inside_ask(struct inside_recorder *inside);
void inside_look_at_requests(struct inside_recorder *inside);
void inside_withdraw_requests(struct inside_recorder *inside);

/* describe.c */
void inside_note_losses(struct inside_recorder *inside, struct inside_process *process);
/* What became of the library in a process, when that has ended or the recording has. */
void inside_note_end(struct inside_recorder *inside, struct inside_process *process,
		     uint64_t end_ns);
void inside_describe(struct inside_recorder *inside);
/* A process has loaded the library, and been given a ring. */
bool inside_anyone_came(const struct inside_recorder *inside);

/* refusals.c: of a process that is recorded with CUPTI, or can't be. */
void inside_keep_refusals(struct inside_recorder *inside, const struct inside_process *process,
			  enum inside_state state);
void inside_describe_refusals(const struct inside_recorder *inside);
bool inside_any_refused(const struct inside_recorder *inside); /* of the GPU's records */
void inside_put_capabilities(const struct inside_recorder *inside, unsigned int recorded);
/* A clause; text: CUPTI's word, or "". */
void inside_say_why(int32_t error, const char *text, char *out, size_t size);

/* provenance.c: of so many processes that CUPTI told of, and of those recorded without it. */
void inside_put_provenance(const struct inside_recorder *inside, unsigned int recorded);

#endif /* STALLTRACE_RECORD_INSIDE_H */

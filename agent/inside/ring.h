/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The memory that the library inside a job and the agent share: one sealed memfd a process, made by the
 * agent. Both compile this header. What the job wrote is anyone's: the agent checks all it reads.
 *
 * Times are CLOCK_MONOTONIC ns; tids are those of the job's own PID namespace. A thread writes records
 * into a block that is its own, the next one when that is full; the agent reads what is published, and
 * gives blocks back. So nobody waits for anybody: where no block is free, records are counted as lost.
 */
#ifndef STALLTRACE_INSIDE_RING_H
#define STALLTRACE_INSIDE_RING_H

#include <stdatomic.h>
#include <stddef.h>
#include "../wire.h"

#define INSIDE_VERSION 6
/* In COMMAND's environment: the name of the agent's socket, abstract. */
#define INSIDE_SOCKET_VARIABLE "STALLTRACE_INSIDE"
/*
 * Where an agent waits for processes that run already: one of these abstract names, a number behind it. Anyone may
 * take them: both sides look who the other is.
 */
#define INSIDE_MEETING "stalltrace-inside-at-"
#define INSIDE_MEETINGS 16
/* The driver loads the library that this names. */
#define INSIDE_LIBRARY_VARIABLE "CUDA_INJECTION64_PATH"

#define INSIDE_BLOCK_BYTES 16384
#define INSIDE_BLOCKS 1024
#define INSIDE_SLOTS 1024
#define INSIDE_BUCKETS 4 /* launching functions of a thread that are counted side by side */
#define INSIDE_DETAIL_BYTES 256
#define INSIDE_REFUSAL_BYTES 60

enum inside_answer {
	INSIDE_WELCOME,    /* the memfd comes beside it */
	INSIDE_NOT_CHOSEN, /* what is captured is another process */
	INSIDE_NO_ROOM,
};

/* What the agent answers with on the socket. */
struct inside_welcome {
	__u32 version;
	__u32 answer; /* enum inside_answer */
	__u64 ring_bytes;
};

/* What became of it in the job. */
enum inside_state {
	INSIDE_NEW,
	INSIDE_RECORDING,
	INSIDE_NO_CUPTI,    /* detail: what was looked for */
	INSIDE_WRONG_CUPTI, /* lacks what is called; detail: what */
	INSIDE_TAKEN,       /* another profiler has subscribed */
	INSIDE_REFUSED,     /* CUPTI said no; refusals */
	INSIDE_NO_THREAD,
	INSIDE_YIELDED,    /* another profiler came; yielded_ns, and perhaps imports_ns */
	INSIDE_LEFT,       /* the capture ended before the process did */
	INSIDE_UNASKED,    /* CUPTI is not wanted */
	INSIDE_BY_IMPORTS, /* calls through imports are recorded; without_cupti says why */
	INSIDE_STATES,
};

/* cuptiFinalize is known to crash with CUDA graphs before CUDA 12.6, whose CUPTI has this version. */
#define INSIDE_FINALIZE_FROM 24

/* The last time that CUPTI is asked for all it has: the capture ends, or the process. */
enum inside_flush { INSIDE_NOT_FLUSHED, INSIDE_FLUSHED };

enum inside_kind {
	INSIDE_CALL = 1,
	INSIDE_LAUNCHES,
	INSIDE_WORK,
	INSIDE_NAME,
	INSIDE_STREAM,
	INSIDE_STACK, /* struct stack_record */
	INSIDE_CLOCK,
	INSIDE_DEVICE,
	INSIDE_KINDS,
};

#define INSIDE_WORK_KERNEL 1
#define INSIDE_WORK_COPY 2
#define INSIDE_WORK_FILL 3
#define INSIDE_WORK_GRAPH 4

/* Which of the GPU's records are asked for. */
enum inside_gpu_records { INSIDE_GPU_ALL, INSIDE_GPU_COPIES, INSIDE_GPU_NONE };

/* What of CUPTI may be refused by itself. */
enum inside_refused {
	INSIDE_SUBSCRIBE,
	INSIDE_BUFFERS,
	/* Kinds of records. */
	INSIDE_KERNELS,
	INSIDE_GRAPHS,
	INSIDE_FILLS,
	INSIDE_PEER_COPIES,
	INSIDE_COPIES,
	INSIDE_REFUSALS,
};
/* Besides CUPTI's own results. */
#define INSIDE_TOO_SHORT (-1)
#define INSIDE_NO_MEMORY (-2)

struct inside_refusal {
	__s32 error; /* CUPTI's result, or one of these; 0 = it was not refused */
	char text[INSIDE_REFUSAL_BYTES]; /* CUPTI's word for it; may end without a NUL */
};

struct inside_header {
	/* The agent's. */
	__u32 version;
	__u32 gpu_records;         /* enum inside_gpu_records */
	__u32 launches_per_bucket; /* of a thread in 100 ms; more are counted only */
	__u32 stacks_per_second;
	__u64 stack_threshold_ns;
	_Atomic __u32 recording; /* 0 = the capture has ended */
	_Atomic __u32 python_known;
	_Atomic __u64 beat_ns; /* when it looked last */
	struct python_config python;
	/* Both's: a futex that wakes the library's thread. */
	_Atomic __u32 wake;
	/* The agent's. */
	__u32 no_cupti;
	__u32 imports; /* without CUPTI, those calls are recorded that go through imports */
	__u32 unreadable; /* the agent may not read the process's memory: Yama may be asked to allow it */
	__u32 padding[2];

	/* The job's, from here on. */
	_Atomic __u32 state; /* enum inside_state; what describes it is written before */
	__s32 pid;           /* in its own PID namespace */
	__u32 cupti_version;
	_Atomic __u32 own_clock; /* GPU records are in CUPTI's clock: see INSIDE_CLOCK */
	_Atomic __u32 flushed;   /* enum inside_flush: how far it is with the last one */
	_Atomic __u64 yielded_ns;
	_Atomic __u64 imports_ns;   /* after that calls through imports are recorded; 0 = none */
	_Atomic __u64 flushed_ns;   /* when CUPTI handed over last what it had */
	_Atomic __u64 recording_ns; /* calls that begin later are in the ring; 0 = none yet */
	_Atomic __u64 sequence;     /* of blocks taken */
	_Atomic __u32 free_blocks;
	/* The first so many are or were in use: those of low number are taken first. */
	_Atomic __u32 blocks_used, slots_used;
	_Atomic __u32 without_cupti; /* enum inside_state: why it is INSIDE_BY_IMPORTS */
	_Atomic __u32 places;        /* imports that lead to us */
	_Atomic __u64 lost[INSIDE_KINDS];
	_Atomic __u64 cupti_lost; /* records that CUPTI says it dropped */
	char detail[INSIDE_DETAIL_BYTES];
	struct inside_refusal refusals[INSIDE_REFUSALS];
};

enum inside_block_state { INSIDE_BLOCK_FREE, INSIDE_BLOCK_TAKEN, INSIDE_BLOCK_CLOSED };

struct inside_block {
	_Atomic __u32 state;    /* enum inside_block_state */
	_Atomic __u32 filled;   /* bytes of it that are published */
	_Atomic __u64 sequence; /* in which order the blocks of a thread were taken */
	__u8 padding[48];       /* one cache line each: their owners write all the time */
};
_Static_assert(sizeof(struct inside_block) == 64, "ring");

/* Launches of a function that were counted since start_ns. */
struct inside_bucket {
	__u64 start_ns, last_ns, total_ns, min_ns, max_ns;
	__u32 count, stored;
	__u16 function;
	__u16 padding[3];
};

enum inside_slot_state { INSIDE_SLOT_FREE, INSIDE_SLOT_LIVE, INSIDE_SLOT_ENDED };

/*
 * CUPTI's numbers of calls that the call made itself, where they are others than its own: the first and the last. The
 * GPU's work may bear those.
 */
#define INSIDE_INNER 2

/*
 * What a thread has begun and not yet sent: there for the agent when the thread ends without a word.
 * Only the thread writes it, `version` odd while it does.
 */
struct inside_slot {
	_Atomic __u32 state; /* enum inside_slot_state */
	_Atomic __u32 version;
	__u32 tid;
	__u16 function;
	__u8 open; /* the call of `function` has not returned */
	/* It has, and its record comes: with an end between start_ns and now. */
	_Atomic __u8 leaving;
	__u32 correlation;
	__u32 context;
	__u64 start_ns;
	__u64 words[CALL_WORDS];
	struct inside_bucket buckets[INSIDE_BUCKETS];
	__u32 inner[INSIDE_INNER];
	__u8 room[184];
};
_Static_assert(sizeof(struct inside_slot) == 512, "ring");

#define INSIDE_CALL_SUMS 1  /* off_cpu_ns and faults are known */
#define INSIDE_CALL_QUEUE 2 /* run_queue_ns too */
#define INSIDE_CALL_LEFT 4  /* by an exception or longjmp: its return was not seen */

/* One CUDA call. header.flags: INSIDE_CALL_* */
struct inside_call {
	struct record_header header;
	__u64 start_ns;
	__u64 duration_ns;
	__u64 words[CALL_WORDS]; /* as BPF's call_record: arguments, extra */
	__u64 out_value;
	__u64 stack_id;
	__u64 off_cpu_ns;
	__u64 run_queue_ns;
	__u32 minor_faults;
	__u32 major_faults;
	__u32 correlation;
	__u32 context;
	__s32 result;
	__u16 function;
	__u16 padding;
	__u32 inner[INSIDE_INNER];
};
_Static_assert(sizeof(struct inside_call) == 152, "ring");

struct inside_launches {
	struct record_header header;
	struct inside_bucket bucket;
};

/* What the GPU did, as CUPTI's record says it. */
struct inside_work {
	struct record_header header;
	__u64 start_ns;
	__u64 end_ns;
	__u64 name; /* of a kernel: see INSIDE_NAME; 0 = none */
	__u64 bytes;
	__u64 node;
	__u32 device;
	__u32 context;
	__u32 stream; /* CUPTI's number */
	__u32 correlation;
	__u32 graph;
	__u8 kind;          /* INSIDE_WORK_* */
	__u8 copy_kind;     /* CUPTI's */
	__u8 source_memory; /* CUPTI's memory kinds */
	__u8 destination_memory;
	__s32 grid[3];
	__s32 block[3];
};
_Static_assert(sizeof(struct inside_work) == 96, "ring");

/* A kernel's name, mangled, before the first record that names it; hash of the text, never 0. */
struct inside_name {
	struct record_header header;
	__u64 hash;
	char text[]; /* header.size - 16 bytes, without a NUL */
};
#define INSIDE_NAME_BYTES 4096

/* Which of CUPTI's stream numbers a handle has. */
struct inside_stream {
	struct record_header header;
	__u64 handle;
	__u32 context;
	__u32 stream;
};

/* CUPTI's clock and CLOCK_MONOTONIC at one moment, where its records are not in the latter. */
struct inside_clock {
	struct record_header header;
	__u64 cupti_ns;
	__u64 monotonic_ns;
};

/* Which GPU a device number is: the process may see some of the machine's, in another order. */
struct inside_device {
	struct record_header header;
	__u32 device;
	__u32 padding;
	char pci_bus_id[24]; /* 0000:65:00.0 */
};

#define INSIDE_BLOCKS_AT 8192
#define INSIDE_SLOTS_AT (INSIDE_BLOCKS_AT + INSIDE_BLOCKS * sizeof(struct inside_block))
#define INSIDE_DATA_AT (INSIDE_SLOTS_AT + INSIDE_SLOTS * sizeof(struct inside_slot))
#define INSIDE_RING_BYTES (INSIDE_DATA_AT + (size_t)INSIDE_BLOCKS * INSIDE_BLOCK_BYTES)
_Static_assert(sizeof(struct inside_header) <= INSIDE_BLOCKS_AT, "ring");
_Static_assert(INSIDE_DATA_AT % 4096 == 0, "ring");

static inline struct inside_block *inside_block(void *ring, unsigned int index)
{
	return (struct inside_block *)((char *)ring + INSIDE_BLOCKS_AT) + index;
}

static inline struct inside_slot *inside_slot(void *ring, unsigned int index)
{
	return (struct inside_slot *)((char *)ring + INSIDE_SLOTS_AT) + index;
}

static inline char *inside_data(void *ring, unsigned int index)
{
	return (char *)ring + INSIDE_DATA_AT + (size_t)index * INSIDE_BLOCK_BYTES;
}

#endif /* STALLTRACE_INSIDE_RING_H */

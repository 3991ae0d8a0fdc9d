/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Maps that all programs share, and how a record is sent. */
#ifndef STALLTRACE_STATE_BPF_H
#define STALLTRACE_STATE_BPF_H

#include "kernel_types.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "../wire.h"

#define CALL_DEPTH 4

const volatile struct agent_config config = {};

/* User space sets it once every probe is in place, and clears it first when it stops. */
volatile __u8 recording = 0;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 16 << 20);
} ring SEC(".maps");

/* Records that found no room, by kind. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RECORD_KINDS);
	__type(key, __u32);
	__type(value, __u64);
} drops SEC(".maps");

/* Processes (tgid) whose threads become targets when they are next seen. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u8);
} targets SEC(".maps");

/* Processes (tgid) whose calls are recorded otherwise from their next one on. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u8);
} left_calls SEC(".maps");

/* Tasks (tid → start_ns) whose TASK record was sent. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, __u64);
} announced SEC(".maps");

/* A CUDA call that has not returned. */
struct open_call {
	__u64 start_ns;      /* 0 = its record was sent */
	__u64 stack_pointer; /* at entry */
	__u64 call_id;
	__u64 words[CALL_WORDS]; /* arguments and extra */
	__u64 entry_address;
	__u64 caller;
	__u64 off_cpu_ns; /* the thread's sums at entry */
	__u64 run_queue_ns;
	__u32 minor_faults;
	__u32 major_faults;
	__u32 function;
	__u32 flags;         /* of its function_spec */
	__u32 launch_probes; /* as they were at entry */
	__u32 padding;
};

/* Launches of one function in the thread's bucket. */
struct launch_count {
	__u64 total_ns;
	__u64 min_ns;
	__u64 max_ns;
	__u32 count; /* 0 = free */
	__u32 stored;
	__u32 function;
	__u32 padding;
};

/* Functions of launches that a thread uses in one bucket without sending more records. */
#define LAUNCH_FUNCTIONS 4

struct launch_bucket {
	__u64 start_ns;
	__u32 stored; /* of all functions */
	__u32 padding;
	struct launch_count functions[LAUNCH_FUNCTIONS];
};

/* A place in the program where the thread has waited long. */
struct wait_place {
	__u32 key;  /* 0 = none */
	__u32 heat; /* 0 = its last waits were short */
};

/* Hashed by key. */
#define WAIT_PLACES 8

/* What is kept of a target thread; that it exists makes the thread a target. */
struct thread {
	/* sums since it became a target */
	__u64 off_cpu_ns;
	__u64 run_queue_ns;
	/* the switch-out it has not come back from; 0 = on a CPU */
	__u64 out_ns;
	__u64 wake_ns;       /* 0 = not woken since */
	__u64 out_run_delay; /* the kernel's sum at out_ns */
	__u64 excess_ns;     /* waited by the run queue's clock, not yet in run_queue_ns */
	__u64 throttle_base; /* throttled time of its queue when it began to wait there */
	__u64 throttled_ns;  /* in queues it waited in before */
	__u64 out_stack_id;
	__u64 syscall_arguments[3];
	union file_identity file;
	__u64 executed_ns; /* at the last switch */
	__u64 minor_faults;
	__u64 major_faults;
	__u64 out_executed_ns; /* deltas of the slice that ended at out_ns */
	__u32 out_minor_faults;
	__u32 out_major_faults;
	__u32 out_state;
	__u32 out_flags;
	__u32 next_tid;
	__u32 waker_tid;
	__s32 syscall;
	__u32 waiting_cpu_plus_one; /* CPU in whose `waiting` it is counted; 0 = none */
	__u16 cpu_out;
	__u8 waker_context;
	__u8 depth;     /* open calls; those above CALL_DEPTH are not kept */
	__u8 announced; /* its TASK record was sent */
	__u8 file_type; /* enum file_type; what else than FILE_UNKNOWN says that file holds */
	__u16 name_hash;
	__u8 reclaim_depth; /* reclaims it is in, one within the other */
	__u8 reclaim_flags; /* of the outermost */
	__u8 padding[6];
	__u64 file_name[FILE_NAME_HASHED / 8]; /* room to hash it */
	/* begin of the outermost reclaim, and of the page fault or long syscall it is in; 0 = none */
	__u64 reclaim_ns;
	__u64 fault_ns;
	__u64 fault_address;
	__u64 syscall_ns;
	__u64 page_alloc_ns;
	__u64 page_alloc_bytes;
	__u64 page_alloc_count;
	/* the file that it last needed a page of outside a system call, and its page faults until then */
	__u64 touched_mapping;
	__u64 touched_faults;
	__u64 python_tstate; /* last found PyThreadState, proved again at each use */
	/* stacks of waits: wait_stacks.bpf.h */
	__u64 wait_stacks_ns; /* up to when its stacks are paid for */
	__u32 wait_key;       /* of the switch-out it has not come back from; 0 = none */
	__u32 submits;        /* it has entered a CUDA function */
	struct wait_place wait_places[WAIT_PLACES];
	struct launch_bucket launches;
	struct open_call calls[CALL_DEPTH];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread);
} threads SEC(".maps");

static __always_inline void count_drop(__u32 kind)
{
	__u64 *count = bpf_map_lookup_elem(&drops, &kind);

	if (count)
		*count += 1;
}

/* Room for a record of a fixed size, zeroed but for its header; NULL when the ring is full. */
static __always_inline void *reserve_record(__u32 kind, __u32 tid, __u64 size)
{
	struct record_header *header = bpf_ringbuf_reserve(&ring, size, 0);

	if (!header) {
		count_drop(kind);
		return NULL;
	}
	__builtin_memset(header, 0, size);
	header->kind = kind;
	header->size = size;
	header->tid = tid;
	return header;
}

/*
 * Hands the record over without waking user space, which looks every 50 ms, unless a quarter of the
 * ring is waiting to be read.
 */
static __always_inline void submit_record(void *record)
{
	__u64 waiting = bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA);
	__u64 size = bpf_ringbuf_query(&ring, BPF_RB_RING_SIZE);

	bpf_ringbuf_submit(record, waiting > size / 4 ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
}

#endif /* STALLTRACE_STATE_BPF_H */

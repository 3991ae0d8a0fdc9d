/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What the BPF programs send to user space, and what user space tells them. Both sides compile this
 * header; every struct has fixed-width members, explicit padding and an asserted size.
 *
 * Times are CLOCK_MONOTONIC ns (bpf_ktime_get_ns). tid, tgid are those of the initial PID namespace.
 * One ring buffer carries all records in the order in which they were reserved, so a record may rely
 * on those before it: a TASK precedes the first record that names its tid, a STACK the first that
 * names its id – unless it was dropped, which is counted.
 */
#ifndef STALLTRACE_WIRE_H
#define STALLTRACE_WIRE_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define COMM_LENGTH 16
#define KERNEL_FRAMES 16
#define USER_FRAMES 64
#define PYTHON_FRAMES 48
#define CALL_ARGUMENTS 6
#define MAX_CPUS 1024

enum record_kind {
	RECORD_TASK = 1,
	RECORD_CALL,
	RECORD_LAUNCHES,
	RECORD_OFF_CPU,
	RECORD_ON_CPU,
	RECORD_PROCESS,
	RECORD_CPU_SAMPLE,
	RECORD_STACK,
	RECORD_BLOCK_IO,
	RECORD_RECLAIM,
	RECORD_PAGE_FAULT,
	RECORD_PAGE_ALLOC,
	RECORD_SYSCALL,
	RECORD_KINDS,
};

struct record_header {
	__u8 kind;
	__u8 flags;
	/* Bytes of the whole record, for those of variable length too. */
	__u16 size;
	__u32 tid;
};
_Static_assert(sizeof(struct record_header) == 8, "wire");

#define TASK_TARGET 1 /* in the traced tree */
#define TASK_KERNEL 2 /* a kernel thread, the idle task (tid 0) among them */

/* How the kernel chooses when a task runs. */
struct priority {
	__u8 known;  /* 0 = nothing of it */
	__u8 policy; /* SCHED_* of include/uapi/linux/sched.h */
	__u8 real_time;
	__s8 nice;
};

/* A task as it was when a record first named it. (tid, start_ns) is its identity. */
struct task_record {
	struct record_header header;
	__u64 start_ns; /* task_struct.start_time; 0 for the idle tasks, which are one */
	__u32 tgid;
	__u32 parent_tgid;
	__u32 namespace_tid; /* in its own, innermost PID namespace */
	__u32 namespace_tgid;
	char comm[COMM_LENGTH];
	struct priority priority;
	__u32 padding;
};
_Static_assert(sizeof(struct task_record) == 56, "wire");

#define CALL_UNFINISHED 1 /* had not returned when its thread exited */
#define CALL_NO_RETURN 2  /* entry only: the process must not be given return probes */

/* One CUDA call, from entry to return. */
struct call_record {
	struct record_header header;
	__u64 start_ns;
	__u64 duration_ns;
	__u64 call_id;   /* 0 = nothing refers to it */
	__u64 parent_id; /* call_id of the probed call around it; 0 = outermost */
	__u64 arguments[CALL_ARGUMENTS];
	__u64 extra[2]; /* 7th and 8th argument, or what FUNCTION_* asks for */
	__u64 return_value;
	__u64 out_value; /* what the out pointer held at return */
	__u64 stack_id;  /* 0 = none */
	__u64 caller;    /* return address */
	__u64 off_cpu_ns;
	__u64 run_queue_ns;
	__u32 minor_faults;
	__u32 major_faults;
	__u32 tgid;
	__u16 function; /* index into the function table of user space */
	__u16 padding;
};
_Static_assert(sizeof(struct call_record) == 168, "wire");

/* Launches of one function by one thread that were counted instead of sent one by one. */
struct launches_record {
	struct record_header header;
	__u64 start_ns;
	__u64 duration_ns; /* of the bucket */
	__u64 total_ns;
	__u64 min_ns;
	__u64 max_ns;
	__u32 count;  /* all launches in the bucket */
	__u32 stored; /* of these, sent as call records */
	__u32 tgid;
	__u16 function;
	__u16 padding;
};
_Static_assert(sizeof(struct launches_record) == 64, "wire");

#define OFF_CPU_PREEMPTED 1 /* the scheduler said so; state 0 says it as well */
#define OFF_CPU_IN_IO_WAIT 2
#define OFF_CPU_THROTTLED 4
#define OFF_CPU_UNFINISHED 8   /* was off the CPU when it ended or the capture did */
#define OFF_CPU_QUEUE_KNOWN 16 /* run_queue_ns is the kernel's own figure */
#define OFF_CPU_IN_SYSCALL 32  /* syscall and its arguments are known */
#define OFF_CPU_END_MADE_UP 64 /* its end was not seen but follows from what ran since */

/* Of an open file: the upper bits of its inode's mode, or one of ours. */
enum file_type {
	FILE_UNKNOWN = 0, /* nothing is known of it */
	FILE_FIFO = 1,
	FILE_CHARACTER = 2,
	FILE_DIRECTORY = 4,
	FILE_BLOCK = 6,
	FILE_REGULAR = 8,
	FILE_SOCKET = 12,
	FILE_OTHER = 14,     /* the mode doesn't say */
	FILE_ANONYMOUS = 15, /* eventfd, epoll, …: all are one inode */
	FILE_MAPPED = 16,    /* none is open: memory that maps it was touched */
};

#define FILE_NAME_LENGTH 16

/*
 * Which file is open, whatever it is called. What is not used of it is 0, so that two can be compared
 * as bytes.
 */
union file_identity {
	struct {
		__u64 inode;
		union {
			__u32 mount;  /* as mnt_id in /proc/PID/fdinfo */
			__u32 device; /* FILE_MAPPED: s_dev, as the kernel keeps it */
		};
		__u32 generation; /* another one where the inode's number is used again; 0 = not kept */
	};
	char name[FILE_NAME_LENGTH]; /* FILE_ANONYMOUS: "[eventfd]", "inotify" */
	struct {
		__u32 socket_inode;
		__u32 family; /* enum socket_family; what follows is of those that have a peer */
		__u16 own_port;
		__u16 peer_port;
		__u32 peer_address; /* in network order; all there is of it for SOCKET_INET alone */
	};
};
_Static_assert(sizeof(union file_identity) == 16, "wire");

enum socket_family {
	SOCKET_OTHER = 0, /* a Unix socket, one that listens, …: nothing else is known of it */
	SOCKET_INET,
	SOCKET_INET6,
	SOCKET_INET6_LOOPBACK,
};

/* So much of a file's name is hashed, its end in zeros. */
#define FILE_NAME_HASHED 64
/*
 * Of the last part of the path by which a file was opened: its inode and descriptor may be another file's a
 * moment later. Never 0.
 */
static inline __u16 file_name_hash(const __u64 words[FILE_NAME_HASHED / 8])
{
	__u64 hash = 0;

	for (int at = 0; at < FILE_NAME_HASHED / 8; at++)
		hash = (hash ^ words[at]) * 0x9e3779b97f4a7c15ull;
	return (__u16)(hash >> 48) ?: 1;
}

/* Waits of the main thread, and of threads that submit GPU work, get their stack from this length on. */
#define LONG_WAIT_NS 5000000

enum wake_context { WAKE_UNKNOWN, WAKE_TASK, WAKE_SOFTIRQ, WAKE_IRQ, WAKE_TIMER };

#define STATE_NEW 0x800

/* One interval of a target thread off the CPU, sent when it comes back. */
struct off_cpu_record {
	struct record_header header;
	__u64 start_ns;
	__u64 duration_ns;
	__u64 run_queue_ns;
	__u64 throttled_ns; /* of these; ~0 = some, how much isn't known */
	__u64 executed_ns;  /* sum_exec_runtime since it last came on a CPU */
	__u64 syscall_arguments[3];
	union file_identity file; /* behind the first of them; FILE_MAPPED: the one it touched */
	__u64 stack_id;
	__u32 state; /* prev_state, raw; STATE_NEW = waited for its first CPU and left none */
	__u32 waker_tid;
	__u32 next_tid;     /* who came on the CPU it left; tid 0 = idle; none where STATE_NEW */
	__u32 previous_tid; /* who was on the CPU it came back on; none where END_MADE_UP */
	__u32 minor_faults; /* since it last came on a CPU */
	__u32 major_faults;
	__s32 syscall;
	__u16 cpu_out;
	__u16 cpu_in;
	__u8 waker_context; /* enum wake_context; waker_tid counts only for WAKE_TASK */
	__u8 file_type;     /* enum file_type */
	__u16 name_hash; /* file_name_hash() of that file; 0 = not kept: its path may end otherwise */
	__u32 tgid;
};
_Static_assert(sizeof(struct off_cpu_record) == 136, "wire");

/* A task held a CPU while a target thread waited for that CPU. tid 0 = the CPU was idle. */
struct on_cpu_record {
	struct record_header header;
	__u64 start_ns;
	__u64 duration_ns;
	__u32 cpu;
	struct priority priority; /* as it was at the end */
};
_Static_assert(sizeof(struct on_cpu_record) == 32, "wire");

enum process_action {
	PROCESS_FORK = 1,
	PROCESS_EXEC,
	PROCESS_EXIT,
	PROCESS_RENAME,
	PROCESS_OOM_KILL,
};

/* header.tid did it; subject is the child of a fork, the victim of an OOM kill, else header.tid. */
struct process_record {
	struct record_header header;
	__u64 time_ns;
	__u32 tgid;
	__u32 subject_tid;
	__u32 subject_tgid;
	__u16 action; /* enum process_action */
	__u16 exit_status;
	char comm[COMM_LENGTH]; /* the new name of an exec or a rename */
};
_Static_assert(sizeof(struct process_record) == 48, "wire");

/* As CpuMode. */
#define SAMPLE_USER 1
#define SAMPLE_KERNEL 2

struct cpu_sample_record {
	struct record_header header; /* flags: SAMPLE_* */
	__u64 time_ns;
	__u64 stack_id;
	__u32 tgid;
	__u32 cpu;
};
_Static_assert(sizeof(struct cpu_sample_record) == 32, "wire");

struct python_frame {
	__u64 code;        /* PyCodeObject */
	__s64 instruction; /* bytes from the first instruction; < 0 = not begun */
};

/*
 * A stack the first time it is seen: kernel, user, Python frames behind each other, each leaf first.
 * id is a hash of process and frames, never 0.
 */
struct stack_record {
	struct record_header header;
	__u64 id;
	__u32 tgid;
	__u16 kernel_frames;
	__u16 user_frames;
	__u16 python_frames;
	__u16 padding[3];
	/* __u64 kernel[], __u64 user[], struct python_frame python[] */
	__u64 frames[KERNEL_FRAMES + USER_FRAMES + 2 * PYTHON_FRAMES];
};
_Static_assert(sizeof(struct stack_record) == 32 + 8 * 176, "wire");

struct block_io_record {
	struct record_header header; /* tid that submitted it */
	__u64 start_ns;              /* issue to the device */
	__u64 duration_ns;
	__u64 queue_ns; /* from insert to issue; 0 = was not queued */
	__u64 sector;
	__u32 bytes;
	__u32 device;    /* kernel's dev_t: major << 20 | minor */
	__u32 operation; /* REQ_OP_*: 0 read, 1 write, 2 flush, 3 discard */
	__u32 padding;
};
_Static_assert(sizeof(struct block_io_record) == 56, "wire");

/* Memory ran out in a control group, not in the machine. */
#define RECLAIM_OF_GROUP 1

/* Reclaim of memory by a target thread that asked for some. */
struct reclaim_record {
	struct record_header header; /* flags: RECLAIM_* */
	__u64 start_ns;
	__u64 duration_ns;
	__u64 reclaimed_pages;
};
_Static_assert(sizeof(struct reclaim_record) == 32, "wire");

#define FAULT_MAJOR 1

struct page_fault_record {
	struct record_header header; /* flags: FAULT_* */
	__u64 start_ns;
	__u64 duration_ns;
	__u64 address;
};
_Static_assert(sizeof(struct page_fault_record) == 32, "wire");

#define PAGE_ALLOC_INTERVAL_NS 10000000

/* Pages a target thread was given since its last such record, at most one in each interval. */
struct page_alloc_record {
	struct record_header header;
	__u64 start_ns;
	__u64 bytes;
	__u64 count;
};
_Static_assert(sizeof(struct page_alloc_record) == 32, "wire");

struct syscall_record {
	struct record_header header;
	__u64 start_ns;
	__u64 duration_ns;
	__u64 arguments[3];
	__s64 result;
	__s32 number;
	__u32 padding;
};
_Static_assert(sizeof(struct syscall_record) == 64, "wire");

/* What the BPF side must know of a probed function. */
#define FUNCTION_LAUNCH 1       /* no stack; counted above a rate; one layer only */
#define FUNCTION_STACK 2        /* stack at return where it took stack_threshold_ns */
#define FUNCTION_STACK_ALWAYS 4 /* stack whatever it took: allocations */
#define FUNCTION_OUT_POINTER 8  /* read *(u64 *)arguments[0] at return */
#define FUNCTION_STACK_ARGUMENTS \
	16 /* extra = arguments `argument` and `argument` + 1, from 0, ≥ 6 */
#define FUNCTION_DEREFERENCE \
	32                  /* reads `fields` words at arguments[argument] + offset[], at entry */
#define FUNCTION_RUNTIME 64 /* CUDA runtime, else driver */

/*
 * A call's arguments and extra are eight words behind each other. Fields that are read
 * through a pointer become the last of them, in order; the first of seven replaces the pointer.
 */
#define CALL_WORDS (CALL_ARGUMENTS + 2)
#define MAX_FIELDS 7
/* What a word holds whose memory could not be read. */
#define UNREADABLE (~0ULL)

struct function_spec {
	__u32 flags;
	__u8 argument;
	__u8 fields;
	__u16 offset[MAX_FIELDS];
	__u32 padding;
};
_Static_assert(sizeof(struct function_spec) == 24, "wire");
#define MAX_FUNCTIONS 256

/* The uprobe's cookie: which function of the table. Return probes carry the same. */

enum python_frame_source {
	PYTHON_FRAME_OBJECT = 1, /* 3.8–3.10: tstate->frame is a PyFrameObject */
	PYTHON_CFRAME,           /* 3.11, 3.12: tstate->cframe->current_frame */
	PYTHON_CURRENT_FRAME,    /* 3.13 on: tstate->current_frame */
};

/*
 * Where CPython keeps what a walker needs, per process. Offsets in bytes. From the interpreter's
 * published table (3.13 on) or a table of known versions, proved on the process before it is used.
 */
struct python_config {
	__u64 thread_list; /* address of the word that points to the first PyThreadState */
	__u64 code_mask;   /* to clear the tag bits of a frame's executable; ~0 = none */
	__u16 source;      /* enum python_frame_source */
	__u16 tstate_next;
	__u16 tstate_thread_id; /* pthread_self() */
	__u16 tstate_frame;     /* frame, cframe or current_frame */
	__u16 cframe_current_frame;
	__u16 frame_previous;
	__u16 frame_code;
	__u16 frame_instruction; /* f_lasti (int) or the pointer prev_instr / instr_ptr */
	__u16 frame_owner;       /* char; 0 = has none */
	__u16 owner_skip;        /* frames with this owner or above are the interpreter's own */
	__u16 code_instructions; /* first instruction inside the code object */
	/* f_lasti counts instructions of two bytes (3.10), not bytes. */
	__u16 instruction_scale;
};
_Static_assert(sizeof(struct python_config) == 40, "wire");

#define SYSCALL_WORDS 8 /* of 64 system calls each */

/* Set before the programs are loaded. */
struct agent_config {
	/* A bit for each system call whose first argument is a file descriptor. */
	__u64 descriptor_syscalls[SYSCALL_WORDS];
	__u64 stack_threshold_ns;
	__u64 syscall_threshold_ns;
	__u32 launches_per_bucket; /* of a thread in 100 ms; more are counted only */
	__u32 agent_tgid;          /* never a target */
	__u8 all_tasks;            /* every task but the agent is a target */
	__u8 switch_has_state;     /* sched_switch passes prev_state (5.18 on) */
	__u8 block_has_queue;      /* block_rq_* pass the queue first (before 5.11) */
	__u8 off_cpu_stacks;
	__u8 python;
	__u8 oom_passes_task; /* mark_victim passes the task (6.9 on), else its pid */
	__u8 padding[2];
	__u32 page_bytes;
	__u32 anonymous_mount; /* where the files without an inode of their own are; 0 = not known */
	__s32 poll_syscall;    /* poll() and ppoll(); -1 = there is none */
	__s32 ppoll_syscall;
};
_Static_assert(sizeof(struct agent_config) == 112, "wire");

#endif /* STALLTRACE_WIRE_H */

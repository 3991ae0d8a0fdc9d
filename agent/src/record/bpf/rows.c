// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Records → rows, one function per kind. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "bpf.h"
#include "devices.h"
#include "syscall_names.h"

static void set_syscall(const struct off_cpu_record *record, int64_t file, int64_t *row)
{
	if (!(record->header.flags & OFF_CPU_IN_SYSCALL))
		return;
	row[OFF_CPU_SYSCALL] = record->syscall;
	row[OFF_CPU_SYSCALL_ARG0] = (int64_t)record->syscall_arguments[0];
	row[OFF_CPU_SYSCALL_ARG1] = (int64_t)record->syscall_arguments[1];
	row[OFF_CPU_SYSCALL_ARG2] = (int64_t)record->syscall_arguments[2];
	row[OFF_CPU_FILE_ID] = file;
}

/* Name id of the file the thread waited on; TRACE_NULL where it waited on none. */
static int64_t awaited_file(struct bpf_recorder *bpf, const struct off_cpu_record *record)
{
	if (!(record->header.flags & OFF_CPU_IN_SYSCALL) || !record->state ||
	    !syscall_takes_descriptor(record->syscall))
		return TRACE_NULL;
	return descriptor_name(bpf->descriptors, (pid_t)record->tgid,
			       (int)record->syscall_arguments[0],
			       record->start_ns + record->duration_ns);
}

static void add_off_cpu(struct bpf_recorder *bpf, const struct off_cpu_record *record)
{
	struct session *session = bpf->session;
	unsigned int flags = record->header.flags;
	int64_t file = awaited_file(bpf, record);
	int64_t *row = trace_append(session->writer, TABLE_OFF_CPU);

	row[OFF_CPU_START_NS] = trace_time(session->writer, record->start_ns);
	row[OFF_CPU_DURATION_NS] = row_value(record->duration_ns);
	row[OFF_CPU_THREAD_ID] = tasks_row(session->tasks, (pid_t)record->header.tid);
	/* A task may be preempted on its way to sleep: it wears the state, but is runnable. */
	row[OFF_CPU_STATE] = flags & OFF_CPU_PREEMPTED ? 0 : record->state;
	row[OFF_CPU_WAKER_CONTEXT] = record->waker_context;
	if (record->waker_context == WAKE_TASK)
		row[OFF_CPU_WAKER_ID] = tasks_row(session->tasks, (pid_t)record->waker_tid);
	if (record->state != STATE_NEW)
		row[OFF_CPU_NEXT_THREAD_ID] = tasks_row(session->tasks, (pid_t)record->next_tid);
	row[OFF_CPU_CPU_OUT] = record->cpu_out;
	row[OFF_CPU_IO_WAIT] = flags & OFF_CPU_IN_IO_WAIT ? 1 : 0;
	row[OFF_CPU_EXECUTED_NS] = row_value(record->executed_ns);
	row[OFF_CPU_MINOR_FAULTS] = record->minor_faults;
	row[OFF_CPU_MAJOR_FAULTS] = record->major_faults;
	row[OFF_CPU_STACK_ID] = stacks_row(session->stacks, record->stack_id);
	if (!(flags & OFF_CPU_UNFINISHED)) {
		row[OFF_CPU_CPU_IN] = record->cpu_in;
		row[OFF_CPU_RUN_QUEUE_NS] = row_value(record->run_queue_ns);
		if (record->throttled_ns != ~0ull)
			row[OFF_CPU_THROTTLED_NS] = row_value(record->throttled_ns);
		if (!(flags & OFF_CPU_END_MADE_UP))
			row[OFF_CPU_PREVIOUS_THREAD_ID] =
				tasks_row(session->tasks, (pid_t)record->previous_tid);
	}
	set_syscall(record, file, row);
}

static void add_on_cpu(struct session *session, const struct on_cpu_record *record)
{
	int64_t *row = trace_append(session->writer, TABLE_ON_CPU);

	row[ON_CPU_START_NS] = trace_time(session->writer, record->start_ns);
	row[ON_CPU_DURATION_NS] = row_value(record->duration_ns);
	row[ON_CPU_THREAD_ID] = tasks_row(session->tasks, (pid_t)record->header.tid);
	row[ON_CPU_CPU] = record->cpu;
}

static void add_cpu_sample(struct session *session, const struct cpu_sample_record *record)
{
	int64_t *row = trace_append(session->writer, TABLE_CPU_SAMPLE);

	row[CPU_SAMPLE_START_NS] = trace_time(session->writer, record->time_ns);
	row[CPU_SAMPLE_THREAD_ID] = tasks_row(session->tasks, (pid_t)record->header.tid);
	row[CPU_SAMPLE_MODE] = record->header.flags;
	row[CPU_SAMPLE_STACK_ID] = stacks_row(session->stacks, record->stack_id);
}

static void add_stack(struct session *session, const struct stack_record *record)
{
	struct process *process = tasks_find_process(session->tasks, (pid_t)record->tgid);
	unsigned int frames =
		record->kernel_frames + record->user_frames + 2 * record->python_frames;

	if (record->header.size < offsetof(struct stack_record, frames) + frames * sizeof(__u64))
		return;
	if (process)
		tasks_tell(session->tasks, process, (pid_t)record->header.tid,
			   stacks_add(session->stacks, process, record, session->now_ns));
}

static const char *block_operation(unsigned int operation)
{
	/* include/linux/blk_types.h, enum req_op */
	switch (operation) {
	case 0:
		return "read";
	case 1:
		return "write";
	case 2:
		return "flush";
	case 3:
		return "discard";
	default:
		return "other";
	}
}

static void add_block_io(struct session *session, const struct block_io_record *record)
{
	int64_t operation = trace_name(session->writer, "IO", block_operation(record->operation));
	int64_t device = device_name(session->writer, record->device);
	int64_t *row = trace_append(session->writer, TABLE_BLOCK_IO);

	row[BLOCK_IO_START_NS] = trace_time(session->writer, record->start_ns);
	row[BLOCK_IO_DURATION_NS] = row_value(record->duration_ns);
	row[BLOCK_IO_THREAD_ID] = tasks_row(session->tasks, (pid_t)record->header.tid);
	row[BLOCK_IO_OP_ID] = operation;
	row[BLOCK_IO_BYTES] = record->bytes;
	/* A flush has none: all bits set. */
	row[BLOCK_IO_SECTOR] = record->sector >> 53 ? TRACE_NULL : row_value(record->sector);
	row[BLOCK_IO_DEVICE_ID] = device;
	row[BLOCK_IO_QUEUE_NS] = row_value(record->queue_ns);
}

static void add_reclaim(struct session *session, const struct reclaim_record *record)
{
	int64_t operation = trace_name(session->writer, "HOST", "direct reclaim");
	int64_t category = trace_name(session->writer, "", "kernel");
	int64_t *row = trace_append(session->writer, TABLE_ANNOTATION);

	row[ANNOTATION_START_NS] = trace_time(session->writer, record->start_ns);
	row[ANNOTATION_DURATION_NS] = row_value(record->duration_ns);
	row[ANNOTATION_THREAD_ID] = tasks_row(session->tasks, (pid_t)record->header.tid);
	row[ANNOTATION_OP_ID] = operation;
	row[ANNOTATION_CATEGORY_ID] = category;
}

static void add_page_fault(struct session *session, const struct page_fault_record *record)
{
	int64_t *row = trace_append(session->writer, TABLE_PAGE_FAULT);

	row[PAGE_FAULT_START_NS] = trace_time(session->writer, record->start_ns);
	row[PAGE_FAULT_DURATION_NS] = row_value(record->duration_ns);
	row[PAGE_FAULT_THREAD_ID] = tasks_row(session->tasks, (pid_t)record->header.tid);
	/* A process may try the kernel's: where that lies is not for the file. */
	if (!(record->address >> 63))
		row[PAGE_FAULT_ADDRESS] = (int64_t)record->address;
	row[PAGE_FAULT_MAJOR] = (record->header.flags & FAULT_MAJOR) != 0;
}

static void add_page_alloc(struct session *session, const struct page_alloc_record *record)
{
	int64_t *row = trace_append(session->writer, TABLE_PAGE_ALLOC);

	row[PAGE_ALLOC_START_NS] = trace_time(session->writer, record->start_ns);
	row[PAGE_ALLOC_THREAD_ID] = tasks_row(session->tasks, (pid_t)record->header.tid);
	row[PAGE_ALLOC_BYTES] = row_value(record->bytes);
}

static void add_syscall(struct session *session, const struct syscall_record *record)
{
	char name[32];
	int64_t operation, *row;

	syscall_name(record->number, name, sizeof(name));
	operation = trace_name(session->writer, "HOST", name);
	row = trace_append(session->writer, TABLE_SYSCALL);
	row[SYSCALL_START_NS] = trace_time(session->writer, record->start_ns);
	row[SYSCALL_DURATION_NS] = row_value(record->duration_ns);
	row[SYSCALL_THREAD_ID] = tasks_row(session->tasks, (pid_t)record->header.tid);
	row[SYSCALL_OP_ID] = operation;
	if (syscall_takes_descriptor(record->number))
		row[SYSCALL_FD] = (int32_t)record->arguments[0];
	if (syscall_moves_bytes(record->number) && record->result >= 0)
		row[SYSCALL_BYTES] = record->result;
}

/* The smallest a record of each kind may be; 0 = not a kind. */
static const size_t sizes[RECORD_KINDS] = {
	[RECORD_TASK] = sizeof(struct task_record),
	[RECORD_CALL] = sizeof(struct call_record),
	[RECORD_LAUNCHES] = sizeof(struct launches_record),
	[RECORD_OFF_CPU] = sizeof(struct off_cpu_record),
	[RECORD_ON_CPU] = sizeof(struct on_cpu_record),
	[RECORD_PROCESS] = sizeof(struct process_record),
	[RECORD_CPU_SAMPLE] = sizeof(struct cpu_sample_record),
	[RECORD_STACK] = offsetof(struct stack_record, frames),
	[RECORD_BLOCK_IO] = sizeof(struct block_io_record),
	[RECORD_RECLAIM] = sizeof(struct reclaim_record),
	[RECORD_PAGE_FAULT] = sizeof(struct page_fault_record),
	[RECORD_PAGE_ALLOC] = sizeof(struct page_alloc_record),
	[RECORD_SYSCALL] = sizeof(struct syscall_record),
};

int bpf_handle(void *context, const struct record_header *record)
{
	struct bpf_recorder *bpf = context;
	struct session *session = bpf->session;
	const void *body = record;

	if (record->kind >= RECORD_KINDS || !sizes[record->kind] ||
	    record->size < sizes[record->kind])
		return 0;
	switch (record->kind) {
	case RECORD_TASK:
		bpf_see_task(bpf, body);
		break;
	case RECORD_PROCESS:
		bpf_process_event(bpf, body);
		break;
	case RECORD_STACK:
		add_stack(session, body);
		break;
	case RECORD_CALL:
		bpf_add_call(bpf, body);
		break;
	case RECORD_LAUNCHES:
		bpf_add_launches(bpf, body);
		break;
	case RECORD_OFF_CPU:
		add_off_cpu(bpf, body);
		break;
	case RECORD_ON_CPU:
		add_on_cpu(session, body);
		break;
	case RECORD_CPU_SAMPLE:
		add_cpu_sample(session, body);
		break;
	case RECORD_BLOCK_IO:
		add_block_io(session, body);
		break;
	case RECORD_RECLAIM:
		add_reclaim(session, body);
		break;
	case RECORD_PAGE_FAULT:
		add_page_fault(session, body);
		break;
	case RECORD_PAGE_ALLOC:
		add_page_alloc(session, body);
		break;
	case RECORD_SYSCALL:
		add_syscall(session, body);
		break;
	}
	session->progress.events++;
	return 0;
}

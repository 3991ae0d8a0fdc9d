// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Switches: when each thread was off a CPU, why, and who ran meanwhile. */
#include <sys/syscall.h>
#include "../bpf/bpf.h"
#include "../bpf/syscall_names.h"

static void set_syscall(const struct off_cpu_record *record, int64_t *row)
{
	if (!(record->header.flags & OFF_CPU_IN_SYSCALL))
		return;
	row[OFF_CPU_SYSCALL] = record->syscall;
	row[OFF_CPU_SYSCALL_ARG0] = (int64_t)record->syscall_arguments[0];
	row[OFF_CPU_SYSCALL_ARG1] = (int64_t)record->syscall_arguments[1];
	row[OFF_CPU_SYSCALL_ARG2] = (int64_t)record->syscall_arguments[2];
}

static void add_off_cpu(struct bpf_recorder *bpf, const void *data)
{
	const struct off_cpu_record *record = data;
	struct session *session = bpf->session;
	unsigned int flags = record->header.flags;
	int64_t file = file_name(bpf->file_names, record);
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
	row[OFF_CPU_FILE_ID] = file;
	set_syscall(record, row);
}

static void add_on_cpu(struct bpf_recorder *bpf, const void *data)
{
	const struct on_cpu_record *record = data;
	struct session *session = bpf->session;
	int64_t *row = trace_append(session->writer, TABLE_ON_CPU);

	row[ON_CPU_START_NS] = trace_time(session->writer, record->start_ns);
	/* The CPU's last switch may have been before the recording. */
	row[ON_CPU_DURATION_NS] =
		trace_duration(session->writer, record->start_ns, record->duration_ns);
	row[ON_CPU_THREAD_ID] = tasks_row(session->tasks, (pid_t)record->header.tid);
	row[ON_CPU_CPU] = record->cpu;
	/* It may have got another one since it was announced. */
	tasks_set_priority(session->tasks, (pid_t)record->header.tid,
			   priority_of(&record->priority));
}

static void configure(struct agent_config *config, const struct tracepoint *found)
{
	config->switch_has_state = tracepoint_named(found, "sched_switch")->arguments >= 4;
	config->anonymous_mount = anonymous_mount();
	config->poll_syscall = -1;
#ifdef SYS_poll
	config->poll_syscall = SYS_poll;
#endif
	config->ppoll_syscall = SYS_ppoll;
	for (unsigned int number = 0; number < SYSCALL_WORDS * 64; number++) {
		if (syscall_takes_descriptor((int)number))
			config->descriptor_syscalls[number / 64] |= 1ull << number % 64;
	}
}

const struct event_source switches_source = {
	.probe.name = "switches",
	.probe.programs =
		{
			{"sched_switch", "sched_switch", NEEDED},
			{"sched_waking", "sched_waking", NEEDED},
			{"sched_wakeup_new", "sched_wakeup_new", NEEDED},
			{"sched_migrate_task", "sched_migrate_task", NEEDED},
			{"page_cached", "mm_filemap_add_to_page_cache", BETTER},
			{"file_fault", "mm_filemap_fault", BETTER},
			{"irq_handler_entry", "irq_handler_entry", BETTER},
			{"irq_handler_exit", "irq_handler_exit", BETTER},
			{"hrtimer_expire_entry", "hrtimer_expire_entry", BETTER},
			{"hrtimer_expire_exit", "hrtimer_expire_exit", BETTER},
			{"softirq_entry", "softirq_entry", BETTER},
			{"softirq_exit", "softirq_exit", BETTER},
		},
	.probe.configure = configure,
	.label = "CPU switches",
	.sees = "Each wait of each thread: why, for how long, and who woke it or ran in its place",
	.essential = true,
	.records =
		{
			{
				.kind = RECORD_OFF_CPU,
				.name = "off_cpu",
				.least_bytes = sizeof(struct off_cpu_record),
				.table = "off_cpu",
				.add = add_off_cpu,
			},
			{
				.kind = RECORD_ON_CPU,
				.name = "on_cpu",
				.least_bytes = sizeof(struct on_cpu_record),
				.table = "on_cpu",
				.add = add_on_cpu,
			},
		},
	.provenance =
		{
			{
				.table = "off_cpu",
				.kind = "exact",
				.note = "Every interval off the CPU of every traced thread, from the scheduler's own switches. What a thread executed and faulted after its last interval is not reported; the end of one that the kernel passed by its tracepoint follows from what ran since.",
			},
			{
				.table = "off_cpu",
				.column = "waker_id",
				.kind = "partial",
				.note = "Only wake-ups made by a task name it: who is interrupted by a timer or a device did not wake anybody.",
			},
			{
				.table = "off_cpu",
				.column = "file_id",
				.kind = "partial",
				.note = "Which file a thread waited on is known from the kernel as the wait began. Outside a system call it is the file that is mapped where the thread touched memory. Its name was looked up later and proved to be that file's; where the file was closed by then, its kind is all that is known. Of a socket it is the other end. Which memory holds a lock that processes share, and which process of this machine is at the other end of a socket, was looked up later.",
			},
			{
				.table = "off_cpu",
				.column = "stack_id",
				.kind = "partial",
				.note = "Of intervals of 5 ms or more of the main thread of each process and of threads that make CUDA calls: with what stack it began. Of their shorter ones 250 a second at the most, of other threads none: --profile off-cpu-stacks has all.",
			},
			{
				.table = "on_cpu",
				.kind = "partial",
				.note = "Whoever held a CPU, traced or not, while a traced thread waited for that CPU.",
			},
		},
};

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Between two looks the kernel's sums say how long a thread ran and how long it waited for a CPU, not
 * when. The time is laid out so that both sums are kept: what it did at the first look comes first,
 * what it does at the second one last.
 */
#include "polled_thread.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../../clock.h"

#define STATE_RUNNING 0 /* TASK_RUNNING of include/linux/sched.h */

static void open_wait(struct polling *polling, struct polled_thread *thread, uint64_t start_ns,
		      int64_t state, bool asleep)
{
	thread->running = false;
	thread->wait = (struct open_wait){
		.start_ns = start_ns,
		.in = waited_in_unknown(state),
		.cpu_out = thread->cpu,
	};
	polling->waits++;
	/* These say what it is in now: of a wait that is over they would say something else. */
	if (asleep)
		task_read_wait(&polling->reading, &thread->files, &thread->wait.in);
}

/* Ends the wait. cpu_in < 0: it did not come back. */
static void close_wait(struct polling *polling, struct polled_thread *thread, uint64_t end_ns,
		       int cpu_in)
{
	const struct open_wait *wait = &thread->wait;
	uint64_t duration_ns = end_ns > wait->start_ns ? end_ns - wait->start_ns : 0;
	uint64_t due_ns = wait->queue_ns + thread->queue_debt_ns;
	uint64_t queue_ns = due_ns < duration_ns ? due_ns : duration_ns;
	int64_t *row;

	thread->queue_debt_ns = due_ns - queue_ns;
	if (duration_ns == 0)
		return;
	row = trace_append(polling->writer, TABLE_OFF_CPU);
	row[OFF_CPU_START_NS] = trace_time(polling->writer, wait->start_ns);
	row[OFF_CPU_DURATION_NS] = (int64_t)duration_ns;
	row[OFF_CPU_THREAD_ID] = thread->task->id;
	row[OFF_CPU_STATE] = wait->in.state;
	if (!polling->no_schedstat)
		row[OFF_CPU_RUN_QUEUE_NS] = (int64_t)queue_ns;
	row[OFF_CPU_SYSCALL] = wait->in.syscall;
	row[OFF_CPU_SYSCALL_ARG0] = wait->in.arguments[0];
	row[OFF_CPU_SYSCALL_ARG1] = wait->in.arguments[1];
	row[OFF_CPU_SYSCALL_ARG2] = wait->in.arguments[2];
	row[OFF_CPU_CPU_OUT] = wait->cpu_out;
	row[OFF_CPU_CPU_IN] = cpu_in < 0 ? TRACE_NULL : cpu_in;
	row[OFF_CPU_EXECUTED_NS] = (int64_t)thread->slice_ns;
	row[OFF_CPU_MINOR_FAULTS] = (int64_t)thread->slice_minor_faults;
	row[OFF_CPU_MAJOR_FAULTS] = (int64_t)thread->slice_major_faults;
	row[OFF_CPU_STACK_ID] = wait->in.stack;
	thread->slice_ns = thread->slice_minor_faults = thread->slice_major_faults = 0;
}

static void put_on_cpu(struct polling *polling, const struct polled_thread *thread,
		       uint64_t start_ns, uint64_t end_ns)
{
	int64_t *row;

	if (end_ns <= start_ns)
		return;
	row = trace_append(polling->writer, TABLE_ON_CPU);
	row[ON_CPU_START_NS] = trace_time(polling->writer, start_ns);
	row[ON_CPU_DURATION_NS] = (int64_t)(end_ns - start_ns);
	row[ON_CPU_THREAD_ID] = thread->task->id;
	row[ON_CPU_CPU] = thread->cpu;
}

/* CPU time of the interval between two looks, and the rest, from what the kernel counted. */
struct interval {
	uint64_t begin_ns, end_ns;
	uint64_t run_ns, queue_ns;
	bool came_back; /* it was switched in at least once */
};

/* It was running at the first look. */
static void lay_out_after_running(struct polling *polling, struct polled_thread *thread,
				  const struct interval *between, bool runs)
{
	uint64_t length_ns = between->end_ns - between->begin_ns;
	uint64_t off_ns = length_ns - between->run_ns;
	uint64_t left_ns;

	if (runs && !between->came_back)
		return;
	left_ns = between->begin_ns + (runs ? between->run_ns / 2 : between->run_ns);
	put_on_cpu(polling, thread, thread->on_since_ns, left_ns);
	if (!runs) {
		open_wait(polling, thread, left_ns, task_state_bits(thread->state),
			  thread->state != 'R');
		thread->wait.queue_ns = between->queue_ns;
		return;
	}
	/* Mostly waiting for a CPU: it was preempted. */
	open_wait(polling, thread, left_ns,
		  between->queue_ns * 10 >= off_ns * 9 ? STATE_RUNNING : TRACE_NULL, false);
	thread->wait.queue_ns = between->queue_ns;
	close_wait(polling, thread, left_ns + off_ns, thread->cpu);
	thread->running = true;
	thread->on_since_ns = left_ns + off_ns;
}

/* It was off the CPU at the first look. */
static void lay_out_after_waiting(struct polling *polling, struct polled_thread *thread,
				  const struct interval *between, bool runs)
{
	uint64_t off_ns = between->end_ns - between->begin_ns - between->run_ns;
	uint64_t before_ns = runs ? off_ns : off_ns / 2, came_ns;

	thread->wait.queue_ns += between->queue_ns;
	if (between->run_ns == 0)
		return;
	if (before_ns < between->queue_ns)
		before_ns = between->queue_ns < off_ns ? between->queue_ns : off_ns;
	came_ns = between->begin_ns + before_ns;
	close_wait(polling, thread, came_ns, thread->cpu);
	if (runs) {
		thread->running = true;
		thread->on_since_ns = came_ns;
		return;
	}
	put_on_cpu(polling, thread, came_ns, came_ns + between->run_ns);
	open_wait(polling, thread, came_ns + between->run_ns, task_state_bits(thread->state),
		  thread->state != 'R');
}

static void take_stat(struct polled_thread *thread, const struct proc_stat *stat)
{
	thread->renamed = strcmp(thread->comm, stat->comm) != 0;
	thread->called_exec = stat->start_stack > 1 && thread->start_stack > 1 &&
			      stat->start_stack != thread->start_stack;
	thread->ended = stat->state == 'Z' || stat->state == 'X';
	memcpy(thread->comm, stat->comm, sizeof(thread->comm));
	thread->start_stack = stat->start_stack;
	thread->state = stat->state;
	thread->cpu = stat->cpu;
	thread->slice_minor_faults += stat->minor_faults - thread->minor_faults;
	thread->slice_major_faults += stat->major_faults - thread->major_faults;
	thread->minor_faults = stat->minor_faults;
	thread->major_faults = stat->major_faults;
}

/* CPU time in clock ticks, where the kernel keeps no finer sums. */
static void count_ticks(const struct proc_stat *stat, struct proc_schedstat *out)
{
	uint64_t tick_ns = NS_PER_SECOND / (uint64_t)sysconf(_SC_CLK_TCK);

	*out = (struct proc_schedstat){.run_ns = (stat->user_ticks + stat->system_ticks) * tick_ns};
}

/*
 * CPU time to lay out in `length_ns`. The kernel brings the sum of a running thread up to date only
 * at its clock ticks: what is too much or too little here is made up for later.
 */
static uint64_t share_of_run(struct polled_thread *thread, uint64_t counted_ns, uint64_t length_ns,
			     bool never_left)
{
	int64_t due_ns = thread->run_debt_ns + (int64_t)counted_ns, share_ns = due_ns;

	if (never_left || share_ns > (int64_t)length_ns)
		share_ns = (int64_t)length_ns;
	if (share_ns < 0)
		share_ns = 0;
	thread->run_debt_ns = due_ns - share_ns;
	return (uint64_t)share_ns;
}

int polled_thread_look(struct polling *polling, struct polled_thread *thread, uint64_t now_ns)
{
	struct interval between = {.begin_ns = thread->looked_ns, .end_ns = now_ns};
	struct proc_schedstat counted = {0};
	struct proc_stat stat;
	int err = polling->no_schedstat ? 0 : task_read_schedstat(&thread->files, &counted);
	bool runs;

	thread->renamed = thread->called_exec = thread->ended = false;
	if (err || now_ns <= thread->looked_ns)
		return err;
	/* Has not run since: it is where it was, and nothing else of it can have changed. */
	if (!polling->no_schedstat && !thread->running &&
	    proc_same_schedstat(&counted, &thread->counted)) {
		thread->looked_ns = now_ns;
		return 0;
	}
	err = task_read_stat(&thread->files, &stat);
	if (err)
		return err;
	take_stat(thread, &stat);
	if (polling->no_schedstat)
		count_ticks(&stat, &counted);
	between.queue_ns = counted.run_delay_ns - thread->counted.run_delay_ns;
	runs = thread->state == 'R' && counted.run_ns > thread->counted.run_ns;
	between.came_back = polling->no_schedstat || counted.slices != thread->counted.slices;
	between.run_ns = share_of_run(thread, counted.run_ns - thread->counted.run_ns,
				      now_ns - thread->looked_ns,
				      thread->running && runs && !between.came_back);
	thread->counted = counted;
	thread->slice_ns += between.run_ns;
	if (thread->running)
		lay_out_after_running(polling, thread, &between, runs);
	else
		lay_out_after_waiting(polling, thread, &between, runs);
	thread->looked_ns = now_ns;
	return 0;
}

int polled_thread_take_stack(struct polling *polling, struct polled_thread *thread,
			     struct wait_stack *stack)
{
	struct open_wait *wait = &thread->wait;
	int64_t row;

	/* With the same sums it has not run since the begin of this wait, nor when the stack was read. */
	if (thread->running || polling->no_schedstat || stack->at_ns < wait->start_ns ||
	    !proc_same_schedstat(&thread->counted, &stack->counted))
		return 0;
	if (wait->has_python)
		return 1;
	row = stacks_python(polling->reading.stacks, thread->task->process, wait->in.stack,
			    stack->frames, stack->count, &stack->told);
	if (row == TRACE_NULL)
		return -EINVAL;
	wait->in.stack = row;
	wait->has_python = true;
	polling->python_waits++;
	return 1;
}

int polled_thread_open(struct polling *polling, struct polled_thread *thread,
		       const struct proc_stat *stat, pid_t pid, bool is_new, uint64_t began_ns)
{
	struct task *task = thread->task;

	memset(thread, 0, sizeof(*thread));
	thread->task = task;
	thread->files = task_files_of(pid, stat->pid);
	thread->start_ticks = stat->start_ticks;
	thread->start_stack = stat->start_stack;
	memcpy(thread->comm, stat->comm, sizeof(thread->comm));
	thread->state = stat->state;
	thread->cpu = stat->cpu;
	thread->looked_ns = began_ns;
	task_files_open(&thread->files);
	if (!is_new) {
		thread->minor_faults = stat->minor_faults;
		thread->major_faults = stat->major_faults;
		if (polling->no_schedstat)
			count_ticks(stat, &thread->counted);
		else if (task_read_schedstat(&thread->files, &thread->counted))
			return -ESRCH;
	}
	if (stat->state == 'R') {
		thread->running = true;
		thread->on_since_ns = began_ns;
	} else {
		open_wait(polling, thread, began_ns, task_state_bits(stat->state), true);
	}
	return 0;
}

void polled_thread_close(struct polling *polling, struct polled_thread *thread, uint64_t end_ns,
			 bool ended)
{
	/* Of one that ended between two looks, only what was seen. */
	uint64_t last_ns = ended ? thread->looked_ns : end_ns;

	if (thread->running)
		put_on_cpu(polling, thread, thread->on_since_ns, last_ns);
	else
		close_wait(polling, thread, last_ns, -1);
	task_files_close(&thread->files);
}

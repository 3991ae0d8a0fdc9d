// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The threads of the job, each on a CPU or off it. */
#include <stdlib.h>
#include "perf.h"

static struct perf_thread **bucket_of(struct perf_recorder *perf, pid_t tid)
{
	return &perf->by_tid[(unsigned int)tid & (PERF_BUCKETS - 1)];
}

struct perf_thread *perf_thread_find(const struct perf_recorder *perf, pid_t tid)
{
	struct perf_thread *thread = perf->by_tid[(unsigned int)tid & (PERF_BUCKETS - 1)];

	while (thread && thread->files.tid != tid)
		thread = thread->next;
	return thread;
}

struct perf_thread *perf_thread_add(struct perf_recorder *perf, struct task *task)
{
	struct perf_thread **bucket = bucket_of(perf, task->tid);
	struct perf_thread *thread = calloc(1, sizeof(*thread));

	if (!thread) {
		perf->lost_threads++;
		return NULL;
	}
	thread->task = task;
	thread->files = task_files_of(task->process->pid, task->tid);
	thread->cpu = -1;
	thread->next = *bucket;
	*bucket = thread;
	return thread;
}

struct perf_thread *perf_thread_see(struct perf_recorder *perf, pid_t pid, pid_t tid)
{
	struct perf_thread *thread = perf_thread_find(perf, tid);
	struct task *task;

	if (thread || pid <= 0 || tid <= 0)
		return thread;
	task = perf_see_task(perf, pid, tid);
	return task ? perf_thread_add(perf, task) : NULL;
}

static void put_on_cpu(struct perf_recorder *perf, const struct perf_thread *thread,
		       uint64_t end_ns)
{
	struct trace_writer *writer = perf->session->writer;
	int64_t *row;

	if (end_ns <= thread->since_ns || thread->cpu < 0)
		return;
	row = trace_append(writer, TABLE_ON_CPU);
	row[ON_CPU_START_NS] = trace_time(writer, thread->since_ns);
	row[ON_CPU_DURATION_NS] = (int64_t)(end_ns - thread->since_ns);
	row[ON_CPU_THREAD_ID] = thread->task->id;
	row[ON_CPU_CPU] = thread->cpu;
}

/* Ends what is known of it at that moment. */
static void close_state(struct perf_recorder *perf, struct perf_thread *thread, uint64_t end_ns)
{
	if (thread->state == THREAD_ON)
		put_on_cpu(perf, thread, end_ns);
	else if (thread->state == THREAD_OFF)
		perf_wait_end(perf, thread, end_ns, -1);
}

static void unlink_thread(struct perf_recorder *perf, struct perf_thread *thread)
{
	struct perf_thread **link = bucket_of(perf, thread->files.tid);

	while (*link != thread)
		link = &(*link)->next;
	*link = thread->next;
}

static void free_thread(struct perf_thread *thread)
{
	task_files_close(&thread->files);
	free(thread->ended);
	free(thread);
}

void perf_thread_end(struct perf_recorder *perf, struct perf_thread *thread, uint64_t end_ns)
{
	close_state(perf, thread, end_ns);
	perf_waits_flush(perf, thread);
	unlink_thread(perf, thread);
	free_thread(thread);
}

/* The visit may end the thread that it is given. */
void perf_threads_each(struct perf_recorder *perf,
		       void (*visit)(struct perf_recorder *perf, struct perf_thread *thread))
{
	for (unsigned int i = 0; i < PERF_BUCKETS; i++) {
		for (struct perf_thread *thread = perf->by_tid[i], *next; thread; thread = next) {
			next = thread->next;
			visit(perf, thread);
		}
	}
}

void perf_threads_free(struct perf_recorder *perf)
{
	for (unsigned int i = 0; i < PERF_BUCKETS; i++) {
		for (struct perf_thread *thread = perf->by_tid[i], *next; thread; thread = next) {
			next = thread->next;
			free_thread(thread);
		}
	}
}

static void leave_cpu(struct perf_recorder *perf, struct perf_thread *thread,
		      const struct perf_record *record)
{
	/* Its coming was lost: when it came is not known. */
	if (thread->state == THREAD_OFF)
		perf_waits_flush(perf, thread);
	/* Nothing of it is missing since then, so it was on this CPU. */
	if (thread->state == THREAD_UNKNOWN && thread->since_ns) {
		thread->state = THREAD_ON;
		thread->cpu = (int)record->cpu;
	}
	if (thread->state == THREAD_ON)
		put_on_cpu(perf, thread, record->time_ns);
	thread->state = THREAD_OFF;
	thread->since_ns = record->time_ns;
	thread->cpu = (int)record->cpu;
	thread->ready = record->preempted;
	thread->is_new = false;
	thread->asleep_from_ns = thread->asleep_until_ns = 0;
}

static void come_on_cpu(struct perf_recorder *perf, struct perf_thread *thread,
			const struct perf_record *record)
{
	if (thread->state == THREAD_OFF || (thread->state == THREAD_UNKNOWN && thread->since_ns))
		perf_wait_end(perf, thread, record->time_ns, (int)record->cpu);
	thread->state = THREAD_ON;
	thread->since_ns = record->time_ns;
	thread->cpu = (int)record->cpu;
}

void perf_switch(struct perf_recorder *perf, const struct perf_record *record)
{
	struct perf_thread *thread;

	/* Not all CPUs recorded yet. */
	if (record->time_ns < perf->on_ns)
		return;
	thread = perf_thread_see(perf, record->pid, record->tid);
	if (!thread)
		return;
	perf->session->progress.events++;
	if (record->kind == PERF_OUT)
		leave_cpu(perf, thread, record);
	else
		come_on_cpu(perf, thread, record);
}

void perf_thread_forget_state(struct perf_recorder *perf, struct perf_thread *thread,
			      uint64_t at_ns)
{
	if (thread->state != THREAD_UNKNOWN && at_ns > thread->since_ns)
		close_state(perf, thread, at_ns);
	perf_waits_flush(perf, thread);
	thread->state = THREAD_UNKNOWN;
	thread->since_ns = 0;
	thread->has_base = thread->has_look = false;
}

/* Off the CPU up to there it was; whether it has been on one since, nobody knows. */
static void doubt(struct perf_recorder *perf, struct perf_thread *thread, int cpu,
		  uint64_t since_ns)
{
	if (thread->state == THREAD_ON && thread->cpu != cpu)
		return;
	perf_thread_forget_state(perf, thread, since_ns);
}

void perf_lose(struct perf_recorder *perf, const struct perf_record *record)
{
	static const char *const tables[] = {"off_cpu", "on_cpu", "process_event"};
	struct trace_writer *writer = perf->session->writer;
	uint64_t since_ns = record->since_ns > perf->on_ns ? record->since_ns : perf->on_ns;
	int64_t from = trace_time(writer, since_ns), to = trace_time(writer, record->time_ns);

	for (unsigned int i = 0; i < PERF_BUCKETS; i++)
		for (struct perf_thread *thread = perf->by_tid[i]; thread; thread = thread->next)
			doubt(perf, thread, (int)record->cpu, since_ns);
	*perf->losses += record->lost ? record->lost : 1;
	/* Of which kind they were is not told: all may lack them. */
	for (unsigned int i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		trace_put_gap(writer, tables[i], from, to > from ? to - from : 0,
			      i == 0 && record->lost ? (int64_t)record->lost : -1);
}

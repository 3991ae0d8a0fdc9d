// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The threads in an interpreter's list, and which of the kernel's each of them is. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "../../host/thread_file.h"
#include "../../symbol/thread_number.h"
#include "python.h"

#define LIST_NS (50 * NS_PER_MS)
/* Who is lost again and again is looked for less often. */
#define MOST_QUICK_TRIES 3
#define LATER_NS (2 * NS_PER_SECOND)

struct tids {
	pid_t pid;
	bool own_namespace;
	pid_t ours[MOST_THREADS], theirs[MOST_THREADS];
	unsigned int count;
};

static void add_tid(void *context, pid_t tid)
{
	struct tids *tids = context;

	if (tids->count == MOST_THREADS)
		return;
	tids->ours[tids->count] = tid;
	tids->theirs[tids->count++] = tids->own_namespace ? proc_namespace_tid(tids->pid, tid) :
							    tid;
}

static void find_offset(struct looked_process *process, const struct tids *tids,
			const struct python_thread *listed, int count)
{
	uint64_t ids[MOST_THREADS];
	unsigned int known = 0;

	for (int i = 0; i < count; i++)
		if (listed[i].id)
			ids[known++] = listed[i].id;
	process->has_offset = !thread_number_offset(process->row->pid, ids, known, tids->theirs,
						    tids->count, &process->tid_offset);
}

/* The kernel's number of the thread, as we have it; 0 = it has ended, or has not begun. */
static pid_t tid_of(const struct looked_process *process, const struct tids *tids,
		    const struct python_thread *thread)
{
	pid_t theirs;

	if (!thread->id ||
	    thread_number_read(process->row->pid, thread->id, process->tid_offset, &theirs))
		return 0;
	for (unsigned int i = 0; i < tids->count; i++)
		if (tids->theirs[i] == theirs)
			return tids->ours[i];
	return 0;
}

int python_read_sums(const struct looked_process *process, const struct looked_thread *thread,
		     struct proc_schedstat *out)
{
	char text[128];
	long length = thread_file_read(thread->schedstat, process->row->pid, thread->tid,
				       "schedstat", text, sizeof(text));

	return length < 0 ? (int)length : proc_parse_schedstat(text, out);
}

uint64_t python_random_moment(struct python_recorder *recorder)
{
	/* xorshift32 */
	recorder->random ^= recorder->random << 13;
	recorder->random ^= recorder->random >> 17;
	recorder->random ^= recorder->random << 5;
	return recorder->session->now_ns + recorder->random % recorder->period_ns;
}

void python_drop_thread(struct python_recorder *recorder, struct looked_thread *thread)
{
	if (thread->schedstat >= 0)
		close(thread->schedstat);
	if (thread->stat >= 0)
		close(thread->stat);
	free(thread);
	recorder->thread_count--;
}

static void add_thread(struct python_recorder *recorder, struct looked_process *process,
		       const struct python_thread *python, pid_t tid)
{
	void *grown = reallocarray(process->threads, process->thread_count + 1,
				   sizeof(*process->threads));
	struct looked_thread *thread;

	if (!grown)
		return;
	process->threads = grown;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return;
	*thread = (struct looked_thread){
		.python = *python,
		.tid = tid,
		.listed = true,
		.schedstat = thread_file_open(process->row->pid, tid, "schedstat"),
		.stat = thread_file_open(process->row->pid, tid, "stat"),
		.next_ns = python_random_moment(recorder),
	};
	process->threads[process->thread_count++] = thread;
	recorder->thread_count++;
	if (python_read_sums(process, thread, &thread->counted))
		thread->listed = false;
}

static struct looked_thread *find_thread(const struct looked_process *process, uint64_t tstate,
					 uint64_t id)
{
	for (unsigned int i = 0; i < process->thread_count; i++)
		if (process->threads[i]->python.tstate == tstate &&
		    process->threads[i]->python.id == id)
			return process->threads[i];
	return NULL;
}

void python_drop_unlisted(struct python_recorder *recorder, struct looked_process *process)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < process->thread_count; i++) {
		if (process->threads[i]->listed)
			process->threads[kept++] = process->threads[i];
		else
			python_drop_thread(recorder, process->threads[i]);
	}
	process->thread_count = kept;
}

static void take_list(struct python_recorder *recorder, struct looked_process *process,
		      const struct python_thread *listed, int count)
{
	struct tids tids = {.pid = process->row->pid, .own_namespace = process->own_namespace};
	pid_t tid;

	for (unsigned int i = 0; i < process->thread_count; i++)
		process->threads[i]->listed = false;
	for (int i = 0; i < count; i++) {
		struct looked_thread *known = find_thread(process, listed[i].tstate, listed[i].id);

		if (known) {
			known->listed = true;
			continue;
		}
		if (recorder->thread_count >= MOST_THREADS) {
			recorder->unlisted++;
			continue;
		}
		if (!tids.count)
			proc_each_thread(tids.pid, add_tid, &tids);
		if (!process->has_offset)
			find_offset(process, &tids, listed, count);
		tid = process->has_offset ? tid_of(process, &tids, &listed[i]) : 0;
		if (tid)
			add_thread(recorder, process, &listed[i], tid);
	}
	python_drop_unlisted(recorder, process);
}

void python_list_threads(struct python_recorder *recorder, struct looked_process *process)
{
	struct session *session = recorder->session;
	static struct python_thread listed[MOST_THREADS];
	int count;

	if (!process->attached || session->now_ns < process->next_list_ns)
		return;
	process->next_list_ns = session->now_ns + LIST_NS;
	count = python_read_threads(session->python, (uint64_t)process->row->id, process->row->pid,
				    listed, MOST_THREADS);
	if (count >= 0) {
		take_list(recorder, process, listed, count);
		return;
	}
	/* Another program by now, or it may not be read any more: begin anew. */
	python_drop_process(recorder, process);
	python_exec(session->python, (uint64_t)process->row->id);
	process->attached = false;
	recorder->attached--;
	process->next_try_ns =
		session->now_ns + (process->lost++ < MOST_QUICK_TRIES ? LIST_NS : LATER_NS);
}

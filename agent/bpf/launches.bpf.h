/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Launches come every few microseconds: above a rate they are counted, not sent one by one. */
#ifndef STALLTRACE_LAUNCHES_BPF_H
#define STALLTRACE_LAUNCHES_BPF_H

#include "state.bpf.h"

#define BUCKET_NS 100000000ULL

/* No part of the loop around it: that would end where Linux before 6.7 allows no end (loops_test.c). */
static __noinline void send_launches(struct launch_bucket *bucket, struct launch_count *launches,
				     struct task_struct *task, __u64 now)
{
	struct launches_record *record;
	__u64 duration = now - bucket->start_ns;

	/* Where each has a record of its own there is nothing to add. */
	if (launches->count > launches->stored) {
		record = reserve_record(RECORD_LAUNCHES, task->pid, sizeof(*record));
		if (record) {
			record->start_ns = bucket->start_ns;
			record->duration_ns = duration < BUCKET_NS ? duration : BUCKET_NS;
			record->total_ns = launches->total_ns;
			record->min_ns = launches->min_ns;
			record->max_ns = launches->max_ns;
			record->count = launches->count;
			record->stored = launches->stored;
			record->tgid = task->tgid;
			record->function = launches->function;
			submit_record(record);
		}
	}
	launches->count = 0;
}

static __always_inline void flush_launches(struct launch_bucket *bucket, struct task_struct *task,
					   __u64 now)
{
	for (int i = 0; i < LAUNCH_FUNCTIONS; i++)
		send_launches(bucket, &bucket->functions[i], task, now);
	bucket->stored = 0;
}

/* Where the function is counted; its place may have to be taken from another. */
static __always_inline struct launch_count *
find_launch_count(struct launch_bucket *bucket, __u32 function, struct task_struct *task, __u64 now)
{
	struct launch_count *launches;

	for (int i = 0; i < LAUNCH_FUNCTIONS; i++) {
		launches = &bucket->functions[i];
		if (launches->count && launches->function == function)
			return launches;
		if (!launches->count)
			goto begin;
	}
	launches = &bucket->functions[function % LAUNCH_FUNCTIONS];
	send_launches(bucket, launches, task, now);
begin:
	launches->function = function;
	launches->total_ns = 0;
	launches->min_ns = ~0ULL;
	launches->max_ns = 0;
	launches->stored = 0;
	return launches;
}

/* Whether the launch is sent by itself too. */
static __always_inline bool count_launch(struct thread *thread, struct task_struct *task,
					 __u32 function, __u64 start_ns, __u64 end_ns)
{
	struct launch_bucket *bucket = &thread->launches;
	__u64 duration = end_ns - start_ns;
	struct launch_count *launches;

	if (end_ns - bucket->start_ns >= BUCKET_NS) {
		flush_launches(bucket, task, end_ns);
		bucket->start_ns = start_ns;
	}
	launches = find_launch_count(bucket, function, task, end_ns);
	launches->count++;
	launches->total_ns += duration;
	if (duration < launches->min_ns)
		launches->min_ns = duration;
	if (duration > launches->max_ns)
		launches->max_ns = duration;
	if (bucket->stored >= config.launches_per_bucket)
		return false;
	bucket->stored++;
	launches->stored++;
	return true;
}

#endif /* STALLTRACE_LAUNCHES_BPF_H */

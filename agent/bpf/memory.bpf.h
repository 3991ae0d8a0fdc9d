/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Direct reclaim, page faults and page allocations of targets. */
#ifndef STALLTRACE_MEMORY_BPF_H
#define STALLTRACE_MEMORY_BPF_H

#include "tasks.bpf.h"

/* One reclaim may begin another: what is timed is the outermost, which says whose memory was short. */
static __always_inline int begin_reclaim(__u8 flags)
{
	struct thread *thread = target_thread(bpf_get_current_task_btf());

	/* Before it records, the program that sees the end may not be attached yet. */
	if (!thread || (!thread->reclaim_depth && !recording))
		return 0;
	if (thread->reclaim_depth++ == 0) {
		thread->reclaim_ns = bpf_ktime_get_ns();
		thread->reclaim_flags = flags;
	}
	return 0;
}

static __always_inline int end_reclaim(unsigned long pages)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *thread = target_thread(task);
	struct reclaim_record *record;

	if (!thread || !thread->reclaim_depth || --thread->reclaim_depth)
		return 0;
	if (recording) {
		announce_target(task, thread);
		record = reserve_record(RECORD_RECLAIM, task->pid, sizeof(*record));
		if (record) {
			record->header.flags = thread->reclaim_flags;
			record->start_ns = thread->reclaim_ns;
			record->duration_ns = bpf_ktime_get_ns() - thread->reclaim_ns;
			record->reclaimed_pages = pages;
			submit_record(record);
		}
	}
	return 0;
}

SEC("tp_btf/mm_vmscan_direct_reclaim_begin")
int BPF_PROG(direct_reclaim_begin)
{
	return begin_reclaim(0);
}

SEC("tp_btf/mm_vmscan_direct_reclaim_end")
int BPF_PROG(direct_reclaim_end, unsigned long pages)
{
	return end_reclaim(pages);
}

/* At the limit of a control group. Absent without CONFIG_MEMCG. */
SEC("tp_btf/mm_vmscan_memcg_reclaim_begin")
int BPF_PROG(group_reclaim_begin)
{
	return begin_reclaim(RECLAIM_OF_GROUP);
}

SEC("tp_btf/mm_vmscan_memcg_reclaim_end")
int BPF_PROG(group_reclaim_end, unsigned long pages)
{
	return end_reclaim(pages);
}

/*
 * A fault begins at the exception and ends at the software event that counts it as minor or major.
 * One that isn't counted (a bad address) is overwritten by the next.
 */
static __always_inline int begin_fault(unsigned long address)
{
	struct thread *thread = target_thread(bpf_get_current_task_btf());

	if (!thread)
		return 0;
	thread->fault_address = address;
	thread->fault_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/page_fault_user")
int BPF_PROG(page_fault_user, unsigned long address)
{
	return begin_fault(address);
}

/* The kernel touching a target's memory, mostly in a system call that copies. */
SEC("tp_btf/page_fault_kernel")
int BPF_PROG(page_fault_kernel, unsigned long address)
{
	return begin_fault(address);
}

static __always_inline int end_fault(__u8 flags)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *thread = target_thread(task);
	struct page_fault_record *record;

	if (!thread || !thread->fault_ns)
		return 0;
	if (recording) {
		announce_target(task, thread);
		record = reserve_record(RECORD_PAGE_FAULT, task->pid, sizeof(*record));
		if (record) {
			record->header.flags = flags;
			record->start_ns = thread->fault_ns;
			record->duration_ns = bpf_ktime_get_ns() - thread->fault_ns;
			record->address = thread->fault_address;
			submit_record(record);
		}
	}
	thread->fault_ns = 0;
	return 0;
}

SEC("perf_event")
int minor_fault(void *ctx)
{
	return end_fault(0);
}

SEC("perf_event")
int major_fault(void *ctx)
{
	return end_fault(FAULT_MAJOR);
}

/* Sends what was counted since the last such record. */
static __always_inline void flush_page_allocs(struct thread *thread, __u32 tid)
{
	struct page_alloc_record *record;

	if (!thread->page_alloc_count)
		return;
	record = reserve_record(RECORD_PAGE_ALLOC, tid, sizeof(*record));
	if (record) {
		record->start_ns = thread->page_alloc_ns;
		record->bytes = thread->page_alloc_bytes;
		record->count = thread->page_alloc_count;
		submit_record(record);
	}
	thread->page_alloc_count = 0;
	thread->page_alloc_bytes = 0;
}

SEC("tp_btf/mm_page_alloc")
int BPF_PROG(mm_page_alloc, void *page, unsigned int order)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *thread = target_thread(task);
	__u64 now;

	if (!thread || !recording || !page)
		return 0;
	now = bpf_ktime_get_ns();
	if (thread->page_alloc_count && now - thread->page_alloc_ns >= PAGE_ALLOC_INTERVAL_NS) {
		announce_target(task, thread);
		flush_page_allocs(thread, task->pid);
	}
	if (!thread->page_alloc_count)
		thread->page_alloc_ns = now;
	thread->page_alloc_count += 1;
	thread->page_alloc_bytes += (__u64)config.page_bytes << (order & 31);
	return 0;
}

#endif /* STALLTRACE_MEMORY_BPF_H */

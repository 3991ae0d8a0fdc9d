/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Which file a thread waits on where it only touched memory: the one whose pages it has just brought into the cache, in
 * the same page fault. What came back from swap is of no file.
 */
#ifndef STALLTRACE_FAULTED_FILES_BPF_H
#define STALLTRACE_FAULTED_FILES_BPF_H

#include "entry_registers.bpf.h"
#include "tasks.bpf.h"

static __always_inline struct address_space *mapping_of(void *page)
{
	if (bpf_core_type_exists(struct folio))
		return BPF_CORE_READ((struct folio *)page, mapping);
	return BPF_CORE_READ((struct page *)page, mapping);
}

/* Counted when a fault is over: the same during one. */
static __always_inline __u64 faults_of(struct task_struct *task)
{
	return task->min_flt + task->maj_flt;
}

SEC("tp_btf/mm_filemap_add_to_page_cache")
int BPF_PROG(page_cached, void *page)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *thread = target_thread(task);
	struct entry_registers *regs;

	if (!thread)
		return 0;
	regs = registers_of(task);
	if (!regs || syscall_number(regs) >= 0)
		return 0;
	thread->filled_mapping = (__u64)mapping_of(page);
	thread->filled_faults = faults_of(task);
	return 0;
}

static __always_inline void keep_faulted_file(struct thread *thread, struct task_struct *task,
					      __u32 state)
{
	struct address_space *mapping = (struct address_space *)thread->filled_mapping;
	struct inode *inode;

	if (!mapping || !state || (thread->out_flags & OFF_CPU_IN_SYSCALL) ||
	    thread->filled_faults != faults_of(task))
		return;
	inode = BPF_CORE_READ(mapping, host);
	if (!inode)
		return;
	thread->file.inode = BPF_CORE_READ(inode, i_ino);
	thread->file.device = BPF_CORE_READ(inode, i_sb, s_dev);
	thread->file.generation = BPF_CORE_READ(inode, i_generation);
	thread->file_type = FILE_MAPPED;
}

#endif /* STALLTRACE_FAULTED_FILES_BPF_H */

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Which file a thread waits on where it only touched memory: the one that it needs a page of in this page fault. What came
 * back from swap is of no file.
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

/* Kernels whose structs are other than we know them name no files. */
static __always_inline bool knows_mappings(void)
{
	return bpf_core_field_exists(((struct address_space *)0)->host) &&
	       bpf_core_field_exists(((struct inode *)0)->i_sb) &&
	       bpf_core_field_exists(((struct inode *)0)->i_generation) &&
	       bpf_core_field_exists(((struct super_block *)0)->s_dev);
}

/* Counted when a fault is over: the same during one. Rarely one ends uncounted, by a signal or beyond the file's end. */
static __always_inline __u64 faults_of(struct task_struct *task)
{
	return task->min_flt + task->maj_flt;
}

/* The thread, where it is watched and outside a system call: in one, the call says which file it is about. */
static __always_inline struct thread *faulting_thread(struct task_struct *task)
{
	struct thread *thread = target_thread(task);
	struct entry_registers *regs;

	if (!thread)
		return NULL;
	regs = registers_of(task);
	return regs && syscall_number(regs) < 0 ? thread : NULL;
}

static __always_inline void touch_file(struct thread *thread, struct task_struct *task,
				       struct address_space *mapping)
{
	thread->touched_mapping = (__u64)mapping;
	thread->touched_faults = faults_of(task);
}

/* Brings a page in that nobody else has asked for yet: all that older kernels tell. */
SEC("tp_btf/mm_filemap_add_to_page_cache")
int BPF_PROG(page_cached, void *page)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *thread = faulting_thread(task);

	if (thread)
		touch_file(thread, task, mapping_of(page));
	return 0;
}

/* Needs a page, which may be on its way already. */
SEC("tp_btf/mm_filemap_fault")
int BPF_PROG(file_fault, struct address_space *mapping)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *thread = faulting_thread(task);

	if (thread)
		touch_file(thread, task, mapping);
	return 0;
}

static __always_inline void keep_faulted_file(struct thread *thread, struct task_struct *task,
					      __u32 state)
{
	struct address_space *mapping = (struct address_space *)thread->touched_mapping;
	struct inode *inode;

	if (!knows_mappings() || !mapping || !state || (thread->out_flags & OFF_CPU_IN_SYSCALL) ||
	    thread->touched_faults != faults_of(task))
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

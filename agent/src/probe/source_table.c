/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include "source_table.h"
#include "uprobe_links.h"
#include "kernel_support.h"

const struct program_entry program_entries[ENTRIES] = {
	{"sched_process_fork", "sched_process_fork", SOURCE_ALWAYS, NEEDED},
	{"sched_process_exec", "sched_process_exec", SOURCE_ALWAYS, NEEDED},
	{"sched_process_exit", "sched_process_exit", SOURCE_ALWAYS, NEEDED},
	{"enrol_tasks", NULL, SOURCE_ALWAYS, NEEDED},
	{"flush_tasks", NULL, SOURCE_ALWAYS, NEEDED},
	{"task_rename", "task_rename", SOURCE_PROCESSES, NEEDED},
	{"sched_switch", "sched_switch", SOURCE_SWITCHES, NEEDED},
	{"sched_waking", "sched_waking", SOURCE_SWITCHES, NEEDED},
	{"sched_wakeup_new", "sched_wakeup_new", SOURCE_SWITCHES, NEEDED},
	{"sched_migrate_task", "sched_migrate_task", SOURCE_SWITCHES, NEEDED},
	{"irq_handler_entry", "irq_handler_entry", SOURCE_SWITCHES, BETTER},
	{"irq_handler_exit", "irq_handler_exit", SOURCE_SWITCHES, BETTER},
	{"hrtimer_expire_entry", "hrtimer_expire_entry", SOURCE_SWITCHES, BETTER},
	{"hrtimer_expire_exit", "hrtimer_expire_exit", SOURCE_SWITCHES, BETTER},
	{"softirq_entry", "softirq_entry", SOURCE_SWITCHES, BETTER},
	{"softirq_exit", "softirq_exit", SOURCE_SWITCHES, BETTER},
	{"sample_cpu", NULL, SOURCE_SAMPLES, NEEDED},
	{"block_rq_insert", "block_rq_insert", SOURCE_BLOCK_IO, BETTER},
	{"block_rq_issue", "block_rq_issue", SOURCE_BLOCK_IO, NEEDED},
	{"block_rq_complete", "block_rq_complete", SOURCE_BLOCK_IO, NEEDED},
	{"direct_reclaim_begin", "mm_vmscan_direct_reclaim_begin", SOURCE_RECLAIM, NEEDED},
	{"direct_reclaim_end", "mm_vmscan_direct_reclaim_end", SOURCE_RECLAIM, NEEDED},
	{"mark_victim", "mark_victim", SOURCE_OOM, NEEDED},
	{"page_fault_user", "page_fault_user", SOURCE_PAGE_FAULTS, NEEDED},
	{"page_fault_kernel", "page_fault_kernel", SOURCE_PAGE_FAULTS, BETTER},
	{"minor_fault", NULL, SOURCE_PAGE_FAULTS, NEEDED},
	{"major_fault", NULL, SOURCE_PAGE_FAULTS, NEEDED},
	{"mm_page_alloc", "mm_page_alloc", SOURCE_PAGE_ALLOCS, NEEDED},
	{"sys_enter", "sys_enter", SOURCE_SYSCALLS, NEEDED},
	{"sys_exit", "sys_exit", SOURCE_SYSCALLS, NEEDED},
};

/* Where return probes must not be, entries are probed by links of their own kind. */
const struct uprobe_program uprobe_programs[UPROBE_PROGRAMS] = {
	{"call_session", UPROBE_SESSION, ATTACH_UPROBE_SESSION, false},
	{"call_only_multi", UPROBE_SESSION, ATTACH_UPROBE_MULTI, true},
	{"call_entry_multi", UPROBE_MULTI, ATTACH_UPROBE_MULTI, false},
	{"call_return_multi", UPROBE_MULTI, ATTACH_UPROBE_MULTI, false},
	{"call_only_multi", UPROBE_MULTI, ATTACH_UPROBE_MULTI, true},
	{"call_entry_perf", UPROBE_PERF, 0, false},
	{"call_return_perf", UPROBE_PERF, 0, false},
	{"call_only_perf", UPROBE_PERF, 0, true},
};

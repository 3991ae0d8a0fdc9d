// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Long system calls, also those that only used a CPU. */
#include "../bpf/bpf.h"
#include "../bpf/syscall_names.h"

static void add_syscall(struct bpf_recorder *bpf, const void *data)
{
	const struct syscall_record *record = data;
	struct session *session = bpf->session;
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

const struct event_source syscalls_source = {
	.probe.name = "syscalls",
	.probe.programs =
		{
			{"sys_enter", "sys_enter", NEEDED},
			{"sys_exit", "sys_exit", NEEDED},
		},
	.label = "System calls",
	.sees = "Slow system calls (on request)",
	.profile = "syscalls",
	.help = "system calls of 1 ms or more, also those that only used a CPU:\n"
		"+3.7 % (-1 to 7); 0.29 us a call, 0.16 us in every other process",
	.records = {{
		.kind = RECORD_SYSCALL,
		.name = "syscall",
		.least_bytes = sizeof(struct syscall_record),
		.table = "syscall",
		.add = add_syscall,
	}},
	.provenance = {{
		.table = "syscall",
		.kind = "partial",
		.note = "System calls of the traced threads that took a millisecond or more.",
	}},
};

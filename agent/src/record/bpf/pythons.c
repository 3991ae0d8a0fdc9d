// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The interpreters of the targets: the programs are told where each keeps its frames. */
#include <errno.h>
#include "bpf.h"

/* Each mapping that it makes while it starts wakes the loop: time to look again. */
#define PYTHON_RETRY_NS (50 * NS_PER_MS)
#define PYTHON_RETRY_MAX_NS (2 * NS_PER_SECOND)

static void find_python(void *context, struct process *process)
{
	struct bpf_recorder *bpf = context;
	struct session *session = bpf->session;
	struct python_config config = {0};
	char detail[256] = "";
	uint64_t pause_ns = tasks_is_young(process, session->now_ns) ? PYTHON_RETRY_NS :
								       PYTHON_RETRY_MAX_NS;
	int err;

	if (!process->target || process->ended || process->python_known ||
	    session->now_ns < process->python_next_try_ns)
		return;
	process->python_next_try_ns = session->now_ns + pause_ns;
	symboliser_read_process(session->symbols, process->id, process->pid);
	err = python_attach(session->python, process->id, process->pid, &config, detail,
			    sizeof(detail));
	/* The kernel may have no memory to spare just then: it is tried again. */
	if (err == 0)
		err = programs_set_python(bpf->programs, process->pid, &config);
	if (err == 0) {
		process->python_known = true;
		process->python_set_ns = clock_ns(CLOCK_MONOTONIC);
		if (!bpf->packages_described)
			host_describe_packages(session->writer, process->pid);
		bpf->packages_described = true;
		/* Files can be reached only while the process, and with it its root, is there. */
		symboliser_hold_files(session->symbols, process->id, process->pid);
	} else if (err == -ENOTSUP && !tasks_asks_python_again(process, session->now_ns)) {
		process->python_known = true;
		session_notice(
			session, "warning",
			"Process %d runs a Python whose frames can't be read, so its stacks are native only: %s",
			process->pid, detail);
	}
}

void bpf_find_python(struct bpf_recorder *bpf)
{
	tasks_each_living(bpf->session->tasks, find_python, bpf);
}

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "loaded.h"

int iterate_tasks(struct bpf_link *link)
{
	int fd = bpf_iter_create(bpf_link__fd(link));
	char nothing[64];
	ssize_t got;
	int err;

	if (fd < 0)
		return -errno;
	do {
		got = read(fd, nothing, sizeof(nothing));
		err = got < 0 ? -errno : 0;
	} while (got > 0 || err == -EAGAIN || err == -EINTR);
	close(fd);
	return err;
}

/* Its place; source_count = nothing can be recorded without the program. */
static unsigned int source_of(const struct programs *programs, const char *name)
{
	for (unsigned int i = 0; i < programs->source_count; i++) {
		const struct source_program *program = programs->sources[i]->programs;

		for (unsigned int j = 0; j < SOURCE_PROGRAMS && program[j].program; j++) {
			if (!strcmp(program[j].program, name))
				return i;
		}
	}
	return programs->source_count;
}

static int attach_tracepoints(struct programs *programs, struct source_status *status)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, programs->object->obj) {
		struct bpf_link *link;
		unsigned int source;

		if (bpf_program__fd(program) < 0 ||
		    bpf_program__expected_attach_type(program) != BPF_TRACE_RAW_TP)
			continue;
		link = bpf_program__attach(program);
		if (link) {
			programs->links[programs->link_count++] = link;
			continue;
		}
		source = source_of(programs, bpf_program__name(program));
		if (source == programs->source_count)
			return -errno;
		mark_missing(&status[source], "%s can't be attached: %s",
			     bpf_program__name(program), strerror(errno));
	}
	return 0;
}

void attach_cpu_clock(struct programs *programs, struct source_status *status)
{
	int err;

	err = perf_events_attach(&programs->samples, programs->object->progs.sample_cpu,
				 PERF_COUNT_SW_CPU_CLOCK, programs->samples_per_second, true);
	if (err < 0)
		mark_missing(status, "no sampling clock can be opened: %s; allow perf_event_open",
			     strerror(-err));
	else
		snprintf(status->detail, sizeof(status->detail), "CPU clock, %u times a second",
			 programs->samples_per_second);
}

void attach_fault_counters(struct programs *programs, struct source_status *status)
{
	int err;

	err = perf_events_attach(&programs->minor_faults, programs->object->progs.minor_fault,
				 PERF_COUNT_SW_PAGE_FAULTS_MIN, 1, false);
	if (!err)
		err = perf_events_attach(&programs->major_faults,
					 programs->object->progs.major_fault,
					 PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1, false);
	if (err < 0)
		mark_missing(status,
			     "no events of page faults can be opened: %s; allow perf_event_open",
			     strerror(-err));
}

int programs_attach(struct programs *programs, struct source_status *status)
{
	struct stalltrace_bpf *object = programs->object;
	int err = attach_tracepoints(programs, status);

	if (err < 0)
		return err;
	programs->enrol_link = bpf_program__attach_iter(object->progs.enrol_tasks, NULL);
	if (!programs->enrol_link)
		return -errno;
	programs->flush_link = bpf_program__attach_iter(object->progs.flush_tasks, NULL);
	if (!programs->flush_link)
		return -errno;
	for (unsigned int i = 0; i < programs->source_count; i++) {
		if (status[i].available && programs->sources[i]->attach)
			programs->sources[i]->attach(programs, &status[i]);
	}
	return programs->all_tasks ? iterate_tasks(programs->enrol_link) : 0;
}

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../kernel/kernel_btf.h"
#include "load_log.h"
#include "loaded.h"

#define SAMPLES_PER_SECOND 49
/* Records at once: a flood of them must not keep the recorder from its other duties. */
#define MOST_AT_ONCE 16384

/* Hands a record on; one that isn't whole would be a fault of ours. */
static int handle_record(void *data, void *record, size_t size)
{
	struct programs *programs = data;
	const struct record_header *header = record;

	if (size >= sizeof(*header) && header->size <= size && header->size >= sizeof(*header))
		programs->handle(programs->context, header);
	/* Counts as consumed, whatever is returned; an error ends the round. */
	return ++programs->consumed < MOST_AT_ONCE ? 0 : -E2BIG;
}

/* Where libbpf finds the kernel's types that it needs; "" = wherever it looks by itself. */
struct kernel_types {
	int fd;
	char path[32];
};

static void open_kernel_types(struct kernel_types *types)
{
	struct stalltrace_bpf *object = stalltrace_bpf__open();

	types->path[0] = '\0';
	types->fd = object ? kernel_btf_for(bpf_object__btf(object->obj)) : -1;
	if (types->fd >= 0)
		snprintf(types->path, sizeof(types->path), "/proc/self/fd/%d", types->fd);
	stalltrace_bpf__destroy(object);
}

static void close_kernel_types(struct kernel_types *types)
{
	if (types->fd >= 0)
		close(types->fd);
	kernel_btf_forget();
}

/* Opens, chooses and loads once; -errno, and in log who failed. */
static int try_load(struct programs *programs, const struct load_plan *plan,
		    const struct kernel_types *types, struct load_log *log)
{
	LIBBPF_OPTS(bpf_object_open_opts, options,
		    .btf_custom_path = types->path[0] ? types->path : NULL);
	int err;

	load_log_begin(log);
	programs->object = stalltrace_bpf__open_opts(&options);
	err = programs->object ? apply_plan(plan, programs->object) : -errno;
	if (!err)
		err = stalltrace_bpf__load(programs->object);
	load_log_end();
	if (!err)
		return 0;
	stalltrace_bpf__destroy(programs->object);
	programs->object = NULL;
	return err;
}

/* Each round leaves a program out. */
static int load_what_goes(struct programs *programs, struct load_plan *plan,
			  const struct kernel_types *types, char *detail, size_t detail_size)
{
	struct load_log log;

	for (;;) {
		int err = try_load(programs, plan, types, &log);

		if (!err)
			return 0;
		if (!log.program[0] || !reduce_plan(plan, log.program, log.reason)) {
			snprintf(detail, detail_size,
				 "the kernel refuses the programs (%s): %s%s%s", strerror(-err),
				 log.program, log.program[0] ? ": " : "", log.reason);
			return err;
		}
	}
}

static int load(struct programs *programs, struct load_plan *plan, char *detail, size_t detail_size)
{
	struct kernel_types types;
	int err;

	open_kernel_types(&types);
	err = load_what_goes(programs, plan, &types, detail, detail_size);
	close_kernel_types(&types);
	if (err)
		return err;
	programs->ring = ring_buffer__new(bpf_map__fd(programs->object->maps.ring), handle_record,
					  programs, NULL);
	if (programs->ring)
		return 0;
	err = -errno;
	snprintf(detail, detail_size, "the ring buffer can't be mapped: %s", strerror(-err));
	return err;
}

int programs_load(const struct programs_options *options, struct programs **out,
		  struct source_status *status, char *detail, size_t detail_size)
{
	struct load_plan plan = {.options = options, .status = status};
	struct programs *programs;
	int err;

	*out = NULL;
	libbpf_set_print(NULL);
	err = plan_load(&plan, detail, detail_size);
	if (err < 0) {
		kernel_btf_forget();
		return err;
	}
	programs = calloc(1, sizeof(*programs));
	if (!programs)
		return -ENOMEM;
	err = load(programs, &plan, detail, detail_size);
	if (err < 0) {
		programs_free(programs);
		return err;
	}
	programs->uprobes = plan.uprobes;
	programs->sources = options->sources;
	programs->source_count = options->source_count;
	programs->all_tasks = options->all_tasks;
	programs->samples_per_second = options->samples_per_second ? options->samples_per_second :
								     SAMPLES_PER_SECOND;
	*out = programs;
	return 0;
}

void programs_record(struct programs *programs, bool on)
{
	bool was = programs->object->bss->recording;

	programs->object->bss->recording = on;
	if (was && !on)
		iterate_tasks(programs->flush_link);
}

int programs_add_target(struct programs *programs, pid_t tgid)
{
	__u32 key = tgid;
	__u8 wanted = 1;

	/* First, so that a thread forked while the tasks are gone through is a target too. */
	if (bpf_map_update_elem(bpf_map__fd(programs->object->maps.targets), &key, &wanted,
				BPF_ANY))
		return -errno;
	return iterate_tasks(programs->enrol_link);
}

int programs_set_python(struct programs *programs, pid_t tgid, const struct python_config *config)
{
	__u32 key = tgid;

	return bpf_map_update_elem(bpf_map__fd(programs->object->maps.python), &key, config,
				   BPF_ANY) ?
		       -errno :
		       0;
}

int programs_set_function(struct programs *programs, unsigned int function,
			  const struct function_spec *spec)
{
	__u32 key = function;
	int fd = bpf_map__fd(programs->object->maps.functions);

	return bpf_map_update_elem(fd, &key, spec, BPF_ANY) ? -errno : 0;
}

void programs_leave_calls(struct programs *programs, pid_t tgid, bool left)
{
	int fd = bpf_map__fd(programs->object->maps.left_calls);
	__u32 key = tgid;
	__u8 value = 1;

	if (left && !bpf_map_update_elem(fd, &key, &value, BPF_NOEXIST))
		programs->object->bss->left_processes++;
	else if (!left && !bpf_map_delete_elem(fd, &key))
		programs->object->bss->left_processes--;
}

void programs_leave_launches(struct programs *programs, bool left)
{
	volatile __u32 *probes = &programs->object->bss->launch_probes;

	if ((*probes & 1) != left)
		++*probes;
}

void programs_begin_call_ids(struct programs *programs, uint64_t last)
{
	programs->object->bss->last_call_id = last;
}

void programs_silence(struct programs *programs)
{
	programs->object->bss->recording = false;
}

int programs_ring_fd(const struct programs *programs)
{
	return ring_buffer__epoll_fd(programs->ring);
}

int programs_consume(struct programs *programs,
		     int (*handle)(void *context, const struct record_header *record),
		     void *context)
{
	int err;

	programs->handle = handle;
	programs->context = context;
	programs->consumed = 0;
	err = ring_buffer__consume(programs->ring);
	return err < 0 && err != -E2BIG ? err : programs->consumed;
}

void programs_free(struct programs *programs)
{
	if (!programs)
		return;
	perf_events_detach(&programs->samples);
	perf_events_detach(&programs->minor_faults);
	perf_events_detach(&programs->major_faults);
	for (unsigned int i = 0; i < programs->link_count; i++)
		bpf_link__destroy(programs->links[i]);
	bpf_link__destroy(programs->enrol_link);
	bpf_link__destroy(programs->flush_link);
	ring_buffer__free(programs->ring);
	stalltrace_bpf__destroy(programs->object);
	free(programs);
}

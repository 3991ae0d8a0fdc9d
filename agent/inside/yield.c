// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * A profiler that begins while we are in (torch.profiler): CUPTI gives its buffers and its subscriber to one
 * tool, and to whoever came last without asking. So its calls of CUPTI are led through us, where the objects
 * that are loaded import them: at the first one all we have is flushed, we leave CUPTI, and it has its way.
 */
#include <dlfcn.h>
#include <string.h>
#include "imports.h"
#include "inside.h"

static int (*subscribe_v2)(void *, void *, void *, void *);

static int pass_subscribe(cupti_subscriber *out, cupti_callback callback, void *context)
{
	yield_cupti();
	return inside.cupti.Subscribe(out, callback, context);
}

static int pass_subscribe_v2(void *out, void *callback, void *context, void *parameters)
{
	yield_cupti();
	return subscribe_v2(out, callback, context, parameters);
}

static int pass_register_callbacks(cupti_buffer_requested requested,
				   cupti_buffer_completed completed)
{
	yield_cupti();
	return inside.cupti.ActivityRegisterCallbacks(requested, completed);
}

static const struct {
	const char *name;
	void *function;
} passed[] = {
	{"cuptiSubscribe", pass_subscribe},
	{"cuptiSubscribe_v2", pass_subscribe_v2},
	{"cuptiActivityRegisterCallbacks", pass_register_callbacks},
};

static bool lead_import(const struct object *object, void **place, const char *name, void *context)
{
	(void)context;
	for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
		if (!strcmp(name, passed[i].name))
			import_set(object, place, passed[i].function);
	return true;
}

static int look_at_object(struct dl_phdr_info *info, size_t size, void *context)
{
	const char *name = info->dlpi_name ? info->dlpi_name : "";
	struct object object;

	(void)size;
	/* CUPTI's own, ours, and what the kernel has put there. */
	if (strstr(name, "libcupti.so") || strstr(name, "libstalltrace-inside.so") ||
	    strstr(name, "linux-vdso") || strstr(name, "ld-linux"))
		return 0;
	if (object_read(&object, info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum))
		object_visit_imports(&object, lead_import, context);
	return 0;
}

void yield_set_up(void *cupti)
{
	*(void **)&subscribe_v2 = dlsym(cupti, "cuptiSubscribe_v2");
	dl_iterate_phdr(look_at_object, NULL);
}

/* All up to now is ours, all from now on another's. */
void yield_cupti(void)
{
	uint32_t phase = PHASE_ON;

	if (!is_ours() || atomic_load(&inside.by_imports) ||
	    !atomic_compare_exchange_strong(&inside.phase, &phase, PHASE_YIELDING))
		return;
	atomic_store(&inside.header->yielded_ns, now_ns(CLOCK_MONOTONIC));
	/* Of a CUPTI that may hang nothing is asked on the job's own thread. */
	if (!is_flushing()) {
		inside.cupti.ActivityFlushAll(FLUSH_FORCED);
		atomic_store(&inside.header->flushed, INSIDE_FLUSHED);
		activity_disable();
		inside.cupti.Unsubscribe(inside.subscriber);
	}
	atomic_store(&inside.phase, PHASE_LEFT);
	atomic_store(&inside.header->state, INSIDE_YIELDED);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What the GPU did: kernels, copies, fills and graphs as rows of gpu_work. */
#include <stdio.h>
#include <string.h>
#include "inside.h"

/* Codes of the file: Memory and GpuWorkKind. */
enum {
	MEMORY_UNKNOWN,
	MEMORY_PINNED,
	MEMORY_REGISTERED,
	MEMORY_MANAGED,
	MEMORY_PAGEABLE,
	MEMORY_DEVICE,
	MEMORY_ARRAY
};

/* CUPTI's kinds of memory, 0 to 7. */
static int64_t memory_of(uint8_t cupti)
{
	static const uint8_t of[] = {MEMORY_UNKNOWN, MEMORY_PAGEABLE, MEMORY_PINNED,
				     MEMORY_DEVICE,  MEMORY_ARRAY,    MEMORY_MANAGED,
				     MEMORY_DEVICE,  MEMORY_MANAGED};

	return cupti < sizeof(of) ? of[cupti] : MEMORY_UNKNOWN;
}

/* CUPTI's kinds of copies, 0 to 10: H2D, D2H, H2A, A2H, A2A, A2D, D2A, D2D, H2H, P2P from 1. */
static int64_t direction_of(const struct inside_work *work)
{
	static const uint8_t of[] = {DIRECTION_UNKNOWN, DIRECTION_H2D, DIRECTION_D2H, DIRECTION_H2D,
				     DIRECTION_D2H,     DIRECTION_D2D, DIRECTION_D2D, DIRECTION_D2D,
				     DIRECTION_D2D,     DIRECTION_H2H, DIRECTION_P2P};

	if (work->kind != INSIDE_WORK_COPY)
		return DIRECTION_NONE;
	return work->copy_kind < sizeof(of) ? of[work->copy_kind] : DIRECTION_UNKNOWN;
}

static size_t name_slot(const struct inside_recorder *inside, uint64_t hash)
{
	size_t slot = (hash ^ hash >> 32) % KNOWN_NAMES;

	while (inside->names[slot].hash && inside->names[slot].hash != hash)
		slot = (slot + 1) % KNOWN_NAMES;
	return slot;
}

void inside_define_name(struct inside_recorder *inside, const struct inside_name *from)
{
	size_t slot = name_slot(inside, from->hash);
	size_t room = from->header.size - sizeof(*from);
	char text[INSIDE_NAME_BYTES + 16];

	/* A quarter stays free: who is looked for and not there must be found missing. */
	if (!from->hash || inside->names[slot].hash || inside->name_count >= KNOWN_NAMES / 4 * 3)
		return;
	if (room > sizeof(text) - 1)
		room = sizeof(text) - 1;
	memcpy(text, from->text, room);
	text[room] = '\0';
	inside->names[slot].hash = from->hash;
	inside->names[slot].name = trace_name(inside->session->writer, "CUDA", text);
	inside->name_count++;
}

/* As NVIDIA's tools call what is no kernel. */
static int64_t plain_name(struct inside_recorder *inside, const struct inside_work *work)
{
	static const char *const copies[] = {"Memcpy",      "Memcpy HtoD", "Memcpy DtoH",
					     "Memcpy HtoA", "Memcpy AtoH", "Memcpy AtoA",
					     "Memcpy AtoD", "Memcpy DtoA", "Memcpy DtoD",
					     "Memcpy HtoH", "Memcpy PtoP"};
	unsigned int copy = work->copy_kind < sizeof(copies) / sizeof(copies[0]) ? work->copy_kind :
										   0;
	unsigned int place = work->kind == INSIDE_WORK_COPY ? copy : 10u + work->kind;
	int64_t *id = &inside->work_names[place];

	if (!*id)
		*id = trace_name(inside->session->writer, "CUDA",
				 work->kind == INSIDE_WORK_COPY  ? copies[copy] :
				 work->kind == INSIDE_WORK_FILL  ? "Memset" :
				 work->kind == INSIDE_WORK_GRAPH ? "CUDA graph" :
								   "(unknown kernel)");
	return *id;
}

static int64_t name_of(struct inside_recorder *inside, const struct inside_work *work)
{
	size_t slot =
		work->kind == INSIDE_WORK_KERNEL && work->name ? name_slot(inside, work->name) : 0;

	if (work->kind == INSIDE_WORK_KERNEL && work->name && inside->names[slot].hash)
		return inside->names[slot].name;
	return plain_name(inside, work);
}

static bool has_clock(const struct inside_process *process)
{
	const struct inside_header *header = process->ring;

	return !atomic_load(&header->own_clock) || process->clocks[1].cupti_ns;
}

/* CUPTI's clock → ours, between the last two moments at which both were read. */
static uint64_t monotonic(const struct inside_process *process, uint64_t cupti_ns)
{
	const struct clock_pair *first = &process->clocks[0], *last = &process->clocks[1];
	const struct inside_header *header = process->ring;
	double rate = 1;

	if (!atomic_load(&header->own_clock))
		return cupti_ns;
	if (first->cupti_ns && last->cupti_ns > first->cupti_ns)
		rate = (double)(last->monotonic_ns - first->monotonic_ns) /
		       (double)(last->cupti_ns - first->cupti_ns);
	return last->monotonic_ns +
	       (uint64_t)(int64_t)((double)(int64_t)(cupti_ns - last->cupti_ns) * rate);
}

/* Of a device number that nobody explained, the GPU of that number. */
static int64_t gpu_of(struct inside_recorder *inside, struct inside_process *process,
		      uint32_t device)
{
	if (device >= MOST_DEVICES)
		return TRACE_NULL;
	if (!process->gpus[device])
		process->gpus[device] = 1 + trace_gpu_of_bus(inside->session->writer, "", device);
	return process->gpus[device] - 1;
}

static int64_t context_of(struct inside_recorder *inside, struct inside_process *process,
			  const struct process *row, const struct inside_work *work, int64_t gpu)
{
	unsigned int i = 0;

	while (i < process->context_count && process->contexts[i].number != work->context)
		i++;
	if (i < process->context_count)
		return process->contexts[i].row;
	if (i == MOST_CONTEXTS)
		return TRACE_NULL;
	process->contexts[i].number = work->context;
	process->contexts[i].row = ++inside->last_context;
	process->context_count++;
	trace_put_context(inside->session->writer, inside->last_context, row ? row->id : TRACE_NULL,
			  work->device, work->context);
	return inside->last_context;
}

/* By the handle that calls name; one that no call named has a number alone, as nothing else has. */
static int64_t stream_of(struct inside_recorder *inside, const struct inside_process *process,
			 const struct process *row, const struct inside_work *work)
{
	int64_t handle = -1 - (int64_t)work->stream;

	for (unsigned int i = 0; i < process->stream_count; i++)
		if (process->streams[i].context == work->context &&
		    process->streams[i].stream == work->stream)
			handle = (int64_t)(process->streams[i].handle & INT64_MAX);
	return row ? trace_stream(inside->session->writer, row->id, handle) : TRACE_NULL;
}

static int64_t call_of(const struct inside_process *process, uint32_t correlation)
{
	const struct remembered_call *call = &process->calls[correlation % REMEMBERED_CALLS];

	return correlation && call->correlation == correlation ? row_value(call->call_id) :
								 TRACE_NULL;
}

static void fill_kernel(int64_t *row, const struct inside_work *work)
{
	for (int i = 0; i < 3; i++) {
		row[GPU_WORK_GRID_X + i] = work->grid[i];
		row[GPU_WORK_BLOCK_X + i] = work->block[i];
	}
}

static void put_work(struct inside_recorder *inside, struct inside_process *process,
		     const struct inside_work *work, int64_t call)
{
	struct session *session = inside->session;
	const struct process *row = inside_process_row(inside, process);
	uint64_t start_ns = monotonic(process, work->start_ns);
	uint64_t end_ns = monotonic(process, work->end_ns);
	int64_t name, gpu, context, stream, *out;

	/* Nobody can say when. */
	if (!has_clock(process)) {
		inside->partial_work = true;
		return;
	}
	/* That of calls which came after the recording. */
	if (call == TRACE_NULL && inside->off_ns && start_ns > inside->off_ns)
		return;
	/* Work that began before CUPTI was asked has no times. */
	if (!work->start_ns || end_ns < start_ns || work->kind > INSIDE_WORK_GRAPH)
		return;
	inside->work++;
	inside->work_without_call += call == TRACE_NULL;
	name = name_of(inside, work);
	gpu = gpu_of(inside, process, work->device);
	context = context_of(inside, process, row, work, gpu);
	stream = stream_of(inside, process, row, work);
	out = trace_append(session->writer, TABLE_GPU_WORK);
	out[GPU_WORK_START_NS] = trace_time(session->writer, start_ns);
	out[GPU_WORK_DURATION_NS] = row_value(end_ns - start_ns);
	out[GPU_WORK_OP_ID] = name;
	out[GPU_WORK_GPU_ID] = gpu;
	out[GPU_WORK_STREAM_ID] = stream;
	out[GPU_WORK_DIRECTION] = direction_of(work);
	out[GPU_WORK_CALL_ID] = call;
	out[GPU_WORK_KIND] = work->kind;
	out[GPU_WORK_PROCESS_ID] = row ? row->id : TRACE_NULL;
	out[GPU_WORK_CONTEXT_ID] = context;
	out[GPU_WORK_CORRELATION] = work->correlation ? work->correlation : TRACE_NULL;
	if (work->graph)
		out[GPU_WORK_GRAPH] = work->graph;
	if (work->node)
		out[GPU_WORK_NODE] = row_value(work->node);
	if (work->kind == INSIDE_WORK_COPY || work->kind == INSIDE_WORK_FILL)
		out[GPU_WORK_BYTES] = row_value(work->bytes);
	if (work->kind == INSIDE_WORK_COPY) {
		out[GPU_WORK_SOURCE_MEMORY] = memory_of(work->source_memory);
		out[GPU_WORK_DESTINATION_MEMORY] = memory_of(work->destination_memory);
	}
	if (work->kind == INSIDE_WORK_KERNEL)
		fill_kernel(out, work);
	if (end_ns > process->last_work_ns)
		process->last_work_ns = end_ns;
}

/* A call whose work is known already may not have returned. */
static bool is_in_call(const struct inside_process *process, uint32_t correlation)
{
	struct inside_header *header = process->ring;
	uint32_t used = atomic_load(&header->slots_used);

	for (unsigned int i = 0; i < used && i < INSIDE_SLOTS; i++) {
		const volatile struct inside_slot *slot = inside_slot(process->ring, i);

		if (slot->open && (slot->correlation == correlation ||
				   slot->inner[0] == correlation || slot->inner[1] == correlation))
			return true;
	}
	return false;
}

void inside_add_work(struct inside_recorder *inside, struct inside_process *process,
		     const struct inside_work *work)
{
	int64_t call = call_of(process, work->correlation);

	if (((call == TRACE_NULL && work->correlation) || !has_clock(process)) &&
	    process->waiting_count < MOST_WAITING_WORK)
		process->waiting[process->waiting_count++] = (struct waiting_work){.work = *work};
	else
		put_work(inside, process, work, call);
}

/* A call that is under way is published before it is not: it is read once all are that ended by then. */
static bool has_no_call(const struct inside_process *process, struct waiting_work *waiting,
			uint64_t before_ns)
{
	if (!waiting->returned_ns && !is_in_call(process, waiting->work.correlation))
		waiting->returned_ns = clock_ns(CLOCK_MONOTONIC);
	return waiting->returned_ns && waiting->returned_ns <= before_ns;
}

void inside_settle_work(struct inside_recorder *inside, struct inside_process *process,
			uint64_t before_ns)
{
	bool all = before_ns == UINT64_MAX;
	unsigned int kept = 0;

	for (unsigned int i = 0; i < process->waiting_count; i++) {
		struct waiting_work *waiting = &process->waiting[i];
		int64_t call = call_of(process, waiting->work.correlation);

		if (all || (has_clock(process) &&
			    (call != TRACE_NULL || has_no_call(process, waiting, before_ns))))
			put_work(inside, process, &waiting->work, call);
		else
			process->waiting[kept++] = *waiting;
	}
	process->waiting_count = kept;
}

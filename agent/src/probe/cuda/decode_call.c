// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* One finished call → bytes, direction, memory, stream; and what it changed in its process. */
#include "host_ranges.h"
#include <string.h>

/* cudaMemcpyKind, CUmemorytype, and the two stream handles that stand for a default stream. */
enum { KIND_H2H, KIND_H2D, KIND_D2H, KIND_D2D, KIND_DEFAULT };
enum { TYPE_HOST = 1, TYPE_DEVICE, TYPE_ARRAY };
enum { STREAM_LEGACY = 1, STREAM_PER_THREAD = 2 };

struct decoding {
	struct host_ranges *ranges;
	const struct call_record *call;
	const struct call_shape *shape;
	uint64_t words[CALL_WORDS];
};

/* word counts from 1. */
static uint64_t word_of(const struct decoding *decoding, uint8_t word)
{
	return decoding->words[(word - 1) % CALL_WORDS];
}

/* Product of the size words; -1 = has none, not readable, or not to be believed. */
static int64_t size_of(const struct decoding *decoding)
{
	const struct call_shape *shape = decoding->shape;
	uint64_t size = shape->scale ? shape->scale : 1;

	if (!shape->size[0])
		return -1;
	for (unsigned int i = 0; i < 3 && shape->size[i]; i++) {
		uint64_t word = word_of(decoding, shape->size[i]);

		if (word == UNREADABLE || __builtin_mul_overflow(size, word, &size))
			return -1;
	}
	return size < (1ULL << 53) ? (int64_t)size : -1;
}

static enum range_memory memory_at(const struct decoding *decoding, uint8_t word, int64_t bytes)
{
	uint64_t address;

	/* A symbol or an array. */
	if (!word)
		return RANGE_DEVICE;
	address = word_of(decoding, word);
	if (!address || address == UNREADABLE)
		return RANGE_UNKNOWN;
	return host_ranges_find(decoding->ranges, decoding->call->tgid, address,
				bytes > 0 ? (uint64_t)bytes : 1);
}

/* cudaMemcpyDefault and the driver's unified copies: what the addresses are decides. */
static enum direction direction_of_memory(enum range_memory source, enum range_memory destination)
{
	bool from_host = source == RANGE_PINNED || source == RANGE_REGISTERED;
	bool to_host = destination == RANGE_PINNED || destination == RANGE_REGISTERED;

	if (source == RANGE_DEVICE && destination == RANGE_DEVICE)
		return DIRECTION_D2D;
	if (from_host && destination == RANGE_DEVICE)
		return DIRECTION_H2D;
	if (source == RANGE_DEVICE && to_host)
		return DIRECTION_D2H;
	if (from_host && to_host)
		return DIRECTION_H2H;
	return DIRECTION_UNKNOWN;
}

static enum direction direction_of_types(uint32_t source, uint32_t destination)
{
	bool from_device = source == TYPE_DEVICE || source == TYPE_ARRAY;
	bool to_device = destination == TYPE_DEVICE || destination == TYPE_ARRAY;

	if (source == TYPE_HOST && to_device)
		return DIRECTION_H2D;
	if (from_device && destination == TYPE_HOST)
		return DIRECTION_D2H;
	if (from_device && to_device)
		return DIRECTION_D2D;
	if (source == TYPE_HOST && destination == TYPE_HOST)
		return DIRECTION_H2H;
	return DIRECTION_UNKNOWN;
}

static enum direction direction_of(const struct decoding *decoding, int64_t bytes)
{
	static const enum direction of_kind[] = {
		[KIND_H2H] = DIRECTION_H2H,
		[KIND_H2D] = DIRECTION_H2D,
		[KIND_D2H] = DIRECTION_D2H,
		[KIND_D2D] = DIRECTION_D2D,
	};
	const struct call_shape *shape = decoding->shape;
	uint32_t kind = KIND_DEFAULT;

	if (shape->source_type)
		return direction_of_types((uint32_t)word_of(decoding, shape->source_type),
					  (uint32_t)word_of(decoding, shape->destination_type));
	if (shape->direction != DIRECTION_UNKNOWN)
		return shape->direction;
	if (shape->kind)
		kind = (uint32_t)word_of(decoding, shape->kind);
	if (kind < KIND_DEFAULT)
		return of_kind[kind];
	if (kind > KIND_DEFAULT || (!shape->source && !shape->destination))
		return DIRECTION_UNKNOWN;
	return direction_of_memory(memory_at(decoding, shape->source, bytes),
				   memory_at(decoding, shape->destination, bytes));
}

static enum host_memory host_memory_at(const struct decoding *decoding, uint8_t word, int64_t bytes)
{
	if (!word)
		return HOST_UNKNOWN;
	switch (memory_at(decoding, word, bytes)) {
	case RANGE_PINNED:
		return HOST_PINNED;
	case RANGE_REGISTERED:
		return HOST_REGISTERED;
	case RANGE_MANAGED:
		return HOST_MANAGED;
	case RANGE_NONE:
		return host_ranges_complete(decoding->ranges, decoding->call->tgid) ?
			       HOST_PAGEABLE :
			       HOST_UNKNOWN;
	default:
		return HOST_UNKNOWN;
	}
}

static enum host_memory host_memory_of(const struct decoding *decoding, enum direction direction,
				       int64_t bytes)
{
	const struct call_shape *shape = decoding->shape;
	enum host_memory source, destination;

	if (direction == DIRECTION_H2D)
		return host_memory_at(decoding, shape->source, bytes);
	if (direction == DIRECTION_D2H)
		return host_memory_at(decoding, shape->destination, bytes);
	if (direction != DIRECTION_H2H)
		return HOST_UNKNOWN;
	source = host_memory_at(decoding, shape->source, bytes);
	destination = host_memory_at(decoding, shape->destination, bytes);
	return source == destination ? source : HOST_UNKNOWN;
}

/* As cudaStream_t names it: 0 = the legacy default stream, 2 = the thread's own. */
static int64_t stream_of(const struct decoding *decoding)
{
	const struct call_shape *shape = decoding->shape;
	int64_t standard = shape->per_thread ? STREAM_PER_THREAD : 0;
	uint64_t handle;

	if (shape->default_stream)
		return standard;
	if (!shape->stream)
		return -1;
	handle = word_of(decoding, shape->stream);
	if (handle == 0)
		return standard;
	if (handle == STREAM_LEGACY)
		return 0;
	return handle < INT64_MAX ? (int64_t)handle : -1;
}

static void allocate(const struct decoding *decoding, uint64_t address, int64_t bytes,
		     enum range_memory memory)
{
	const struct call_record *call = decoding->call;

	if (bytes > 0 && address && address != UNREADABLE)
		host_ranges_add(decoding->ranges, call->tgid, address, (uint64_t)bytes, memory,
				call->start_ns + call->duration_ns);
}

static void apply_effect(const struct decoding *decoding, int64_t bytes)
{
	static const enum range_memory memories[] = {
		[EFFECT_ALLOCATE_DEVICE] = RANGE_DEVICE,
		[EFFECT_ALLOCATE_PINNED] = RANGE_PINNED,
		[EFFECT_ALLOCATE_MANAGED] = RANGE_MANAGED,
	};
	const struct call_record *call = decoding->call;
	enum memory_effect effect = decoding->shape->effect;
	uint64_t address =
		decoding->shape->destination ? word_of(decoding, decoding->shape->destination) : 0;

	switch (effect) {
	case EFFECT_NONE:
		break;
	case EFFECT_REGISTER:
		allocate(decoding, address, bytes, RANGE_REGISTERED);
		break;
	case EFFECT_FREE:
	case EFFECT_UNREGISTER:
		host_ranges_remove(decoding->ranges, call->tgid, address,
				   effect == EFFECT_UNREGISTER, call->start_ns);
		break;
	default:
		allocate(decoding, call->out_value, bytes, memories[effect]);
	}
}

/* A call whose result was not seen may have succeeded or not. */
static void change_memory(const struct decoding *decoding, int64_t bytes)
{
	const struct call_record *call = decoding->call;

	if (decoding->shape->effect == EFFECT_NONE)
		return;
	if (call->header.flags & (CALL_NO_RETURN | CALL_UNFINISHED))
		host_ranges_doubt(decoding->ranges, call->tgid);
	else if ((uint32_t)call->return_value == 0)
		apply_effect(decoding, bytes);
}

void decode_call(struct host_ranges *ranges, const struct call_record *call,
		 struct call_facts *facts)
{
	struct decoding decoding = {.ranges = ranges, .call = call};

	*facts = (struct call_facts){.bytes = -1, .stream = -1};
	if (call->function >= cuda_function_count)
		return;
	decoding.shape = &cuda_functions[call->function].shape;
	memcpy(decoding.words, call->arguments, sizeof(call->arguments));
	memcpy(decoding.words + CALL_ARGUMENTS, call->extra, sizeof(call->extra));
	facts->bytes = size_of(&decoding);
	facts->stream = stream_of(&decoding);
	/* A 3D copy with an array counts in its elements, whose size is not known. */
	if (decoding.shape->kind && decoding.shape->size[2] &&
	    (!word_of(&decoding, decoding.shape->source) ||
	     !word_of(&decoding, decoding.shape->destination)))
		facts->bytes = -1;
	facts->direction = direction_of(&decoding, facts->bytes);
	facts->host_memory = host_memory_of(&decoding, facts->direction, facts->bytes);
	change_memory(&decoding, facts->bytes);
}

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The CUDA functions that are probed, and what their arguments say. */
#ifndef STALLTRACE_FUNCTIONS_H
#define STALLTRACE_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include "../../../wire.h"

enum cuda_layer { LAYER_UNKNOWN, LAYER_RUNTIME, LAYER_DRIVER, LAYER_GRAPH };
enum direction {
	DIRECTION_NONE,
	DIRECTION_H2D,
	DIRECTION_D2H,
	DIRECTION_D2D,
	DIRECTION_H2H,
	DIRECTION_P2P,
	DIRECTION_UNKNOWN
};
enum host_memory { HOST_UNKNOWN, HOST_PINNED, HOST_REGISTERED, HOST_MANAGED, HOST_PAGEABLE };

/* What a successful call changes in the process's memory. */
enum memory_effect {
	EFFECT_NONE,
	EFFECT_ALLOCATE_DEVICE, /* size bytes at the out pointer's value */
	EFFECT_ALLOCATE_PINNED,
	EFFECT_ALLOCATE_MANAGED,
	EFFECT_REGISTER, /* size bytes at destination */
	EFFECT_UNREGISTER,
	EFFECT_FREE, /* what begins at destination */
};

/*
 * Which of a call's eight words (arguments, then extra) say what. Counted from 1 so that 0 can be
 * "has none".
 */
struct call_shape {
	enum memory_effect effect;
	enum direction direction; /* of a copy; where kind and memory types are 0, the final one */
	uint8_t kind;             /* cudaMemcpyKind */
	uint8_t source_type, destination_type; /* CUmemorytype */
	uint8_t destination, source; /* pointers; a copy without one has device memory there */
	uint8_t size[3];             /* the product of these words is the size */
	uint8_t scale;               /* bytes per unit of it; 0 = 1 */
	uint8_t stream;
	bool default_stream; /* takes no stream, works on the default one */
	bool per_thread;     /* its default stream is the thread's own (_ptds, _ptsz) */
};

struct cuda_function {
	const char *symbol; /* as the library exports it: cudaMemcpyAsync_ptsz, cuMemAlloc_v2 */
	const char *name;   /* as it is stored: without _ptsz, _ptds and version */
	enum cuda_layer layer;
	struct function_spec spec;
	struct call_shape shape;
};

extern const struct cuda_function cuda_functions[];
extern const unsigned int cuda_function_count; /* ≤ MAX_FUNCTIONS */

/* What one finished call says; bytes < 0 = has none or not known. */
struct call_facts {
	int64_t bytes;
	enum direction direction;
	enum host_memory host_memory;
	int64_t stream; /* cudaStream_t; 0 = default; -1 = has none or not known */
};

/* Host and device ranges of all processes, learnt from the calls in their order. */
struct host_ranges;
struct host_ranges *host_ranges_new(void);
void host_ranges_free(struct host_ranges *ranges);
/*
 * from_exec: the process was traced from its first instruction, so what it never registered is
 * pageable. Otherwise such memory stays unknown, and its mappings are read once for what they prove.
 */
void host_ranges_add_process(struct host_ranges *ranges, uint32_t tgid, int from_exec);
/* CUDA does not survive a fork: of what the parent had, the child has nothing. */
void host_ranges_fork(struct host_ranges *ranges, uint32_t child_tgid);
void host_ranges_remove_process(struct host_ranges *ranges, uint32_t tgid);
/* Calls of this process were lost or came before its library was probed: never say pageable again. */
void host_ranges_doubt(struct host_ranges *ranges, uint32_t tgid);

/* Whether anything that was said may rest on a process's mappings, not on calls that were seen. */
bool host_ranges_inferred(const struct host_ranges *ranges);

/* Decodes the call and keeps what it changed (allocations, registrations, frees). */
void decode_call(struct host_ranges *ranges, const struct call_record *call,
		 struct call_facts *facts);

#endif /* STALLTRACE_FUNCTIONS_H */

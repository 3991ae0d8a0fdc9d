/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What is called of CUPTI, declared by ourselves: numbers, offsets and widths that its interface has had
 * from 11.2 to 13.0. Records are read as prefixes; how long one is, CUPTI says itself. No file of
 * NVIDIA's is needed to build this, and none is in it.
 */
#ifndef STALLTRACE_INSIDE_CUPTI_H
#define STALLTRACE_INSIDE_CUPTI_H

#include <stddef.h>
#include <stdint.h>

enum {
	CUPTI_OK = 0,
	CUPTI_END_OF_BUFFER = 12,
	CUPTI_TAKEN = 39, /* there is a subscriber, and only one is allowed */
};

enum { DOMAIN_DRIVER = 1, DOMAIN_RUNTIME = 2, DOMAIN_RESOURCE = 3 };
enum { RESOURCE_CONTEXT_CREATED = 1 };
enum { SITE_ENTER = 0, SITE_EXIT = 1 };
enum { THREAD_ID_OF_SYSTEM = 1 };
enum { FLUSH_FORCED = 1 };

/* Kinds of records. 3, kernels one after the other, is never asked for: it serialises them. */
enum {
	ACTIVITY_MEMCPY = 1,
	ACTIVITY_MEMSET = 2,
	ACTIVITY_KERNEL = 10,
	ACTIVITY_MEMCPY_PEER = 22,
	ACTIVITY_GRAPH = 51,
};

typedef void *cupti_subscriber;
typedef void (*cupti_callback)(void *context, int domain, uint32_t id, const void *data);
typedef void (*cupti_buffer_requested)(uint8_t **buffer, size_t *size, size_t *most_records);
typedef void (*cupti_buffer_completed)(void *context, uint32_t stream, uint8_t *buffer, size_t size,
				       size_t valid_size);

/* What a callback is given for a call. */
struct cupti_call {
	int32_t site;
	uint32_t padding;
	const char *function;
	const void *parameters; /* the arguments in order, each aligned as in a struct */
	const int32_t *result;  /* at exit */
	const char *symbol;
	void *context;
	uint32_t context_id;
	uint32_t padding2;
	uint64_t *correlation_data;
	uint32_t correlation;
};
_Static_assert(offsetof(struct cupti_call, parameters) == 16, "CUPTI");
_Static_assert(offsetof(struct cupti_call, result) == 24, "CUPTI");
_Static_assert(offsetof(struct cupti_call, context) == 40, "CUPTI");
_Static_assert(offsetof(struct cupti_call, correlation) == 64, "CUPTI");

/* Those that are always there, and those that need not be. */
#define CUPTI_FUNCTIONS(needed, optional)                                                          \
	needed(GetVersion, (uint32_t * version)) needed(                                           \
		GetCallbackName,                                                                   \
		(int domain, uint32_t id,                                                          \
		 const char **name)) needed(Subscribe, (cupti_subscriber * out,                    \
							cupti_callback callback, void *context))   \
		needed(Unsubscribe, (cupti_subscriber subscriber)) needed(                         \
			EnableCallback,                                                            \
			(uint32_t enable, cupti_subscriber subscriber, int domain,                 \
			 uint32_t id)) needed(GetTimestamp,                                        \
					      (uint64_t *                                          \
					       out)) needed(ActivityRegisterCallbacks,             \
							    (cupti_buffer_requested requested,     \
							     cupti_buffer_completed completed))    \
			needed(ActivityEnable, (int kind)) needed(                                 \
				ActivityDisable, (int kind)) needed(ActivityFlushAll,              \
								    (uint32_t flag))               \
				needed(ActivityGetNextRecord,                                      \
				       (uint8_t * buffer, size_t valid_size,                       \
					uint8_t * *record)) needed(ActivityGetNumDroppedRecords,   \
								   (void *context,                 \
								    uint32_t stream, size_t *out)) \
					optional(SetThreadIdType, (int type)) optional(            \
						ActivityRegisterTimestampCallback,                 \
						(uint64_t(*clock)(void)))                          \
						optional(GetStreamIdEx,                            \
							 (void *context, void *stream,             \
							  uint8_t per_thread, uint32_t *out))      \
							optional(Finalize, (void)) optional(       \
								GetResultString,                   \
								(int result, const char **text))

struct cupti {
#define CUPTI_MEMBER(name, parameters) int(*name) parameters;
	CUPTI_FUNCTIONS(CUPTI_MEMBER, CUPTI_MEMBER)
#undef CUPTI_MEMBER
};

/* Where a record of a kind has what is read of it; 0 = it has none. */
struct cupti_layout {
	uint16_t start, end, device, context, stream, correlation;
	uint16_t bytes, copy_kind, source, destination;
	uint16_t name, grid, block, node, graph;
	uint16_t prefix; /* bytes a record has at the least */
};

#endif /* STALLTRACE_INSIDE_CUPTI_H */

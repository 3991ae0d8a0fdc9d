/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Stacks as they come, with a number each; their frames get names at the end. */
#ifndef STALLTRACE_STACKS_H
#define STALLTRACE_STACKS_H

#include <stdint.h>
#include "../symbol/python/python.h"
#include "../symbol/symbols.h"
#include "../trace/writer.h"
#include "../../wire.h"
#include "tasks.h"

struct stacks;
struct stacks *stacks_new(struct trace_writer *writer, struct symboliser *symbols,
			  struct python_readers *python);
void stacks_free(struct stacks *stacks);

/* What a stack tells of the thread it is of. */
#define STACK_OF_PROCESS_RUN 1 /* of Python's multiprocessing: what a child was made for */
#define STACK_OF_WORKER_LOOP 2 /* of PyTorch's DataLoader */
#define STACK_OF_PIN_LOOP 4    /* its pin-memory thread */

/*
 * Keeps the stack, reads what of it would be gone later: Python's code objects, new mappings.
 * Returns STACK_OF_*; 0 of a stack that is known.
 */
unsigned int stacks_add(struct stacks *stacks, struct process *process,
			const struct stack_record *record, uint64_t now_ns);
/* Row id of a stack the kernel named; TRACE_NULL for 0 and for one that was lost. */
int64_t stacks_row(const struct stacks *stacks, uint64_t id);
/* A stack of one kernel function, as the poller knows it. */
int64_t stacks_kernel_function(struct stacks *stacks, const char *function);
/*
 * A stack of Python's frames alone, which were read from outside; `below` is the row of the kernel's function
 * that the thread sleeps in, as stacks_kernel_function gave it, or TRACE_NULL. Row id, or TRACE_NULL with *told 0:
 * a frame makes no sense, so that they were not all of one moment, or there is no room.
 */
int64_t stacks_python(struct stacks *stacks, struct process *process, int64_t below,
		      const struct python_frame *frames, unsigned int count, unsigned int *told);
/* Stacks that were not kept because there were too many, or for lack of memory. */
uint64_t stacks_lost(const struct stacks *stacks);

/* Writes all frames again, with their symbols, and the mappings. */
void stacks_finish(struct stacks *stacks);

#endif /* STALLTRACE_STACKS_H */

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Names of locks that processes share: a futex of each stands at some address of its own, and all of them in one
 * piece of memory. Which that is the list of mappings tells.
 */
#ifndef STALLTRACE_SHARED_FUTEXES_H
#define STALLTRACE_SHARED_FUTEXES_H

#include <stdbool.h>
#include "../../../wire.h"
#include "../../trace/writer.h"

struct shared_futexes;
struct shared_futexes *shared_futexes_new(struct trace_writer *writer);
void shared_futexes_free(struct shared_futexes *futexes);

/* Whether it waited for a futex that other processes may have mapped too. */
bool is_shared_futex(const struct off_cpu_record *record);
/* Name id: "shared memory /dev/shm/sem.Zz1f0a"; TRACE_NULL where the memory is the process's own, or not known. */
int64_t shared_futex_name(struct shared_futexes *futexes, const struct off_cpu_record *record);

#endif /* STALLTRACE_SHARED_FUTEXES_H */

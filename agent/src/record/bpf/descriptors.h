/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a file descriptor was, remembered for a second: a thread waits on the same one again and again. */
#ifndef STALLTRACE_DESCRIPTORS_H
#define STALLTRACE_DESCRIPTORS_H

#include <stdint.h>
#include <sys/types.h>
#include "../../trace/writer.h"

struct descriptors;
struct descriptors *descriptors_new(struct trace_writer *writer);
void descriptors_free(struct descriptors *descriptors);

/* Name id of what `fd` of the process is, TRACE_NULL where it can't be read (any more). */
int64_t descriptor_name(struct descriptors *descriptors, pid_t pid, int fd, uint64_t now_ns);

#endif /* STALLTRACE_DESCRIPTORS_H */

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Names of the files that threads waited on. Which file it was the BPF programs say; its name is
 * looked up afterwards, in /proc/PID/fd, and taken only where it is that same file's.
 */
#ifndef STALLTRACE_FILE_NAMES_H
#define STALLTRACE_FILE_NAMES_H

#include "../../../wire.h"
#include "../../trace/writer.h"

struct file_names;
struct file_names *file_names_new(struct trace_writer *writer);
void file_names_free(struct file_names *names);

/*
 * Name id of the file: "/data/x (nfs4)", "pipe", "socket to 10.0.0.2:6379"; where it can't be named any more, of its
 * kind: "regular file". Outside a system call, the file that is mapped where it touched memory. Of a lock that processes
 * share: the memory it is in. TRACE_NULL where it waited on none.
 */
int64_t file_name(struct file_names *names, const struct off_cpu_record *record);

/* Mount of the files that the kernel keeps without an inode each (eventfd, epoll); 0 = not known. */
unsigned int anonymous_mount(void);

#endif /* STALLTRACE_FILE_NAMES_H */

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A file of /proc/PID/task/TID that is read again and again through one descriptor, which stays with its
 * thread whoever gets the tid next.
 */
#ifndef STALLTRACE_THREAD_FILE_H
#define STALLTRACE_THREAD_FILE_H

#include <stddef.h>
#include <sys/types.h>

/* The descriptor; -1 = without one to spare: then it is opened each time. Who may read is asked at each read. */
int thread_file_open(pid_t pid, pid_t tid, const char *name);
/* As far as it fits, ended with NUL. Bytes without that, or -errno; -ESRCH where the thread has ended. */
long thread_file_read(int fd, pid_t pid, pid_t tid, const char *name, char *text, size_t size);

#endif /* STALLTRACE_THREAD_FILE_H */

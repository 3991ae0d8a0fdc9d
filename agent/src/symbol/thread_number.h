/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * pthread_self() → the kernel's number of the thread. libc keeps it in its struct pthread (`tid` in glibc and
 * musl), at an offset that is found by looking: it differs between libcs and architectures, not within a process.
 */
#ifndef STALLTRACE_THREAD_NUMBER_H
#define STALLTRACE_THREAD_NUMBER_H

#include <stdint.h>
#include <sys/types.h>

/*
 * ids: of threads, some of which may have ended. tids: of all threads of the process, as it numbers them
 * itself. 0 and the offset at which most ids have a number of theirs; -ENOENT: there is none.
 */
int thread_number_offset(pid_t pid, const uint64_t *ids, unsigned int id_count, const pid_t *tids,
			 unsigned int tid_count, uint32_t *offset);
/* 0 or -errno. */
int thread_number_read(pid_t pid, uint64_t id, uint32_t offset, pid_t *tid);

#endif /* STALLTRACE_THREAD_NUMBER_H */

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "thread_number.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "python/python_memory.h"

/* glibc on x86-64 has it at 720, on arm64 at 208; musl before that. */
#define MOST_BYTES 1024u
#define MOST_WORDS (MOST_BYTES / sizeof(int32_t))
/* As many tell; all of them would take long in a program of thousands. */
#define ENOUGH_IDS 16

static bool is_one_of(const pid_t *tids, unsigned int count, pid_t tid)
{
	for (unsigned int i = 0; i < count; i++)
		if (tids[i] == tid)
			return true;
	return false;
}

int thread_number_offset(pid_t pid, const uint64_t *ids, unsigned int id_count, const pid_t *tids,
			 unsigned int tid_count, uint32_t *offset)
{
	unsigned int met[MOST_WORDS] = {0}, best = 0;
	int32_t words[MOST_WORDS];

	for (unsigned int i = 0; i < id_count && i < ENOUGH_IDS; i++) {
		if (memory_read(pid, ids[i], words, sizeof(words)))
			continue;
		for (unsigned int word = 0; word < MOST_WORDS; word++)
			met[word] += words[word] > 0 && is_one_of(tids, tid_count, words[word]);
	}
	/* The first of equals: old glibcs keep the process's number behind it. */
	for (unsigned int word = 1; word < MOST_WORDS; word++)
		if (met[word] > met[best])
			best = word;
	*offset = (uint32_t)(best * sizeof(int32_t));
	return met[best] ? 0 : -ENOENT;
}

int thread_number_read(pid_t pid, uint64_t id, uint32_t offset, pid_t *tid)
{
	int32_t number;
	int error = memory_read(pid, id + offset, &number, sizeof(number));

	*tid = number;
	return error;
}

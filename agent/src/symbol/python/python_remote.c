// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "python_remote.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include "python_interpreter.h"
#include "python_memory.h"

/* The one version whose _Py_DebugOffsets are known to have what is asked for; 3.15 moves it. */
#define MINOR 14
#define WORDS 95
#define MOST_PATH 4096
#define LARGEST_STRUCT (64u << 20)
/* _PY_EVAL_PLEASE_STOP_BIT: the thread is to look whether there is something to do. */
#define PLEASE_STOP 0x20

/* Words of the table, as python_published.c counts them. */
enum {
	RUNTIME_INTERPRETERS = 5,
	INTERPRETER_SIZE = 6,
	INTERPRETER_MAIN_THREAD = 10,
	TSTATE_SIZE = 22,
	TSTATE_INTERPRETER = 25,
	EVAL_BREAKER = 89,
	SUPPORT = 90,
	ENABLED = 91,
	PENDING = 92,
	PATH = 93,
	PATH_SIZE = 94,
};

static int write_memory(pid_t pid, uint64_t address, const void *from, size_t size)
{
	struct iovec local = {.iov_base = (void *)from, .iov_len = size};
	struct iovec remote = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};
	ssize_t written = process_vm_writev(pid, &local, 1, &remote, 1, 0);

	if (written < 0)
		return -errno;
	return (size_t)written == size ? 0 : -EFAULT;
}

static int __attribute__((format(printf, 4, 5)))
refuse(int err, char *why, size_t size, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(why, size, format, list);
	va_end(list);
	return err;
}

static int refuse_memory(int err, char *why, size_t size)
{
	return refuse(err, why, size, "its memory can't be reached (%s)", strerror(-err));
}

/* All that is written lies inside the thread's state. */
static bool makes_sense(const uint64_t *table)
{
	uint64_t size = table[TSTATE_SIZE], support = table[SUPPORT];

	return size <= LARGEST_STRUCT && table[INTERPRETER_SIZE] <= LARGEST_STRUCT &&
	       table[INTERPRETER_MAIN_THREAD] < table[INTERPRETER_SIZE] &&
	       table[ENABLED] < table[INTERPRETER_SIZE] && table[TSTATE_INTERPRETER] < size &&
	       table[EVAL_BREAKER] < size && support < size && table[PENDING] < size - support &&
	       table[PATH] < size - support && table[PATH_SIZE] <= MOST_PATH &&
	       table[PATH_SIZE] <= size - support - table[PATH];
}

static int read_table(pid_t pid, const struct python_interpreter *python, uint64_t table[WORDS],
		      char *why, size_t size)
{
	const char *version = python->version[0] ? python->version : "of an unknown version";
	int err;

	if (python->minor != MINOR)
		return refuse(-ENOTSUP, why, size,
			      "it is CPython %s, and only 3.14 is known to run a script when asked",
			      version);
	err = memory_read(pid, python->runtime, table, WORDS * sizeof(table[0]));
	if (err)
		return refuse_memory(err, why, size);
	if (memcmp(table, "xdebugpy", 8) || table[1] >> 16 != (3u << 8 | MINOR) ||
	    !makes_sense(table))
		return refuse(-ENOTSUP, why, size,
			      "what CPython %s publishes of itself makes no sense", version);
	return 0;
}

/* The state of the main thread, which is proved by what it points back to. */
static int find_thread(pid_t pid, uint64_t runtime, const uint64_t *table, uint64_t *thread,
		       char *why, size_t size)
{
	uint64_t interpreter = 0, back = 0;
	uint32_t enabled = 0;
	int err = memory_read_word(pid, runtime + table[RUNTIME_INTERPRETERS], &interpreter);

	if (!err)
		err = memory_read(pid, interpreter + table[ENABLED], &enabled, sizeof(enabled));
	if (!err)
		err = memory_read_word(pid, interpreter + table[INTERPRETER_MAIN_THREAD], thread);
	if (!err)
		err = memory_read_word(pid, *thread + table[TSTATE_INTERPRETER], &back);
	if (err)
		return refuse_memory(err, why, size);
	if (enabled != 1)
		return refuse(
			-EPERM, why, size,
			"it was started with PYTHON_DISABLE_REMOTE_DEBUG or -X disable_remote_debug");
	if (back != interpreter)
		return refuse(-ENOTSUP, why, size, "its main thread was not found");
	return 0;
}

static int offer(pid_t pid, uint64_t thread, const uint64_t *table, const char *script,
		 struct python_offer *out, char *why, size_t size)
{
	uint64_t support = thread + table[SUPPORT], breaker = thread + table[EVAL_BREAKER];
	uint32_t pending = 0, yes = 1;
	uint8_t bits = 0;
	int err;

	if (strlen(script) >= table[PATH_SIZE])
		return refuse(-ENAMETOOLONG, why, size, "the script's path is too long for it");
	*out = (struct python_offer){.pid = pid, .pending = support + table[PENDING]};
	err = memory_read(pid, out->pending, &pending, sizeof(pending));
	if (!err && pending)
		return refuse(-EBUSY, why, size, "another tool has just asked it to run a script");
	if (!err)
		err = write_memory(pid, support + table[PATH], script, strlen(script) + 1);
	if (!err)
		err = write_memory(pid, out->pending, &yes, sizeof(yes));
	/* Of the word the lowest byte alone: the others are written to by the process without a pause. */
	if (!err)
		err = memory_read(pid, breaker, &bits, sizeof(bits));
	bits |= PLEASE_STOP;
	if (!err)
		err = write_memory(pid, breaker, &bits, sizeof(bits));
	return err ? refuse_memory(err, why, size) : 0;
}

int python_remote_offer(struct symboliser *symboliser, uint64_t process, pid_t pid,
			const char *script, struct python_offer *out, char *why, size_t why_size)
{
	struct python_interpreter python;
	uint64_t table[WORDS], thread;
	char detail[256] = "";
	int err =
		python_find_interpreter(symboliser, process, pid, &python, detail, sizeof(detail));

	if (err)
		return refuse(err, why, why_size, "no CPython was found in it%s%s",
			      detail[0] ? ": " : "", detail);
	err = read_table(pid, &python, table, why, why_size);
	if (!err)
		err = find_thread(pid, python.runtime, table, &thread, why, why_size);
	return err ? err : offer(pid, thread, table, script, out, why, why_size);
}

bool python_remote_is_taken(const struct python_offer *offer)
{
	uint32_t pending = 0;

	return memory_read(offer->pid, offer->pending, &pending, sizeof(pending)) || !pending;
}

void python_remote_withdraw(const struct python_offer *offer)
{
	uint32_t none = 0;

	if (!python_remote_is_taken(offer))
		write_memory(offer->pid, offer->pending, &none, sizeof(none));
}

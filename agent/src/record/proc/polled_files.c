// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What /proc says of one thread, through descriptors that stay open. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "polled_thread.h"

static const char *const file_names[POLLED_FILES] = {
	[POLLED_STAT] = "stat",
	[POLLED_SCHEDSTAT] = "schedstat",
	[POLLED_SYSCALL] = "syscall",
	[POLLED_WCHAN] = "wchan",
};

/* Without descriptors to spare they are -1. Who may read is asked at each read, not here. */
void polled_open_files(struct polled_thread *thread)
{
	char path[96];

	for (int file = 0; file < POLLED_FILES; file++) {
		snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", thread->pid, thread->tid,
			 file_names[file]);
		thread->fds[file] = open(path, O_RDONLY | O_CLOEXEC);
	}
}

void polled_thread_close_files(struct polled_thread *thread)
{
	for (int file = 0; file < POLLED_FILES; file++) {
		if (thread->fds[file] >= 0)
			close(thread->fds[file]);
		thread->fds[file] = -1;
	}
}

/* Through the open descriptor, which stays with its thread whoever gets the tid next. */
static long read_file(const struct polled_thread *thread, enum polled_file file, char *text,
		      size_t size)
{
	ssize_t got;

	if (thread->fds[file] < 0)
		return proc_read(thread->pid, thread->tid, file_names[file], text, size);
	got = pread(thread->fds[file], text, size - 1, 0);
	if (got < 0)
		return -errno;
	if (got == 0)
		return -ESRCH;
	text[got] = '\0';
	return got;
}

int polled_read_stat(const struct polled_thread *thread, struct proc_stat *out)
{
	char text[1024];
	long length = read_file(thread, POLLED_STAT, text, sizeof(text));

	if (length < 0)
		return (int)length;
	return proc_parse_stat(text, (size_t)length, out);
}

int polled_read_schedstat(const struct polled_thread *thread, struct proc_schedstat *out)
{
	char text[128];
	long length = read_file(thread, POLLED_SCHEDSTAT, text, sizeof(text));

	return length < 0 ? (int)length : proc_parse_schedstat(text, out);
}

/* "202 0x7f… 0x80 0x0 … sp pc", "running", or "-1 sp pc" where it is in none. */
void polled_read_syscall(struct polling *polling, const struct polled_thread *thread,
			 struct open_wait *wait)
{
	unsigned long long arguments[3];
	char text[256];
	int number;
	long length = read_file(thread, POLLED_SYSCALL, text, sizeof(text));

	if (length == -EPERM || length == -EACCES)
		polling->denied_syscalls++;
	if (length <= 0 ||
	    sscanf(text, "%d %llx %llx %llx", &number, &arguments[0], &arguments[1],
		   &arguments[2]) != 4 ||
	    number < 0)
		return;
	wait->syscall = number;
	for (int i = 0; i < 3; i++)
		wait->arguments[i] = (int64_t)arguments[i];
	polling->known_syscalls++;
}

/* The kernel function it sleeps in; "0" = none, or not to be told to us. */
void polled_read_wait_channel(struct polling *polling, const struct polled_thread *thread,
			      struct open_wait *wait)
{
	char text[128];
	long length = read_file(thread, POLLED_WCHAN, text, sizeof(text));

	if (length <= 0 || !(isalpha((unsigned char)text[0]) || text[0] == '_'))
		return;
	wait->stack = stacks_kernel_function(polling->stacks, text);
	polling->named_waits++;
}

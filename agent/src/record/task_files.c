// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What /proc says of one thread, through descriptors that stay open. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "../host/thread_file.h"
#include "../trace/writer.h"
#include "task_files.h"

static const char *const file_names[TASK_FILES] = {
	[TASK_STAT] = "stat",
	[TASK_SCHEDSTAT] = "schedstat",
	[TASK_SYSCALL] = "syscall",
	[TASK_WCHAN] = "wchan",
};

struct task_files task_files_of(pid_t pid, pid_t tid)
{
	return (struct task_files){.pid = pid, .tid = tid, .fds = {-1, -1, -1, -1}};
}

void task_files_open(struct task_files *files)
{
	for (int file = 0; file < TASK_FILES; file++)
		files->fds[file] = thread_file_open(files->pid, files->tid, file_names[file]);
}

void task_files_close(struct task_files *files)
{
	for (int file = 0; file < TASK_FILES; file++) {
		if (files->fds[file] >= 0)
			close(files->fds[file]);
		files->fds[file] = -1;
	}
}

static long read_file(const struct task_files *files, enum task_file file, char *text, size_t size)
{
	return thread_file_read(files->fds[file], files->pid, files->tid, file_names[file], text,
				size);
}

int task_read_stat(const struct task_files *files, struct proc_stat *out)
{
	char text[1024];
	long length = read_file(files, TASK_STAT, text, sizeof(text));

	if (length < 0)
		return (int)length;
	return proc_parse_stat(text, (size_t)length, out);
}

int task_read_schedstat(const struct task_files *files, struct proc_schedstat *out)
{
	char text[128];
	long length = read_file(files, TASK_SCHEDSTAT, text, sizeof(text));

	return length < 0 ? (int)length : proc_parse_schedstat(text, out);
}

/* "202 0x7f… 0x80 0x0 … sp pc", "running", or "-1 sp pc" where it is in none. */
static void read_syscall(struct wait_reading *reading, const struct task_files *files,
			 struct waited_in *wait)
{
	unsigned long long arguments[3];
	char text[256];
	int number;
	long length = read_file(files, TASK_SYSCALL, text, sizeof(text));

	if (length == -EPERM || length == -EACCES)
		reading->denied_syscalls++;
	if (length <= 0 ||
	    sscanf(text, "%d %llx %llx %llx", &number, &arguments[0], &arguments[1],
		   &arguments[2]) != 4 ||
	    number < 0)
		return;
	wait->syscall = number;
	for (int i = 0; i < 3; i++)
		wait->arguments[i] = (int64_t)arguments[i];
	reading->known_syscalls++;
}

/* The kernel function it sleeps in; "0" = none, or not to be told to us. */
static void read_wait_channel(struct wait_reading *reading, const struct task_files *files,
			      struct waited_in *wait)
{
	char text[128];
	long length = read_file(files, TASK_WCHAN, text, sizeof(text));

	if (length <= 0 || !(isalpha((unsigned char)text[0]) || text[0] == '_'))
		return;
	wait->stack = stacks_kernel_function(reading->stacks, text);
	reading->named++;
}

void task_read_wait(struct wait_reading *reading, const struct task_files *files,
		    struct waited_in *wait)
{
	read_syscall(reading, files, wait);
	read_wait_channel(reading, files, wait);
}

struct waited_in waited_in_unknown(int64_t state)
{
	return (struct waited_in){
		.state = state,
		.syscall = TRACE_NULL,
		.arguments = {TRACE_NULL, TRACE_NULL, TRACE_NULL},
		.stack = TRACE_NULL,
	};
}

/* include/linux/sched.h; fs/proc/array.c has the letters. */
#define STATE_RUNNING 0
#define STATE_INTERRUPTIBLE 1
#define STATE_UNINTERRUPTIBLE 2
#define STATE_STOPPED 4
#define STATE_TRACED 8
#define STATE_PARKED 0x40
#define STATE_IDLE 0x402

int64_t task_state_bits(char letter)
{
	switch (letter) {
	case 'R':
		return STATE_RUNNING;
	case 'S':
		return STATE_INTERRUPTIBLE;
	case 'D':
		return STATE_UNINTERRUPTIBLE;
	case 'T':
		return STATE_STOPPED;
	case 't':
		return STATE_TRACED;
	case 'P':
		return STATE_PARKED;
	case 'I':
		return STATE_IDLE;
	default:
		return TRACE_NULL;
	}
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Whether the memory of a process may be read: tried, on a child of ours or on the process itself. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../host/file_text.h"
#include "memory_access.h"

#define YAMA "/proc/sys/kernel/yama/ptrace_scope"

/* Read from a child; what it holds does not matter. */
static uint64_t eight_bytes = 1;

static int read_eight(pid_t pid, uint64_t address)
{
	uint64_t word;
	struct iovec local = {&word, sizeof(word)};
	struct iovec remote = {(void *)(uintptr_t)address, sizeof(word)};

	/* Nothing at the address: then it was let in. */
	return process_vm_readv(pid, &local, 1, &remote, 1, 0) >= 0 || errno == EFAULT ? 0 : -errno;
}

static int open_memory(pid_t pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = file_text_open(path);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static const char *whose_rule(void)
{
	switch (file_text_integer(YAMA, 0)) {
	case 1:
		return " This system lets a process be read by those that started it alone (Yama, ptrace_scope 1): launch the job with the capture.";
	case 2:
		return " This system lets root alone read other processes (Yama, ptrace_scope 2).";
	case 3:
		return " This system lets nobody read other processes (Yama, ptrace_scope 3).";
	default:
		return "";
	}
}

/* symbol/python_memory.c reads either way. */
static int try_both(pid_t pid, uint64_t address, char *why, size_t why_size)
{
	int error = read_eight(pid, address), other = error ? open_memory(pid) : 0;

	why[0] = '\0';
	if (error && !other)
		snprintf(
			why, why_size,
			"process_vm_readv is refused here (%s), so memory is read through /proc/PID/mem, which takes longer.",
			strerror(-error));
	else if (error)
		snprintf(why, why_size,
			 "The memory of the job's processes may not be read: process_vm_readv: %s; "
			 "/proc/PID/mem: %s.%s",
			 strerror(-error), strerror(-other), whose_rule());
	return error && other ? error : 0;
}

int memory_may_read(pid_t pid, char *why, size_t why_size)
{
	return try_both(pid, (uint64_t)(uintptr_t)&eight_bytes, why, why_size);
}

bool memory_is_refused(pid_t pid, char *why, size_t why_size)
{
	int error = memory_may_read(pid, why, why_size);

	return error == -EPERM || error == -EACCES || error == -ENOSYS;
}

int memory_try_out(char *why, size_t why_size)
{
	pid_t child = fork();
	int error;

	if (child < 0) {
		snprintf(why, why_size, "No process could be started to try it on: %s.",
			 strerror(errno));
		return -errno;
	}
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	error = memory_may_read(child, why, why_size);
	kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return error;
}

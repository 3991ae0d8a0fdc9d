// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "thread_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "proc.h"

int thread_file_open(pid_t pid, pid_t tid, const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

long thread_file_read(int fd, pid_t pid, pid_t tid, const char *name, char *text, size_t size)
{
	ssize_t got;

	if (fd < 0)
		return proc_read(pid, tid, name, text, size);
	got = pread(fd, text, size - 1, 0);
	if (got < 0)
		return -errno;
	if (got == 0)
		return -ESRCH;
	text[got] = '\0';
	return got;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "python_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

/* Where a seccomp filter or the kernel's configuration takes process_vm_readv away. */
static int read_through_proc(pid_t pid, uint64_t address, void *buffer, size_t size)
{
	char path[32];
	ssize_t got;
	int fd, error;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	got = pread(fd, buffer, size, (off_t)address);
	error = errno;
	close(fd);
	if (got < 0)
		return error == EIO ? -EFAULT : -error;
	return (size_t)got == size ? 0 : -EFAULT;
}

int memory_read(pid_t pid, uint64_t address, void *buffer, size_t size)
{
	struct iovec local = {.iov_base = buffer, .iov_len = size};
	struct iovec remote = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};
	ssize_t got;

	if (!address || address > INT64_MAX - size)
		return -EFAULT;
	got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
	if (got >= 0)
		return (size_t)got == size ? 0 : -EFAULT;
	if (errno == ENOSYS || errno == EPERM)
		return read_through_proc(pid, address, buffer, size);
	return -errno;
}

int memory_read_word(pid_t pid, uint64_t address, uint64_t *word)
{
	return memory_read(pid, address, word, sizeof(*word));
}

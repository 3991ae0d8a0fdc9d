// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <stdio.h>
#include <sys/syscall.h>
#include "syscall_names.h"

/* Made by the Makefile from the compiler's own <sys/syscall.h>: { SYS_read, "read" }, … */
static const struct {
	int number;
	const char *name;
} names[] = {
#include "syscalls.inc"
};

void syscall_name(int number, char *out, size_t size)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].number == number) {
			snprintf(out, size, "%s", names[i].name);
			return;
		}
	}
	snprintf(out, size, "system call %d", number);
}

bool syscall_moves_bytes(int number)
{
	switch (number) {
	case SYS_read:
	case SYS_pread64:
	case SYS_readv:
	case SYS_preadv:
	case SYS_preadv2:
	case SYS_write:
	case SYS_pwrite64:
	case SYS_writev:
	case SYS_pwritev:
	case SYS_pwritev2:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_sendto:
	case SYS_sendmsg:
		return true;
	default:
		return false;
	}
}

bool syscall_takes_descriptor(int number)
{
	switch (number) {
	case SYS_fsync:
	case SYS_fdatasync:
	case SYS_ftruncate:
	case SYS_fallocate:
	case SYS_getdents64:
	case SYS_ioctl:
	case SYS_flock:
	case SYS_fcntl:
	case SYS_connect:
	case SYS_accept:
	case SYS_accept4:
	case SYS_epoll_pwait:
#ifdef SYS_epoll_wait
	case SYS_epoll_wait:
#endif
		return true;
	default:
		return syscall_moves_bytes(number);
	}
}

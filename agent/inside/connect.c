// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Asks the agent for this process's ring: one message, with the memory's descriptor beside it. */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "inside.h"

/* The agent answers within its next look; one that hangs is not waited for longer. */
#define ANSWER_MS 2000

static long open_socket(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(name), size = offsetof(struct sockaddr_un, sun_path) + 1 + length;
	long fd, err;

	if (!length || length >= sizeof(address.sun_path))
		return -1;
	memcpy(address.sun_path + 1, name, length);
	fd = SYSTEM_CALL(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return fd;
	err = SYSTEM_CALL(SYS_connect, fd, &address, size);
	if (err < 0) {
		SYSTEM_CALL(SYS_close, fd);
		return err;
	}
	return fd;
}

/* The memory's descriptor, or < 0. */
static long receive(long fd)
{
	struct timespec wait = {.tv_sec = ANSWER_MS / 1000};
	struct pollfd ready = {.fd = (int)fd, .events = POLLIN};
	struct inside_welcome welcome = {0};
	struct iovec data = {.iov_base = &welcome, .iov_len = sizeof(welcome)};
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	int memory;

	if (SYSTEM_CALL(SYS_ppoll, &ready, 1, &wait, NULL, 0) != 1 ||
	    SYSTEM_CALL(SYS_recvmsg, fd, &message, MSG_CMSG_CLOEXEC) != sizeof(welcome) ||
	    message.msg_controllen < sizeof(control.header) ||
	    control.header.cmsg_level != SOL_SOCKET || control.header.cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&memory, CMSG_DATA(&control.header), sizeof(memory));
	if (welcome.version == INSIDE_VERSION && welcome.ring_bytes == INSIDE_RING_BYTES)
		return memory;
	SYSTEM_CALL(SYS_close, memory);
	return -1;
}

bool connect_to_agent(void)
{
	const char *name = getenv(INSIDE_SOCKET_VARIABLE);
	long fd = name ? open_socket(name) : -1, memory, ring;

	if (fd < 0)
		return false;
	memory = receive(fd);
	SYSTEM_CALL(SYS_close, fd);
	if (memory < 0)
		return false;
	ring = SYSTEM_CALL(SYS_mmap, 0, INSIDE_RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			   memory);
	SYSTEM_CALL(SYS_close, memory);
	if (ring < 0 && ring > -4096)
		return false;
	inside.ring = (void *)ring;
	inside.header = inside.ring;
	inside.header->pid = (int32_t)SYSTEM_CALL(SYS_getpid);
	return inside.header->version == INSIDE_VERSION;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Asks the agent for this process's ring: one message, with the memory's descriptor beside it. Who was launched is
 * told at which name; who runs already looks where agents wait.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "inside.h"

/* The agent answers within its next look; one that hangs is not waited for longer. */
#define ANSWER_MS 2000
#ifndef PR_SET_PTRACER
#define PR_SET_PTRACER 0x59616d61
#endif

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

/* *memory is its descriptor. */
static enum meeting receive(long fd, int *memory)
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

	if (SYSTEM_CALL(SYS_ppoll, &ready, 1, &wait, NULL, 0) != 1 ||
	    SYSTEM_CALL(SYS_recvmsg, fd, &message, MSG_CMSG_CLOEXEC) != sizeof(welcome))
		return MET_NOBODY;
	*memory = -1;
	if (message.msg_controllen >= sizeof(control.header) &&
	    control.header.cmsg_level == SOL_SOCKET && control.header.cmsg_type == SCM_RIGHTS)
		memcpy(memory, CMSG_DATA(&control.header), sizeof(*memory));
	if (welcome.version == INSIDE_VERSION && welcome.ring_bytes == INSIDE_RING_BYTES &&
	    welcome.answer == INSIDE_WELCOME && *memory >= 0)
		return MET;
	if (*memory >= 0)
		SYSTEM_CALL(SYS_close, *memory);
	if (welcome.version != INSIDE_VERSION)
		return MET_OTHER_VERSION;
	return welcome.answer == INSIDE_NOT_CHOSEN ? MET_NOT_CHOSEN : MET_NO_ROOM;
}

static enum meeting take_ring(long fd)
{
	enum meeting met;
	int memory;
	long ring;

	met = receive(fd, &memory);
	if (met != MET)
		return met;
	ring = SYSTEM_CALL(SYS_mmap, 0, INSIDE_RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			   memory);
	SYSTEM_CALL(SYS_close, memory);
	if (ring < 0 && ring > -4096)
		return MET_NO_ROOM;
	inside.ring = (void *)ring;
	inside.header = inside.ring;
	inside.header->pid = (int32_t)SYSTEM_CALL(SYS_getpid);
	return inside.header->version == INSIDE_VERSION ? MET : MET_OTHER_VERSION;
}

/* Root's agent, or our own user's: another one would be shown what we do. */
static bool is_trusted(long fd, struct ucred *peer)
{
	socklen_t size = sizeof(*peer);

	return SYSTEM_CALL(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, peer, &size) >= 0 &&
	       (!peer->uid || peer->uid == (uid_t)SYSTEM_CALL(SYS_geteuid));
}

/*
 * Where only a parent may look into a process (Yama), this one agent may too: for stacks. Not without need: a
 * process has one such exception, and the job may have made its own, for a debugger or for its own ranks.
 */
static void let_agent_read(const struct ucred *agent)
{
	if (inside.header->unreadable)
		SYSTEM_CALL(SYS_prctl, PR_SET_PTRACER, agent->pid);
}

bool connect_to_agent(void)
{
	const char *name = getenv(INSIDE_SOCKET_VARIABLE);
	long fd = name ? open_socket(name) : -1;
	struct ucred agent;
	enum meeting met;

	if (fd < 0)
		return false;
	met = take_ring(fd);
	if (met == MET && is_trusted(fd, &agent))
		let_agent_read(&agent);
	SYSTEM_CALL(SYS_close, fd);
	return met == MET;
}

static enum meeting meet_at(unsigned int number)
{
	char name[] = INSIDE_MEETING "00";
	struct ucred agent;
	enum meeting met = MET_STRANGER;
	long fd;

	name[sizeof(name) - 3] = (char)('0' + number / 10);
	name[sizeof(name) - 2] = (char)('0' + number % 10);
	fd = open_socket(name);
	if (fd < 0)
		return MET_NOBODY;
	if (is_trusted(fd, &agent)) {
		met = take_ring(fd);
		if (met == MET)
			let_agent_read(&agent);
	}
	SYSTEM_CALL(SYS_close, fd);
	return met;
}

enum meeting meet_agent(void)
{
	enum meeting most = MET_NOBODY;

	if (connect_to_agent())
		return MET;
	for (unsigned int number = 0; number < INSIDE_MEETINGS; number++) {
		enum meeting met = meet_at(number);

		if (met == MET)
			return MET;
		if (met > most)
			most = met;
	}
	return most;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* A process of the job asks on a socket, and is given memory that it can't take away again. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "inside.h"

#define MOST_WAITING 128
/* Of those who ask, how many are heard in one round: anyone may ask where processes are waited for. */
#define MOST_HEARD 64
/* Generations between COMMAND and a process of its own. */
#define MOST_ANCESTORS 64
#define STACKS_PER_SECOND 200
#define STACK_THRESHOLD_NS 50000
#define LAUNCHES_PER_BUCKET 500

int inside_listen(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
	int fd, err;

	if (size > sizeof(address))
		return -ENAMETOOLONG;
	memcpy(address.sun_path + 1, name, strlen(name));
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&address, size) || listen(fd, MOST_WAITING)) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

int inside_wait_for_processes(void)
{
	char name[sizeof(INSIDE_MEETING) + 4];
	int fd = -EADDRINUSE;

	for (unsigned int i = 0; i < INSIDE_MEETINGS && fd == -EADDRINUSE; i++) {
		snprintf(name, sizeof(name), INSIDE_MEETING "%02u", i);
		fd = inside_listen(name);
	}
	return fd;
}

/* COMMAND itself, or a descendant; who has lost its parents is known by its user. Who was not launched has to be chosen. */
static bool is_of_the_job(struct inside_recorder *inside, const struct ucred *peer)
{
	const struct record_options *options = inside->session->options;
	const struct process *process = tasks_find_process(inside->session->tasks, peer->pid);
	struct proc_stat parent = {.parent = peer->pid};
	struct stat folder; /* of the owner of COMMAND */
	char path[32];

	if (options->target == TARGET_ALL)
		return !geteuid() || peer->uid == geteuid();
	if (process && process->target && !process->ended)
		return true;
	for (int i = 0; i < MOST_ANCESTORS && parent.parent > 1; i++) {
		for (unsigned int j = 0; j < options->pid_count; j++)
			if (parent.parent == options->pids[j])
				return true;
		if (proc_read_stat(parent.parent, 0, &parent))
			break;
	}
	if (options->inside_waits)
		return false;
	snprintf(path, sizeof(path), "/proc/%d", options->pid_count ? options->pids[0] : 0);
	return !lstat(path, &folder) && folder.st_uid == peer->uid;
}

static int make_ring(void **out)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	int fd = memfd_create("stalltrace", MFD_CLOEXEC | MFD_ALLOW_SEALING), err;

	if (fd < 0)
		return -errno;
	/* All of it, now: who finds no page later is ended by SIGBUS. */
	err = posix_fallocate(fd, 0, (off_t)INSIDE_RING_BYTES);
	if (!err && fcntl(fd, F_ADD_SEALS, seals))
		err = errno;
	*out = err ? MAP_FAILED :
		     mmap(NULL, INSIDE_RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (*out == MAP_FAILED) {
		close(fd);
		return err ? -err : -ENOMEM;
	}
	return fd;
}

int inside_try_out(char *why, size_t why_size)
{
	char name[64];
	void *ring = NULL;
	int socket, memory;

	snprintf(name, sizeof(name), "stalltrace-try-%d", getpid());
	socket = inside_listen(name);
	if (socket < 0) {
		snprintf(why, why_size, "No local socket can be made: %s.", strerror(-socket));
		return socket;
	}
	close(socket);
	memory = make_ring(&ring);
	if (memory < 0) {
		snprintf(why, why_size, "No memory can be made to share with the job: %s.",
			 strerror(-memory));
		return memory;
	}
	munmap(ring, INSIDE_RING_BYTES);
	close(memory);
	return 0;
}

static void begin_ring(const struct inside_recorder *inside, void *ring, pid_t pid)
{
	struct inside_header *header = ring;
	char why[320];

	header->version = INSIDE_VERSION;
	header->gpu_records = inside->session->options->gpu_records;
	header->no_cupti = inside->session->options->no_cupti;
	/* BPF's probes see more, but for who insists. */
	header->imports = !inside->beside_probes || (inside->session->options->no_cupti &&
						     inside->session->options->inside_asked);
	header->unreadable = memory_is_refused(pid, why, sizeof(why));
	header->launches_per_bucket = LAUNCHES_PER_BUCKET;
	header->stacks_per_second = STACKS_PER_SECOND;
	header->stack_threshold_ns = STACK_THRESHOLD_NS;
	atomic_store(&header->free_blocks, INSIDE_BLOCKS);
	atomic_store(&header->beat_ns, clock_ns(CLOCK_MONOTONIC));
	atomic_store(&header->recording, 1);
}

/* memory < 0: none. */
static bool send_answer(int peer, enum inside_answer answer, int memory)
{
	struct inside_welcome welcome = {
		.version = INSIDE_VERSION,
		.answer = answer,
		.ring_bytes = INSIDE_RING_BYTES,
	};
	struct iovec data = {.iov_base = &welcome, .iov_len = sizeof(welcome)};
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = memory < 0 ? NULL : &control,
		.msg_controllen = memory < 0 ? 0 : sizeof(control),
	};

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &memory, sizeof(memory));
	return sendmsg(peer, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof(welcome);
}

void inside_process_free(struct inside_process *process)
{
	if (!process)
		return;
	if (process->ring)
		munmap(process->ring, INSIDE_RING_BYTES);
	free(process->calls);
	free(process->waiting);
	free(process);
}

static struct inside_process *new_process(const struct inside_recorder *inside, pid_t pid,
					  const struct proc_stat *stat)
{
	struct inside_process *process = calloc(1, sizeof(*process));

	if (!process)
		return NULL;
	process->calls = calloc(REMEMBERED_CALLS, sizeof(*process->calls));
	process->waiting = calloc(MOST_WAITING_WORK, sizeof(*process->waiting));
	process->pid = pid;
	process->start_ticks = stat->start_ticks;
	process->own_namespace = proc_namespace_tid(pid, pid) != pid;
	process->quiet_ns = process->looked_ns = inside->session->now_ns;
	if (process->calls && process->waiting)
		return process;
	inside_process_free(process);
	return NULL;
}

/*
 * Who asks again has called exec since, or has gone on without CUPTI, as the same program: nothing more comes of what
 * it was.
 */
static bool end_former(struct inside_recorder *inside, pid_t pid, bool *same_program)
{
	bool found = false;

	for (unsigned int i = 0; i < inside->process_count; i++) {
		if (inside->processes[i]->pid != pid)
			continue;
		const struct inside_header *header = inside->processes[i]->ring;

		inside->processes[i]->ended = true;
		*same_program |= atomic_load(&header->yielded_ns) > 0;
		found = true;
	}
	return found;
}

static void give_ring(struct inside_recorder *inside, int peer, pid_t pid)
{
	struct inside_process *process;
	struct proc_stat stat;
	int memory = -1;
	bool again, same_program = inside->session->options->inside_waits;

	if (proc_read_stat(pid, 0, &stat))
		return;
	again = end_former(inside, pid, &same_program);
	process = inside->process_count < MOST_PROCESSES ? new_process(inside, pid, &stat) : NULL;
	if (process && again)
		process->again_ns = inside->session->now_ns;
	if (process)
		process->ran_before = same_program;
	if (process)
		memory = make_ring(&process->ring);
	if (memory < 0) {
		inside->refused_processes++;
		send_answer(peer, INSIDE_NO_ROOM, -1);
		if (process)
			process->ring = NULL;
		inside_process_free(process);
		return;
	}
	begin_ring(inside, process->ring, pid);
	/* Before it calls anything: from its first call on nothing is missing. */
	inside_process_row(inside, process);
	host_ranges_add_process(inside->ranges, (uint32_t)pid, !process->ran_before);
	if (send_answer(peer, INSIDE_WELCOME, memory))
		inside->processes[inside->process_count++] = process;
	else
		inside_process_free(process);
	close(memory);
}

void inside_accept(struct inside_recorder *inside)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	int fd;

	for (unsigned int i = 0; i < MOST_HEARD; i++) {
		fd = accept4(inside->socket, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			return;
		if (!getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) && peer.pid > 0 &&
		    is_of_the_job(inside, &peer))
			give_ring(inside, fd, peer.pid);
		else
			send_answer(fd, INSIDE_NOT_CHOSEN, -1);
		close(fd);
	}
}

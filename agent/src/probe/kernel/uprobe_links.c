// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "uprobe_links.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MULTI_RETURN 1 /* BPF_F_UPROBE_MULTI_RETURN */

/* The arguments of BPF_LINK_CREATE in union bpf_attr, as of 6.6. */
struct link_create_attr {
	uint32_t program;
	uint32_t target;
	uint32_t attach_type;
	uint32_t flags;
	uint64_t path;
	uint64_t offsets;
	uint64_t counter_offsets;
	uint64_t cookies;
	uint32_t count;
	uint32_t multi_flags;
	uint32_t pid;
	uint32_t padding;
};

int uprobe_link_create(int program, int attach_type, bool returns, const char *path,
		       const uint64_t *offsets, const uint64_t *functions, unsigned int count)
{
	struct link_create_attr attr = {
		.program = (uint32_t)program,
		.attach_type = (uint32_t)attach_type,
		.path = (uintptr_t)path,
		.offsets = (uintptr_t)offsets,
		.cookies = (uintptr_t)functions,
		.count = count,
		.multi_flags = returns ? MULTI_RETURN : 0,
	};
	long fd = syscall(__NR_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : (int)fd;
}

int uprobe_links_multi(struct uprobe_links *links, int program, int attach_type, bool returns,
		       const char *path, const struct probe_points *points, unsigned int *refused)
{
	int fd = uprobe_link_create(program, attach_type, returns, path, points->offsets,
				    points->functions, points->count);
	int err = fd;
	unsigned int before = links->count;

	*refused = 0;
	if (fd >= 0) {
		links->fds[links->count++] = fd;
		return 0;
	}
	/* Not for lack of rights: no single place would fare better. */
	if (fd == -EPERM || fd == -EACCES)
		return fd;
	for (unsigned int i = 0; i < points->count; i++) {
		fd = uprobe_link_create(program, attach_type, returns, path, &points->offsets[i],
					&points->functions[i], 1);
		if (fd >= 0)
			links->fds[links->count++] = fd;
		else
			++*refused;
	}
	return links->count > before ? 0 : err;
}

static int read_number(const char *path, const char *format, unsigned int *out)
{
	FILE *file = fopen(path, "re");
	int err = 0;

	if (!file)
		return -errno;
	if (fscanf(file, format, out) != 1)
		err = -EINVAL;
	fclose(file);
	return err;
}

static int open_uprobe_event(const char *path, uint64_t offset, bool returns)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .sample_period = 1};
	unsigned int type, return_bit = 0;
	int err = read_number("/sys/bus/event_source/devices/uprobe/type", "%u", &type);
	long fd;

	if (err < 0)
		return err;
	if (returns) {
		err = read_number("/sys/bus/event_source/devices/uprobe/format/retprobe",
				  "config:%u", &return_bit);
		if (err < 0 || return_bit > 63)
			return err < 0 ? err : -EINVAL;
		attr.config = 1ULL << return_bit;
	}
	attr.type = type;
	attr.uprobe_path = (uintptr_t)path;
	attr.probe_offset = offset;
	/* Every process on every CPU, although a CPU has to be named. */
	fd = syscall(__NR_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

static int create_perf_link(int program, bool returns, const char *path, uint64_t offset,
			    uint64_t function)
{
	LIBBPF_OPTS(bpf_link_create_opts, options, .perf_event.bpf_cookie = function);
	int event = open_uprobe_event(path, offset, returns);
	int link;

	if (event < 0)
		return event;
	link = bpf_link_create(program, event, BPF_PERF_EVENT, &options);
	/* The link holds the event. */
	close(event);
	return link;
}

int uprobe_links_perf(struct uprobe_links *links, int program, bool returns, const char *path,
		      const struct probe_points *points, unsigned int *refused)
{
	unsigned int before = links->count;
	int err = 0;

	*refused = 0;
	for (unsigned int i = 0; i < points->count; i++) {
		int link = create_perf_link(program, returns, path, points->offsets[i],
					    points->functions[i]);

		if (link >= 0) {
			links->fds[links->count++] = link;
		} else {
			err = link;
			++*refused;
			if (err == -EPERM || err == -EACCES || err == -ENOENT)
				break;
		}
	}
	return links->count > before ? 0 : err;
}

/* Entries before returns, which were made first: else calls begin that never end. */
void uprobe_links_close(struct uprobe_links *links)
{
	while (links->count)
		close(links->fds[--links->count]);
}

static bool holds(const struct uprobe_links *links, int fd)
{
	for (unsigned int i = 0; i < links->count; i++) {
		if (links->fds[i] == fd)
			return true;
	}
	return false;
}

/* Nobody may have to wait for a pipe, a file or a lock because this process still has it. */
static void close_all_but(const struct uprobe_links *links)
{
	int last = -1;

	for (unsigned int i = 0; i < links->count; i++) {
		if (links->fds[i] > last)
			last = links->fds[i];
	}
	for (int fd = 0; fd < last; fd++) {
		if (!holds(links, fd))
			close(fd);
	}
	syscall(__NR_close_range, (unsigned int)last + 1, ~0U, 0);
}

/*
 * Another thread may have held a lock at the fork: only system calls from here on. `gate` ends once the agent
 * has closed its own descriptors: whoever closes one last waits for its end.
 */
static void end_links(const struct uprobe_links *links, const int gate[2])
{
	char none;

	if (setsid() < 0 || fork() != 0)
		_exit(0);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	prctl(PR_SET_NAME, "stalltrace-end");
	close(gate[1]);
	while (read(gate[0], &none, 1) < 0 && errno == EINTR)
		;
	close_all_but(links);
	for (unsigned int i = links->count; i; i--)
		close(links->fds[i - 1]);
	_exit(0);
}

void uprobe_links_end_apart(struct uprobe_links *links)
{
	int gate[2] = {-1, -1};
	pid_t child = -1;

	if (links->count && !pipe2(gate, O_CLOEXEC))
		child = fork();
	if (child == 0)
		end_links(links, gate);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	uprobe_links_close(links);
	for (int i = 0; i < 2; i++) {
		if (gate[i] >= 0)
			close(gate[i]);
	}
}

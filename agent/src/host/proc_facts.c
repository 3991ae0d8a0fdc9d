// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cgroup/cgroup.h"

#define COMMAND_LINE_BYTES (64 * 1024)
#define COMMAND_LINE_CAPACITY (2 * COMMAND_LINE_BYTES)
#define ENVIRONMENT_BYTES (4 << 20)
#define WORD_BYTES 32 /* "LOCAL_RANK=" and a number */

/* Takes a rank out of "NAME=number"; what isn't one of the three is left. */
static void take_rank(const char *word, struct proc_facts *out)
{
	const struct {
		const char *name;
		int *value;
	} ranks[] = {
		{"RANK=", &out->rank},
		{"LOCAL_RANK=", &out->local_rank},
		{"WORLD_SIZE=", &out->world_size},
	};
	size_t i;

	for (i = 0; i < sizeof(ranks) / sizeof(*ranks); i++) {
		size_t length = strlen(ranks[i].name);
		char *end;
		long value;

		if (strncmp(word, ranks[i].name, length) || word[length] < '0' ||
		    word[length] > '9')
			continue;
		value = strtol(word + length, &end, 10);
		if (*end == '\0' && value <= 1 << 24)
			*ranks[i].value = (int)value;
	}
}

/*
 * The environment holds secrets: it passes through `chunk` in pieces, of each variable no more than
 * its first bytes are looked at, and both buffers are wiped before this returns.
 */
static void read_ranks(pid_t pid, struct proc_facts *out)
{
	char path[64], chunk[4096], word[WORD_BYTES];
	size_t word_length = 0, total = 0;
	ssize_t got, i;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	while (total < ENVIRONMENT_BYTES && (got = read(fd, chunk, sizeof(chunk))) > 0) {
		total += (size_t)got;
		for (i = 0; i < got; i++) {
			if (word_length < sizeof(word) - 1)
				word[word_length] = chunk[i];
			word_length++;
			if (chunk[i] != '\0')
				continue;
			if (word_length < sizeof(word))
				take_rank(word, out);
			word_length = 0;
		}
	}
	close(fd);
	explicit_bzero(chunk, sizeof(chunk));
	explicit_bzero(word, sizeof(word));
}

/* Ends the text before `size` bytes, not within a UTF-8 sequence. */
static size_t cut_length(const char *text, size_t length, size_t size)
{
	if (length < size)
		return length;
	length = size - 1;
	while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
		length--;
	return length;
}

/* An argument that was cut may be a secret that no longer looks like one. In a title it is a word. */
static size_t whole_length(const char *text, size_t length)
{
	size_t end = length;

	while (end && text[end - 1] != '\0')
		end--;
	if (end)
		return end;
	while (length && text[length - 1] != ' ')
		length--;
	return length;
}

static void read_command_line(pid_t pid, char *out, size_t size)
{
	char *text = malloc(COMMAND_LINE_CAPACITY);
	long got = text ? proc_read(pid, 0, "cmdline", text, COMMAND_LINE_BYTES) : -ENOMEM;
	size_t length = got > 0 ? (size_t)got : 0, i;

	if (length == COMMAND_LINE_BYTES - 1)
		length = whole_length(text, length);
	if (length && redact_arguments(text, &length, COMMAND_LINE_CAPACITY) < 0)
		length = 0;
	while (length && (text[length - 1] == '\0' || text[length - 1] == ' '))
		length--;
	length = cut_length(text, length, size);
	for (i = 0; i < length; i++)
		out[i] = text[i] ? text[i] : ' ';
	out[length] = '\0';
	free(text);
}

static void copy_field(const char *status, const char *key, char *out, size_t size)
{
	const char *field = proc_status_field(status, key);
	size_t length = field ? strcspn(field, "\n") : 0;

	snprintf(out, size, "%.*s", (int)length, field ? field : "");
}

static long number_field(const char *status, const char *key, long otherwise)
{
	const char *field = proc_status_field(status, key);

	return field ? strtol(field, NULL, 10) : otherwise;
}

static void read_link(pid_t pid, const char *name, char *out, size_t size)
{
	char path[64];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	length = readlink(path, out, size - 1);
	out[length > 0 ? length : 0] = '\0';
}

int proc_read_facts(pid_t pid, struct proc_facts *out)
{
	struct cgroup_folder group;
	struct proc_stat stat;
	char status[8192];
	long length;
	int err;

	err = proc_read_stat(pid, 0, &stat);
	if (err)
		return err;
	/* What has ended has no command line any more, and seems to be in the root control group. */
	if (stat.state == 'Z' || stat.state == 'X')
		return -ESRCH;
	length = proc_read(pid, 0, "status", status, sizeof(status));
	if (length < 0)
		return (int)length;
	memset(out, 0, sizeof(*out));
	out->rank = out->local_rank = out->world_size = -1;
	out->pid = pid;
	out->parent = stat.parent;
	out->forked_without_exec = proc_forked_without_exec(pid, stat.parent);
	out->namespace_pid = proc_namespace_tid(pid, pid);
	out->uid = (uid_t)number_field(status, "Uid", 0);
	memcpy(out->comm, stat.comm, sizeof(out->comm));
	redact_name(out->comm);
	out->seccomp = (int)number_field(status, "Seccomp", 0);
	out->start_ns = proc_ticks_to_monotonic(stat.start_ticks);
	copy_field(status, "Cpus_allowed_list", out->cpus_allowed, sizeof(out->cpus_allowed));
	if (cgroup_of_process(pid, out->cgroup, sizeof(out->cgroup)))
		out->cgroup[0] = '\0';
	if (!stat.kernel_thread) {
		read_command_line(pid, out->command_line, sizeof(out->command_line));
		read_link(pid, "exe", out->executable, sizeof(out->executable));
		read_ranks(pid, out);
	}
	if (!cgroup_folder_of_process(pid, "cpu", &group))
		out->cpu_quota = cgroup_cpu_quota(&group);
	if (!cgroup_folder_of_process(pid, "cpuset", &group))
		cgroup_read_cpus(&group, out->group_cpus, sizeof(out->group_cpus));
	return 0;
}

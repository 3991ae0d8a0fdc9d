// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "file_text.h"
#include "../clock.h"

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h */
#define STAT_FIRST_FIELD 3    /* the one after the name, counted as in proc_pid_stat(5) */
#define STAT_LAST_FIELD 39

long proc_read(pid_t pid, pid_t tid, const char *name, char *buffer, size_t size)
{
	char path[128];
	long err;

	if (tid)
		snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, name);
	else
		snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	err = file_text_read(path, buffer, size);
	if (err != -ENOENT)
		return err;
	/* Of a living process the kernel may lack this file: then ENOENT is the truth. */
	snprintf(path, sizeof(path), "/proc/%d/stat", tid ? tid : pid);
	return access(path, F_OK) ? -ESRCH : -ENOENT;
}

/* The name stands in parentheses and may hold any byte, ") R 1" too: it ends at the last one. */
static const char *parse_name(const char *text, size_t length, struct proc_stat *out)
{
	const char *open = memchr(text, '(', length);
	const char *close = memrchr(text, ')', length);
	size_t name_length;

	if (!open || !close || close < open || close + 2 >= text + length)
		return NULL;
	name_length = (size_t)(close - open - 1);
	if (name_length >= sizeof(out->comm))
		name_length = sizeof(out->comm) - 1;
	memcpy(out->comm, open + 1, name_length);
	out->comm[name_length] = '\0';
	return close + 2;
}

int proc_parse_stat(const char *text, size_t length, struct proc_stat *out)
{
	unsigned long long fields[STAT_LAST_FIELD + 1] = {0};
	const char *at;
	char *end;
	int field;

	memset(out, 0, sizeof(*out));
	if (!length || text[length] != '\0')
		return -EBADMSG;
	out->pid = (pid_t)strtol(text, NULL, 10);
	at = parse_name(text, length, out);
	if (!at || out->pid <= 0)
		return -EBADMSG;
	out->state = *at++;
	for (field = STAT_FIRST_FIELD + 1; field <= STAT_LAST_FIELD; field++, at = end) {
		/* Negative fields (tty_nr, priorities, tpgid) are not used. */
		fields[field] = (unsigned long long)strtoll(at, &end, 10);
		if (end == at)
			return -EBADMSG;
		if (fields[field] ==
		    INT64_MAX) /* an unsigned field above 2^63: signal masks, addresses */
			fields[field] = strtoull(at, &end, 10);
	}
	out->parent = (pid_t)fields[4];
	out->kernel_thread = fields[9] & PF_KTHREAD;
	out->minor_faults = fields[10];
	out->major_faults = fields[12];
	out->user_ticks = fields[14];
	out->system_ticks = fields[15];
	out->threads = fields[20];
	out->start_ticks = fields[22];
	out->rss_bytes = fields[24] * (uint64_t)sysconf(_SC_PAGESIZE);
	out->start_stack = fields[28];
	out->cpu = (int)fields[39];
	return 0;
}

int proc_read_stat(pid_t pid, pid_t tid, struct proc_stat *out)
{
	char text[1024];
	long length = proc_read(pid, tid, "stat", text, sizeof(text));

	if (length < 0)
		return (int)length;
	if (length == 0)
		return -ESRCH;
	return proc_parse_stat(text, (size_t)length, out);
}

bool proc_forked_without_exec(pid_t pid, pid_t parent)
{
	struct proc_stat child_stat, parent_stat;

	if (proc_read_stat(pid, 0, &child_stat) || proc_read_stat(parent, 0, &parent_stat))
		return false;
	/* 1 is what the kernel shows where it hides the addresses. */
	if (child_stat.start_stack > 1 && parent_stat.start_stack > 1)
		return child_stat.start_stack == parent_stat.start_stack;
	return !strcmp(child_stat.comm, parent_stat.comm) && !child_stat.kernel_thread;
}

int proc_parse_schedstat(const char *text, struct proc_schedstat *out)
{
	uint64_t values[3];
	char *end;
	int i;

	for (i = 0; i < 3; i++, text = end) {
		values[i] = strtoull(text, &end, 10);
		if (end == text)
			return -EBADMSG;
	}
	*out = (struct proc_schedstat){values[0], values[1], values[2]};
	return 0;
}

int proc_read_schedstat(pid_t pid, pid_t tid, struct proc_schedstat *out)
{
	char text[128];
	long length = proc_read(pid, tid, "schedstat", text, sizeof(text));

	if (length < 0)
		return (int)length;
	return length ? proc_parse_schedstat(text, out) : -ESRCH;
}

bool proc_same_schedstat(const struct proc_schedstat *a, const struct proc_schedstat *b)
{
	return a->run_ns == b->run_ns && a->run_delay_ns == b->run_delay_ns &&
	       a->slices == b->slices;
}

bool proc_has_schedstat(void)
{
	struct proc_schedstat own = {0};

	return !proc_read_schedstat(getpid(), 0, &own) && own.slices > 0;
}

/*
 * CLOCK_BOOTTIME counts suspended time, CLOCK_MONOTONIC does not. Taken once, so that a process
 * keeps one start time; the narrowest of a few readings.
 */
static int64_t boot_minus_monotonic_ns(void)
{
	static int64_t offset_ns;
	static bool known;
	int64_t narrowest_ns = INT64_MAX;
	int i;

	for (i = 0; !known && i < 5; i++) {
		uint64_t before_ns = clock_ns(CLOCK_MONOTONIC);
		uint64_t boot_ns = clock_ns(CLOCK_BOOTTIME);
		int64_t width_ns = (int64_t)(clock_ns(CLOCK_MONOTONIC) - before_ns);

		if (width_ns >= narrowest_ns)
			continue;
		narrowest_ns = width_ns;
		offset_ns = (int64_t)(boot_ns - before_ns) - width_ns / 2;
	}
	known = true;
	return offset_ns;
}

uint64_t proc_ticks_to_monotonic(uint64_t ticks)
{
	uint64_t hertz = (uint64_t)sysconf(_SC_CLK_TCK);
	/* In two steps: ticks × 10^9 would not fit after 5.8 years. */
	uint64_t boot_ns = ticks / hertz * NS_PER_SECOND + ticks % hertz * NS_PER_SECOND / hertz;
	int64_t offset_ns = boot_minus_monotonic_ns();

	return (int64_t)boot_ns > offset_ns ? boot_ns - (uint64_t)offset_ns : 0;
}

const char *proc_status_field(const char *text, const char *key)
{
	size_t length = strlen(key);

	while (text) {
		if (!strncmp(text, key, length) && text[length] == ':')
			return text + length + 1 + strspn(text + length + 1, " \t");
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return NULL;
}

pid_t proc_namespace_tid(pid_t pid, pid_t tid)
{
	char text[4096];
	const char *field;
	pid_t innermost = 0;
	char *end;

	if (proc_read(pid, tid, "status", text, sizeof(text)) <= 0)
		return tid;
	field = proc_status_field(text, "NSpid");
	while (field) {
		long value = strtol(field, &end, 10);

		if (end == field)
			break;
		innermost = (pid_t)value;
		field = *end == '\n' ? NULL : end;
	}
	return innermost > 0 ? innermost : tid;
}

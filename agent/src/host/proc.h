/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* /proc, read as hostile and racing: a process may end at any line. -errno, -ESRCH when it has. */
#ifndef STALLTRACE_PROC_H
#define STALLTRACE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* /proc/PID/stat or /proc/PID/task/TID/stat. */
struct proc_stat {
	pid_t pid, parent;
	char comm[64];
	char state; /* R, S, D, T, t, Z, I … */
	uint64_t minor_faults, major_faults;
	uint64_t user_ticks, system_ticks;
	uint64_t start_ticks; /* since boot, USER_HZ */
	uint64_t threads;     /* of the process */
	uint64_t rss_bytes;
	/* Address, the same after fork, another after exec; 0 = may not be read. */
	uint64_t start_stack;
	int cpu; /* last run on */
	bool kernel_thread;
};
/* tid 0 = the process: name, state and CPU of its first thread, faults and ticks of all. */
int proc_read_stat(pid_t pid, pid_t tid, struct proc_stat *out);
/* The text of a stat file. 0, or -EBADMSG where it isn't one. */
int proc_parse_stat(const char *text, size_t length, struct proc_stat *out);

/* /proc/PID/task/TID/schedstat. */
struct proc_schedstat {
	uint64_t run_ns, run_delay_ns, slices;
};
int proc_read_schedstat(pid_t pid, pid_t tid, struct proc_schedstat *out);
int proc_parse_schedstat(const char *text, struct proc_schedstat *out);
/* Then the thread has not run between the two reads. */
bool proc_same_schedstat(const struct proc_schedstat *a, const struct proc_schedstat *b);
/* Whether the kernel counts: without CONFIG_SCHED_INFO there is no such file, with delayacct off it is all zeros. */
bool proc_has_schedstat(void);

/*
 * Reads /proc/PID/NAME, or /proc/PID/task/TID/NAME where tid is not 0, as far as it fits, and ends
 * it with NUL. Bytes without the NUL, or -errno.
 */
long proc_read(pid_t pid, pid_t tid, const char *name, char *buffer, size_t size);
/* CLOCK_MONOTONIC of a time since boot; the same value for the same ticks. */
uint64_t proc_ticks_to_monotonic(uint64_t ticks);
/* Text after "Key:" of a /proc/PID/status-like text, without the blanks before it; NULL = none. */
const char *proc_status_field(const char *text, const char *key);

/*
 * What is asked once of a process. Texts are cut, never overrun. Of its environment only RANK,
 * LOCAL_RANK and WORLD_SIZE are kept, as numbers; the rest passes through a buffer that is wiped.
 */
struct proc_facts {
	pid_t pid, parent, namespace_pid;
	uid_t uid;
	char comm[64];
	char command_line[4096]; /* spaces between arguments, secrets redacted */
	char executable[4096];
	char cgroup[1024];
	char cpus_allowed[256];
	char group_cpus[256]; /* those that its control group leaves it; "" = not known */
	double cpu_quota;     /* CPUs; 0 = none */
	int rank, local_rank, world_size; /* -1 = not set, or may not be read */
	bool forked_without_exec;         /* still runs what its parent runs */
	int seccomp;                      /* 0 none, 1 strict, 2 filter */
	uint64_t start_ns;                /* CLOCK_MONOTONIC, to a clock tick */
};
/* *out is left alone where it fails. */
int proc_read_facts(pid_t pid, struct proc_facts *out);
/* Whether the process still runs what its parent ran when it forked it. */
bool proc_forked_without_exec(pid_t pid, pid_t parent);
pid_t proc_namespace_tid(pid_t pid, pid_t tid); /* innermost; tid itself where unknown */

/* The visits return -errno where nothing could be listed; a process that ends meanwhile is left out. */
int proc_each_process(void (*visit)(void *context, pid_t pid), void *context);
int proc_each_thread(pid_t pid, void (*visit)(void *context, pid_t tid), void *context);
/* The process and all its descendants, parents first. */
int proc_each_of_tree(pid_t root, void (*visit)(void *context, pid_t pid), void *context);

/*
 * The file behind a descriptor. Nothing here touches the file or its file system: stat(2) and
 * statfs(2) hang where a server is gone.
 */
struct proc_fd {
	uint64_t inode;
	unsigned int mount; /* its id: see proc_mount_type */
	char path[4096];    /* or "pipe:[123]", "/memfd:x (deleted)" */
};
/* Room for what is mounted somewhere: its type, and where it lies. */
#define MOUNT_TEXT 256
/* -ESTALE where the number stood for another file before it was read to the end. */
int proc_read_fd(pid_t pid, int fd, struct proc_fd *out);
/* The inode and mount of an fdinfo text. 0, or -EBADMSG where it lacks one: before Linux 5.14. */
int proc_parse_fdinfo(const char *text, struct proc_fd *out);
/*
 * What is mounted there, as the process sees it: "ext4", "nfs4 of nas:/data" where it lies elsewhere; "" = it doesn't see it.
 * Of a source too long for `size` only the type is told.
 */
void proc_mount_type(pid_t pid, unsigned int mount, char *out, size_t size);
/* The same of `text`, what follows " - " in a line of mountinfo. */
void proc_describe_mount(const char *text, char *out, size_t size);
/* The same of a device, as in /proc/PID/maps: a file system has it wherever it is mounted. */
void proc_device_type(pid_t pid, uint64_t device, char *out, size_t size);

/*
 * Replaces what looks like a secret in an argument vector (NUL-separated, `length` bytes): values of
 * --token, --password, API_KEY=…, URLs with user:password@, long random words, known prefixes
 * (ghp_, sk-, hf_, AKIA …). docs/agent.md says what, and what not. What is not text stays as it is; no
 * UTF-8 sequence is cut. Returns how many were replaced.
 */
int redact_arguments(char *arguments, size_t *length, size_t capacity);
/*
 * The same in the name of a process or thread, which may be the begin of a title: what begins a secret
 * is cut off with what follows.
 */
void redact_name(char *name);

#endif /* STALLTRACE_PROC_H */

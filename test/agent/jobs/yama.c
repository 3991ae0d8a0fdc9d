/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * yama SCOPE COMMAND ...: runs it as under kernel.yama.ptrace_scope = SCOPE (1 or 2), on kernels without Yama too.
 * Asks the kernel about each system call that Yama has a word in (seccomp's notifications; needs root), and
 * answers by its rules (security/yama/yama_lsm.c). COMMAND is to give up root's rights itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_EXCEPTIONS 256
#define ANYONE -1

static int scope;

/* Of PR_SET_PTRACER: one a process, the last one counts. */
static struct exception {
	int tracee, tracer;
} exceptions[MOST_EXCEPTIONS];

static int status_number(int pid, const char *name)
{
	char path[64], line[256];
	int number = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			number = atoi(line + strlen(name));
	if (file)
		fclose(file);
	return number;
}

static int process_of(int tid)
{
	return status_number(tid, "Tgid:");
}

static bool is_descendant(int parent, int child)
{
	for (; child > 0; child = status_number(child, "PPid:"))
		if (child == parent)
			return true;
	return false;
}

static bool has_exception(int tracer, int tracee)
{
	for (int i = 0; i < MOST_EXCEPTIONS; i++)
		if (exceptions[i].tracee == tracee && exceptions[i].tracer)
			return exceptions[i].tracer == ANYONE ||
			       is_descendant(exceptions[i].tracer, tracer);
	return false;
}

static bool may_attach(int tracer, int tid)
{
	int tracee = process_of(tid);

	if (!tracee || tracer == tracee)
		return true;
	return scope < 2 && (is_descendant(tracer, tracee) || has_exception(tracer, tracee));
}

static int set_ptracer(int tracee, uint64_t tracer)
{
	for (int i = 0; i < MOST_EXCEPTIONS; i++) {
		if (exceptions[i].tracee && exceptions[i].tracee != tracee)
			continue;
		exceptions[i] = (struct exception){tracee, (int)tracer};
		return 0;
	}
	return -ENOMEM;
}

/* Files of /proc that are opened as a debugger would, not as a reader. */
static int opened_process(int tid, uint64_t address)
{
	char path[64] = "", name[16] = "";
	struct iovec local = {path, sizeof(path) - 1},
		     remote = {(void *)(uintptr_t)address, sizeof(path) - 1};
	int pid = 0, thread = 0;

	if (process_vm_readv(tid, &local, 1, &remote, 1, 0) <= 0)
		return 0;
	if (sscanf(path, "/proc/%d/task/%d/%15s", &pid, &thread, name) != 3 &&
	    sscanf(path, "/proc/%d/%15s", &pid, name) != 2)
		return 0;
	return !strcmp(name, "mem") || !strcmp(name, "syscall") ? pid : 0;
}

/* 0: as without us; 1: done here. */
static int rule(const struct seccomp_notif *asked)
{
	int process = process_of((int)asked->pid), other = 0;

	if (asked->data.nr == SYS_prctl)
		return set_ptracer(process, asked->data.args[1]) ? -ENOMEM : 1;
	if (asked->data.nr == SYS_process_vm_readv)
		return may_attach(process, (int)asked->data.args[0]) ? 0 : -EPERM;
	other = opened_process((int)asked->pid, asked->data.args[1]);
	return !other || may_attach(process, other) ? 0 : -EACCES;
}

static void answer_one(int listener)
{
	struct seccomp_notif asked = {0};
	struct seccomp_notif_resp answer = {0};
	int said;

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked))
		return;
	said = rule(&asked);
	answer.id = asked.id;
	answer.error = said < 0 ? said : 0;
	answer.flags = said ? 0 : SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

static int install(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 5, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_PTRACER, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
	};
	struct sock_fprog program = {.len = 8, .filter = filter};

	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			    &program);
}

/* Tells which descriptor of ours the kernel asks on, and waits until it is taken. */
static int become(int link, char **command)
{
	int listener = install();

	if (listener < 0)
		perror("yama");
	if (write(link, &listener, sizeof(listener)) < 0 || listener < 0 ||
	    read(link, &listener, sizeof(listener)) <= 0)
		return 125;
	execvp(command[0], command);
	perror(command[0]);
	return 127;
}

static int take_listener(int link, int child_file)
{
	int number = -1, listener;

	if (read(link, &number, sizeof(number)) != sizeof(number) || number < 0)
		return -1;
	listener = (int)syscall(SYS_pidfd_getfd, child_file, number, 0);
	return listener >= 0 && write(link, &number, sizeof(number)) > 0 ? listener : -1;
}

int main(int argc, char **argv)
{
	int link[2], status = 0, child_file;
	pid_t child;

	scope = argc > 2 ? atoi(argv[1]) : 0;
	if (scope < 1 || scope > 2 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, link)) {
		fprintf(stderr, "yama: 1 or 2, then a command\n");
		return 125;
	}
	child = fork();
	if (child == 0)
		return become(link[1], argv + 2);
	child_file = child < 0 ? -1 : (int)syscall(SYS_pidfd_open, child, 0);
	struct pollfd ready[] = {
		{.fd = take_listener(link[0], child_file), .events = POLLIN},
		{.fd = child_file, .events = POLLIN},
	};
	while (poll(ready, 2, -1) >= 0 || errno == EINTR) {
		if (ready[0].revents & POLLIN)
			answer_one(ready[0].fd);
		else if (ready[1].revents)
			break;
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

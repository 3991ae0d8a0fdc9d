/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * refuse WHAT COMMAND ...: runs it where the kernel refuses some system calls.
 *   perf        perf_event_open, as a filter does
 *   perf-level  perf_event_open, as kernel.perf_event_paranoid does beyond 2 (Debian, Ubuntu)
 *   usage       getrusage
 *   reads       process_vm_readv, of one's own process too
 *   docker      what Docker's default filter refuses to who has no capability, from Linux 4.8 on: not process_vm_readv
 *   docker-root the same to root of a container, who may chroot
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAMESPACES                                                                     \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
	 CLONE_NEWPID | CLONE_NEWNET)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct refusal {
	const char *what;
	int call, error;
} refusals[] = {
	{"perf", SYS_perf_event_open, EPERM},
	{"perf-level", SYS_perf_event_open, EACCES},
	{"usage", SYS_getrusage, EPERM},
	{"reads", SYS_process_vm_readv, EPERM},
	{"docker", SYS_perf_event_open, EPERM},
	{"docker", SYS_bpf, EPERM},
	{"docker", SYS_clone3, ENOSYS},
	{"docker", SYS_unshare, EPERM},
	{"docker", SYS_setns, EPERM},
	{"docker", SYS_mount, EPERM},
	{"docker", SYS_umount2, EPERM},
	{"docker", SYS_pivot_root, EPERM},
	{"docker", SYS_chroot, EPERM},
	{"docker", SYS_open_by_handle_at, EPERM},
	{"docker", SYS_fanotify_init, EPERM},
	{"docker", SYS_kcmp, EPERM},
	{"docker", SYS_pidfd_getfd, EPERM},
	{"docker", SYS_process_madvise, EPERM},
	{"docker", SYS_userfaultfd, EPERM},
	{"docker", SYS_io_uring_setup, EPERM},
	{"docker", SYS_io_uring_enter, EPERM},
	{"docker", SYS_io_uring_register, EPERM},
	{"docker", SYS_add_key, EPERM},
	{"docker", SYS_request_key, EPERM},
	{"docker", SYS_keyctl, EPERM},
	{"docker", SYS_mbind, EPERM},
	{"docker", SYS_get_mempolicy, EPERM},
	{"docker", SYS_set_mempolicy, EPERM},
	{"docker", SYS_move_pages, EPERM},
	{"docker", SYS_migrate_pages, EPERM},
	{"docker", SYS_syslog, EPERM},
	{"docker", SYS_quotactl, EPERM},
	{"docker", SYS_acct, EPERM},
	{"docker", SYS_settimeofday, EPERM},
	{"docker", SYS_clock_settime, EPERM},
};

static struct sock_filter filter[4 * COUNT(refusals) + 8];
static unsigned short length;

static void add(struct sock_filter instruction)
{
	filter[length++] = instruction;
}

static void load(size_t offset)
{
	add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned int)offset));
}

static void answer(unsigned int action)
{
	add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static void refuse(const struct refusal *refusal)
{
	add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refusal->call, 0, 1));
	answer(SECCOMP_RET_ERRNO | (unsigned int)refusal->error);
}

/* The last one: it leaves another word in the accumulator. */
static void refuse_namespaces(void)
{
	add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3));
	load(offsetof(struct seccomp_data, args[0]));
	add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 0, 1));
	answer(SECCOMP_RET_ERRNO | EPERM);
}

static bool is_docker(const char *what)
{
	return !strcmp(what, "docker") || !strcmp(what, "docker-root");
}

static bool refuses(const struct refusal *refusal, const char *what)
{
	if (!strcmp(what, "docker-root") && refusal->call == SYS_chroot)
		return false;
	return !strcmp(refusal->what, is_docker(what) ? "docker" : what);
}

int main(int argc, char **argv)
{
	struct sock_fprog program = {.filter = filter};

	load(offsetof(struct seccomp_data, nr));
	for (size_t i = 0; argc > 2 && i < COUNT(refusals); i++)
		if (refuses(&refusals[i], argv[1]))
			refuse(&refusals[i]);
	if (length == 1) {
		fprintf(stderr,
			"refuse: perf, perf-level, usage, reads, docker or docker-root, then a command\n");
		return 125;
	}
	if (is_docker(argv[1]))
		refuse_namespaces();
	answer(SECCOMP_RET_ALLOW);
	program.len = length;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("refuse");
		return 125;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * From 6.11 on x86-64, a probed return goes through a system call of its own (commit ff474a78cef5),
 * which a process's seccomp filter does not know and may answer with death. 6.14 let it pass all
 * filters (commit cf6cb56ef244), as do the stable kernels that took the fix over.
 */
#include "return_probes.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../../host/proc.h"
#include "kernel_support.h"

#define URETPROBE_SYSCALL 335 /* x86-64 */
#define FILTERED_EXIT 42

/* Ends with FILTERED_EXIT where a filter still decides over the system call; else with SIGILL. */
static void try_filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, URETPROBE_SYSCALL, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EXDEV),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
	struct rlimit no_core = {0, 0};

	signal(SIGILL, SIG_DFL);
	setrlimit(RLIMIT_CORE, &no_core);
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		_exit(FILTERED_EXIT);
	_exit(syscall(URETPROBE_SYSCALL) < 0 && errno == EXDEV ? FILTERED_EXIT : 0);
}

static bool filters_see_returns(void)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		try_filter();
	if (child < 0)
		return true;
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return true;
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == FILTERED_EXIT;
}

/* Only x86 returns through a system call. */
#if defined(__x86_64__)
#define RETURNS_THROUGH_A_CALL true
#else
#define RETURNS_THROUGH_A_CALL false
#endif

static bool kernel_is_affected(void)
{
	static int known = -1;
	unsigned int major, minor;
	struct utsname name;

	if (!RETURNS_THROUGH_A_CALL)
		return false;
	if (known >= 0)
		return known;
	if (uname(&name) < 0 || sscanf(name.release, "%u.%u", &major, &minor) != 2)
		major = 6, minor = 11;
	known = major == 6 && minor >= 11 && minor < 14 && filters_see_returns();
	return known;
}

struct threads_of {
	pid_t pid;
	bool filtered;
};

static void visit_thread(void *context, pid_t tid)
{
	struct threads_of *threads = context;
	char status[8192];
	const char *mode;

	if (proc_read(threads->pid, tid, "status", status, sizeof(status)) <= 0)
		return;
	mode = proc_status_field(status, "Seccomp");
	threads->filtered |= mode && *mode != '0';
}

bool return_probes_may_kill(const char *pretend_missing)
{
	return pretends_missing(pretend_missing, "uretprobe_syscall") || kernel_is_affected();
}

bool return_probes_would_kill(pid_t pid, const char *pretend_missing)
{
	struct threads_of threads = {.pid = pid};

	if (!return_probes_may_kill(pretend_missing))
		return false;
	proc_each_thread(pid, visit_thread, &threads);
	return threads.filtered;
}

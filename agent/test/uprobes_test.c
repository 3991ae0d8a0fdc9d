// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Where probes go in a function, and which processes must not be given return probes. */
#include "../src/probe/kernel/return_probes.h"
#include "../src/probe/uprobes.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../src/probe/instructions.h"

static int failures;

static void expect(int is, const char *what)
{
	if (is)
		return;
	printf("not so: %s\n", what);
	failures++;
}

#if defined(__x86_64__)
static void test_instructions(void)
{
	static const struct {
		uint8_t code[8];
		unsigned int displacement;
		bool slow;
		const char *what;
	} cases[] = {
		{{0x55, 0x48, 0x89, 0xe5}, 0, false, "push %rbp"},
		{{0x41, 0x57, 0x41, 0x56}, 0, false, "push %r15"},
		{{0xf3, 0x0f, 0x1e, 0xfa, 0x55}, 4, false, "endbr64, push"},
		{{0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x83, 0xec, 0x08}, 4, true, "endbr64, sub"},
		{{0x48, 0x83, 0xec, 0x08}, 0, true, "sub"},
		{{0x0f, 0x1f, 0x44, 0x00, 0x00}, 0, false, "nop of five bytes"},
		{{0xe9, 0, 0, 0, 0}, 0, false, "jmp"},
		{{0xff, 0x25, 0, 0, 0, 0}, 0, true, "jmp through memory"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool slow;
		unsigned int displacement =
			probe_displacement(cases[i].code, sizeof(cases[i].code), &slow);

		expect(displacement == cases[i].displacement && slow == cases[i].slow,
		       cases[i].what);
	}
	/* What is cut off is not looked at. */
	for (size_t length = 0; length < 5; length++) {
		uint8_t code[4] = {0xf3, 0x0f, 0x1e, 0xfa};
		bool slow;

		expect(probe_displacement(code, length > 4 ? 4 : length, &slow) <= length && slow,
		       "a function that ends early");
	}
}
#else
static void test_instructions(void)
{
	puts("  not run: where probes go, which is tested on x86-64");
}
#endif

/* A filter that decides nothing is a filter all the same. */
static int filter_this_thread(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = {1, &allow};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void *filtered_thread(void *ready_fd)
{
	char ready = filter_this_thread() ? 'n' : 'y';

	if (write(*(int *)ready_fd, &ready, 1) == 1)
		pause();
	return NULL;
}

static void run_child(bool one_thread_only, int ready_fd)
{
	pthread_t thread;

	if (!one_thread_only)
		filtered_thread(&ready_fd);
	pthread_create(&thread, NULL, filtered_thread, &ready_fd);
	pause();
}

static void test_filtered_child(bool one_thread_only)
{
	int ready[2];
	char answer = 0;
	pid_t child;

	expect(pipe(ready) == 0, "there is a pipe to the child");
	child = fork();
	if (child == 0) {
		run_child(one_thread_only, ready[1]);
		_exit(0);
	}
	expect(read(ready[0], &answer, 1) == 1 && answer == 'y', "the child filters itself");
	expect(return_probes_would_kill(child, "uretprobe_syscall"),
	       "a process with a filter is spared where the kernel's return probes need it");
	expect(!return_probes_would_kill(child, NULL) || return_probes_may_kill(NULL),
	       "no other kernel's probes are held back");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(ready[0]);
	close(ready[1]);
}

static bool is_filtered_itself(void)
{
	return prctl(PR_GET_SECCOMP) != 0;
}

int main(void)
{
	test_instructions();
	test_filtered_child(false);
	test_filtered_child(true);
	expect(return_probes_may_kill("btf,uretprobe_syscall"), "pretended");
	expect(is_filtered_itself() == return_probes_would_kill(getpid(), "uretprobe_syscall"),
	       "a process without a filter is probed");
	return failures != 0;
}

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Processes and threads that are hard to follow:
 *   tree forks N      N children one after another, each with one of its own, all gone at once
 *   tree threads N    N threads at the same time
 *   tree names        threads whose names want to break whoever prints them
 *   tree exec         becomes `tree end` after a while, with the same process id
 *   tree seccomp LIB  a child that is killed if it makes the system calls of return probes uses LIB
 *   tree end          exits at once
 * Exits with 7, so that a recorder can show that it hands the code on.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "report.h"
#include "runtime.h"

#define EXIT_CODE 7
#define SYS_URETPROBE 335
#define SYS_UPROBE 336

static int forks(int count)
{
	for (int i = 0; i < count; i++) {
		pid_t child = fork();

		if (child == 0) {
			if (fork() == 0)
				_exit(0);
			wait(NULL);
			_exit(0);
		}
		if (child < 0)
			return 3;
		waitpid(child, NULL, 0);
	}
	return EXIT_CODE;
}

static void *short_life(void *unused)
{
	for (int i = 0; i < 5; i++) {
		sleep_ns(20000000);
		spin_ns(100000);
	}
	return unused;
}

static int threads(int count)
{
	pthread_t *ids = calloc((size_t)count, sizeof(*ids));

	if (!ids)
		return 3;
	for (int i = 0; i < count; i++)
		if (pthread_create(&ids[i], NULL, short_life, NULL) != 0)
			return 3;
	for (int i = 0; i < count; i++)
		pthread_join(ids[i], NULL);
	free(ids);
	return EXIT_CODE;
}

static void *named(void *name)
{
	prctl(PR_SET_NAME, (const char *)name);
	for (int i = 0; i < 3; i++) {
		spin_ns(50000000);
		sleep_ns(1000000);
	}
	return NULL;
}

static int names(void)
{
	static const char *const all[] = {
		"new\nline",
		"quo\"te's",
		"\xff\xfe not utf8",
		"",
		"'); DROP TABLE ",
		"\x1b[31mred",
		") R 1 1 1",
		"\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"};
	pthread_t ids[sizeof(all) / sizeof(all[0])];

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (pthread_create(&ids[i], NULL, named, (void *)all[i]) != 0)
			return 3;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		pthread_join(ids[i], NULL);
	return EXIT_CODE;
}

/* As a sandbox that was written before return probes made a system call. */
static void forbid_probe_calls(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_URETPROBE, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_UPROBE, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		_exit(3);
}

static int filtered(const char *path)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		void *library;
		cudaError_t (*synchronize)(void);

		forbid_probe_calls();
		library = dlopen(path, RTLD_NOW);
		synchronize =
			library ? (cudaError_t(*)(void))dlsym(library, "cudaDeviceSynchronize") :
				  NULL;
		if (!synchronize)
			_exit(4);
		/* Time for a recorder to see the library and probe it. */
		sleep_ns(1500000000);
		for (int i = 0; i < 100; i++)
			synchronize();
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 3;
	return status == 0 ? EXIT_CODE : 9;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int number = argc > 2 ? atoi(argv[2]) : 1;

	if (strcmp(mode, "forks") == 0)
		return forks(number);
	if (strcmp(mode, "threads") == 0)
		return threads(number);
	if (strcmp(mode, "names") == 0)
		return names();
	if (strcmp(mode, "seccomp") == 0 && argc > 2)
		return filtered(argv[2]);
	if (strcmp(mode, "end") == 0)
		return EXIT_CODE;
	if (strcmp(mode, "exec") == 0) {
		sleep_ns(200000000);
		execl("/proc/self/exe", "tree", "end", (char *)NULL);
		return 3;
	}
	fprintf(stderr, "tree forks|threads|names|exec|seccomp|end …\n");
	return 2;
}

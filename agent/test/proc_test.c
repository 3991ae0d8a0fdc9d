// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* /proc as hostile as it gets: names, processes that end, ranks; roles; nvidia-smi's answers. */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../src/cli/text/terminal_text.h"
#include "../src/host/gpu/gpu_ask.h"
#include "../src/host/container.h"
#include "../src/host/proc.h"
#include "../src/host/roles.h"

static void parses_hostile_names(void)
{
	static const char text[] =
		"77 (a) R 1 (b\n)) S 5 2 3 0 -1 4194304 11 0 12 0 1 2 3 4 20 0 "
		"6 0 99 0 8 18446744073709551615 0 0 77 0 0 0 0 0 0 0 0 0 17 3 0";
	struct proc_stat stat;

	assert(!proc_parse_stat(text, strlen(text), &stat));
	assert(stat.pid == 77 && stat.state == 'S' && stat.parent == 5 && stat.threads == 6);
	assert(!strcmp(stat.comm, "a) R 1 (b\n)"));
	assert(stat.minor_faults == 11 && stat.major_faults == 12 && stat.start_ticks == 99);
	assert(stat.cpu == 3 && stat.start_stack == 77 && !stat.kernel_thread);
	assert(proc_parse_stat("77 (a", 5, &stat) == -EBADMSG);
	assert(proc_parse_stat("77 (a) S 1", 10, &stat) == -EBADMSG);
	assert(proc_parse_stat("77 )a(", 6, &stat) == -EBADMSG);
	assert(proc_parse_stat("", 0, &stat) == -EBADMSG);
}

/* Until the process sleeps, or a second has gone. */
static void await_sleep(pid_t pid)
{
	struct proc_stat stat;

	for (int tries = 0; tries < 1000; tries++) {
		if (!proc_read_stat(pid, pid, &stat) && stat.state == 'S')
			return;
		usleep(1000);
	}
}

/* A child of that name; it waits until it is killed. */
static pid_t start_child(const char *name)
{
	int ready[2];
	pid_t pid;
	char byte;

	assert(!pipe(ready));
	pid = fork();
	assert(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, name);
		close(ready[0]);
		close(ready[1]);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert(read(ready[0], &byte, 1) == 0);
	close(ready[0]);
	await_sleep(pid);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	assert(waitpid(pid, NULL, 0) == pid);
}

static void reads_a_forked_child(void)
{
	pid_t pid = start_child(") R \xff 9");
	struct proc_facts *facts = malloc(sizeof(*facts));
	struct proc_schedstat counted;
	struct proc_stat stat;

	assert(facts && !proc_read_facts(pid, facts));
	assert(facts->parent == getpid() && !strcmp(facts->comm, ") R \xff 9"));
	assert(facts->forked_without_exec && facts->uid == getuid() && facts->rank == -1);
	assert(facts->command_line[0] && facts->executable[0] == '/' && facts->cpus_allowed[0]);
	assert(!proc_read_stat(pid, pid, &stat) && stat.state == 'S' && stat.threads == 1);
	assert(!proc_read_schedstat(pid, pid, &counted));
	end_child(pid);
	facts->rank = 5;
	assert(proc_read_facts(pid, facts) == -ESRCH && facts->rank == 5);
	assert(proc_read_stat(pid, 0, &stat) == -ESRCH);
	assert(proc_read_schedstat(pid, pid, &counted) == -ESRCH);
	assert(proc_namespace_tid(pid, pid) == pid);
	free(facts);
}

/* Starts a shell with that environment; the pipe ends with the exec. */
static pid_t start_program(char *const arguments[], char *const environment[])
{
	int done[2];
	pid_t pid;
	char byte;

	assert(!pipe2(done, O_CLOEXEC));
	pid = fork();
	assert(pid >= 0);
	if (pid == 0) {
		execve("/bin/sh", arguments, environment);
		_exit(1);
	}
	close(done[1]);
	assert(read(done[0], &byte, 1) == 0);
	close(done[0]);
	return pid;
}

static void reads_ranks_and_nothing_else(void)
{
	static char filler[10000];
	/* It stops itself, so that it is there for as long as it is looked at. */
	char *arguments[] = {"sh", "-c", "kill -STOP $$", "--token", "abc", NULL};
	char *environment[] = {
		filler,          "RANK=3", "LOCAL_RANK=1x", "WORLD_SIZE=8", "SECRET=hunter2",
		"XLOCAL_RANK=4", NULL};
	struct proc_facts *facts = malloc(sizeof(*facts));
	pid_t pid;

	memset(filler, 'x', sizeof(filler) - 1);
	pid = start_program(arguments, environment);
	assert(facts && !proc_read_facts(pid, facts));
	assert(facts->rank == 3 && facts->local_rank == -1 && facts->world_size == 8);
	assert(!strcmp(facts->command_line, "sh -c kill -STOP $$ --token [redacted]"));
	assert(!facts->forked_without_exec);
	assert(!memmem(facts, sizeof(*facts), "hunter2", 7));
	end_child(pid);
	free(facts);
}

static void guesses_roles(void)
{
	struct role_facts worker = {.comm = "python3",
				    .parent_comm = "python3",
				    .forked_without_exec = true,
				    .parent_runs_python = true,
				    .siblings_alike = 1};
	struct role_facts main_process = {.comm = "python3", .has_python_children = true};
	struct role_facts tracker = {
		.comm = "python3",
		.command_line =
			"python3 -c from multiprocessing.resource_tracker import main;main(5)",
		.parent_runs_python = true};
	struct role_facts thread = {.comm = "pt_data_pin", .thread = true};

	assert(!strcmp(guess_role(&worker).role, "dataloader-worker"));
	assert(!strcmp(guess_role(&main_process).role, "main"));
	assert(!guess_role(&tracker).role && guess_role(&tracker).basis);
	assert(!strcmp(guess_role(&thread).role, "pin-memory"));
	worker.made_cuda_calls = true;
	assert(!strcmp(guess_role(&worker).role, "main"));
}

static void neutralises_names(void)
{
	char out[64];

	terminal_text("a\x1b[2J\xc2\x9b\xe2\x80\xae\xff ü", out, sizeof(out), 60);
	assert(!strcmp(out, "a\\x1b[2J\\u009b\\u202e\\xff ü"));
	terminal_text("abcdef", out, sizeof(out), 4);
	assert(!strcmp(out, "abc…"));
	terminal_text("\xe2\x80", out, sizeof(out), 60);
	assert(!strcmp(out, "\\xe2\\x80"));
}

static void names_containers(void)
{
	char out[64];

	assert(container_of_cgroup("/docker/0123456789abcdef0123456789abcdef0123456789abcdef", out,
				   sizeof(out)));
	assert(!strcmp(out, "docker 0123456789ab"));
	assert(container_of_cgroup("/kubepods.slice/kubepods-pod1.slice/x", out, sizeof(out)));
	assert(!strcmp(out, "kubernetes"));
	assert(!container_of_cgroup("/system.slice/docker.service", out, sizeof(out)));
	assert(!container_of_cgroup("/user.slice/user-1000.slice", out, sizeof(out)));
}

static void asks_nvidia_smi(void)
{
	char path[] = "/tmp/stalltrace-nvidia-smi-XXXXXX";
	static const char script[] =
		"#!/bin/sh\nprintf '12, 512\\n12, 100\\n99, [N/A]\\nno\\n-4, 1\\n'\n";
	struct gpu_process processes[4];
	int fd = mkstemp(path);

	assert(fd >= 0 && write(fd, script, sizeof(script) - 1) == sizeof(script) - 1);
	assert(!fchmod(fd, 0700));
	close(fd);
	assert(gpu_processes(path, processes, 4) == 2);
	assert(processes[0].pid == 12 && processes[0].memory_bytes == 612ll << 20);
	assert(processes[1].pid == 99 && processes[1].memory_bytes == -1);
	unlink(path);
	assert(gpu_processes("/nonexistent", processes, 4) <= 0);
}

int main(void)
{
	parses_hostile_names();
	reads_a_forked_child();
	reads_ranks_and_nothing_else();
	guesses_roles();
	neutralises_names();
	names_containers();
	asks_nvidia_smi();
	printf("proc: ok\n");
	return EXIT_SUCCESS;
}

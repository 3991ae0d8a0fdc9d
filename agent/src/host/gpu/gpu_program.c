// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "gpu_program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../host.h"

#define END_TRIES 200
#define END_TRY_US 10000

/* Where drivers, container toolkits, WSL and NixOS put it. */
static const char *const places[] = {
	"/usr/bin",       "/usr/local/nvidia/bin",      "/usr/lib/wsl/lib",
	"/usr/local/bin", "/run/current-system/sw/bin", "/opt/bin"};

/* Whether root alone can change what is at `path`, which is canonical: it and all folders above. */
static bool is_roots_alone(const char *path)
{
	char part[PATH_MAX];
	struct stat status;
	char *slash;

	snprintf(part, sizeof(part), "%s", path);
	for (;;) {
		if (stat(part, &status) < 0 || status.st_uid != 0 ||
		    (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
			return false;
		slash = strrchr(part, '/');
		if (!slash || part[1] == '\0')
			return true;
		slash[slash == part ? 1 : 0] = '\0';
	}
}

/* Not root: then whoever replaces the program gains nothing by it. */
static const char *take_program(const char *path, char *out, size_t size)
{
	char canonical[PATH_MAX];

	if (!realpath(path, canonical) || access(canonical, X_OK) < 0 || strlen(canonical) >= size)
		return NULL;
	if (geteuid() == 0 && !is_roots_alone(canonical))
		return NULL;
	memcpy(out, canonical, strlen(canonical) + 1);
	return out;
}

const char *gpu_find_program(const char *nvidia_smi, char *out, size_t size, char *detail,
			     size_t detail_size)
{
	char path[128];

	if (nvidia_smi) {
		if (take_program(nvidia_smi, out, size))
			return out;
		snprintf(detail, detail_size,
			 "%s cannot be run, or others than root may change it.", nvidia_smi);
		return NULL;
	}
	for (size_t index = 0; index < sizeof(places) / sizeof(places[0]); index++) {
		snprintf(path, sizeof(path), "%s/nvidia-smi", places[index]);
		if (take_program(path, out, size))
			return out;
	}
	snprintf(detail, detail_size,
		 "nvidia-smi was not found: there is no NVIDIA driver, or it is elsewhere.");
	return NULL;
}

/* Between fork and exec: only what is safe after fork of a process with threads. */
static void become(const char *const argv[], int output, pid_t parent)
{
	static const char *const environment[] = {"LC_ALL=C", "TZ=UTC0", "PATH=/usr/bin:/bin",
						  NULL};
	sigset_t none;
	int null = open("/dev/null", O_RDWR);

	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* It may have died before the line above. */
	if (getppid() != parent || null < 0)
		_exit(127);
	if (dup2(null, STDIN_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0 ||
	    dup2(output, STDOUT_FILENO) < 0)
		_exit(127);
	execve(argv[0], (char *const *)argv, (char *const *)environment);
	_exit(127);
}

pid_t gpu_program_start(const char *const argv[], int output)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0)
		become(argv, output, parent);
	setpgid(pid, pid);
	return pid;
}

bool gpu_program_has_ended(pid_t pid)
{
	pid_t reaped = waitpid(pid, NULL, WNOHANG);

	return reaped == pid || (reaped < 0 && errno == ECHILD);
}

void gpu_program_stop(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	/* One that a broken driver holds in the kernel does not die: init will reap it. */
	for (int tries = 0; tries < END_TRIES && !gpu_program_has_ended(pid); tries++)
		usleep(END_TRY_US);
}

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * COMMAND: a child of the agent that waits on a pipe until the capture has begun, then becomes the
 * command. It is never signalled. It has a process group of its own, so that Ctrl-C at the terminal
 * ends the capture alone; should it want to read the terminal, it is given it.
 */
#ifndef STALLTRACE_JOB_H
#define STALLTRACE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "../runs/identity.h"

struct job_options {
	char **command;
	const struct identity *identity;
	bool empty_input;      /* standard input is the agent's to watch */
	bool output_to_stderr; /* standard output belongs to the lines of --json */
	/* Into its environment: the library that CUDA loads, and where that asks. NULL = none. */
	const char *inside_library, *inside_socket;
	const char *output_file; /* detached: standard input is empty, all output goes here */
};

struct job {
	pid_t pid;
	int gate;   /* a byte lets it go; its end without one ends the child */
	int report; /* struct job_report from the child; ends at its exec */
	bool released;
	_Atomic bool ended; /* another thread may ask; all else it may read is set before */
	int status;         /* of waitpid, once ended */
	int exec_error;     /* errno of the exec, 0 = none */
	int inside_error;   /* why it has no library inside, as it was to have; 0 = it has */
	bool has_terminal;  /* we gave it the terminal */
	bool stopped;       /* on the terminal, or by someone's SIGSTOP */
};

/* 0 with the child waiting; -errno and one sentence. Before any handler or descriptor of the agent's. */
int job_start(const struct job_options *options, struct job *job, char *message, size_t size);
void job_release(struct job *job);
/* Looks without waiting: ended, exec_error, and whether it wants the terminal. */
void job_look(struct job *job);
/* Closes the gate (a child not released ends without becoming COMMAND) and takes the terminal back. */
void job_close(struct job *job);

#endif /* STALLTRACE_JOB_H */

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "stop_signals.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t count, last;

/* Asked again by `stop`, which waits for the file to be complete, it goes on completing it. */
static void note(int number, siginfo_t *info, void *unused)
{
	if (info->si_code == SI_QUEUE && info->si_value.sival_int == STOP_ASKS && count)
		return;
	last = number;
	if (count < 1000)
		count++;
}

static void set(int number)
{
	struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_RESTART | SA_SIGINFO};

	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

void stop_signals_install(bool detached)
{
	struct sigaction before;

	set(SIGINT);
	set(SIGTERM);
	/* Under nohup it is ignored already, and stays so. */
	if (detached)
		signal(SIGHUP, SIG_IGN);
	else if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN)
		set(SIGHUP);
	signal(SIGPIPE, SIG_IGN);
	/* A limit of file sizes is to be an error of the trace, not our end. */
	signal(SIGXFSZ, SIG_IGN);
	/* A recorder that Ctrl-Z stops loses events while its probes go on. */
	signal(SIGTSTP, SIG_IGN);
	/* To write the progress line while COMMAND has the terminal. */
	signal(SIGTTOU, SIG_IGN);
}

unsigned int stop_signals_count(void)
{
	return (unsigned int)count;
}

int stop_signals_last(void)
{
	return last;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "stop_signals.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t count, last;

static void note(int number)
{
	last = number;
	if (count < 1000)
		count++;
}

static void set(int number, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

void stop_signals_install(bool detached)
{
	struct sigaction before;

	set(SIGINT, note);
	set(SIGTERM, note);
	/* Under nohup it is ignored already, and stays so. */
	if (detached)
		set(SIGHUP, SIG_IGN);
	else if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN)
		set(SIGHUP, note);
	set(SIGPIPE, SIG_IGN);
	/* A limit of file sizes is to be an error of the trace, not our end. */
	set(SIGXFSZ, SIG_IGN);
	/* A recorder that Ctrl-Z stops loses events while its probes go on. */
	set(SIGTSTP, SIG_IGN);
	/* To write the progress line while COMMAND has the terminal. */
	set(SIGTTOU, SIG_IGN);
}

unsigned int stop_signals_count(void)
{
	return (unsigned int)count;
}

int stop_signals_last(void)
{
	return last;
}

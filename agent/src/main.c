// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/commands.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{"check", command_check, "what can be captured on this machine, and what not and why"},
	{"list", command_list, "processes worth capturing, as trees"},
	{"record", command_record, "capture a process tree, a command or the whole machine"},
	{"status", command_status, "captures of this user: running, finished, died"},
	{"stop", command_stop, "end a capture; never its job"},
	{"watch", command_watch,
	 "follow a capture in the background, a JSON line for each thing it says"},
	{"send", command_send,
	 "a complete file in compressed parts, as asked for on standard input"},
	{"version", command_version, "what this agent is and which protocol it speaks"},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_usage(FILE *to)
{
	fprintf(to, "Usage: stalltrace-agent COMMAND [OPTIONS]\n\n");
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].summary);
	fprintf(to, "\nEvery command takes --json and --help.\n");
}

/*
 * Started with 0, 1 or 2 closed, the first file opened would become the standard output of whoever
 * writes there next: a trace file, say.
 */
static int open_standard_fds(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	if (open_standard_fds())
		return 1;
	if (argc < 2) {
		print_usage(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_usage(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--version"))
		return command_version(1, argv + 1);
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	fprintf(stderr,
		"stalltrace-agent: there is no command \"%.40s\"; `stalltrace-agent --help` names them.\n",
		argv[1]);
	return 2;
}

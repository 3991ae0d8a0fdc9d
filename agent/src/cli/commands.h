/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* One function per command: argc, argv from the command's name on; the exit code. */
#ifndef STALLTRACE_COMMANDS_H
#define STALLTRACE_COMMANDS_H

#include "../version.h"

/* Raised with every change of what the commands print as JSON; the app asks for it first. */
#define AGENT_PROTOCOL 2

int command_check(int argc, char **argv);
int command_list(int argc, char **argv);
int command_record(int argc, char **argv);
int command_send(int argc, char **argv);
int command_status(int argc, char **argv);
int command_stop(int argc, char **argv);
int command_version(int argc, char **argv);
int command_watch(int argc, char **argv);

#endif /* STALLTRACE_COMMANDS_H */

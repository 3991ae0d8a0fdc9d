/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The options of `record`, read and checked. */
#ifndef STALLTRACE_RECORD_OPTIONS_H
#define STALLTRACE_RECORD_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include "../../record/record.h"
#include "../arguments.h"
#include "inside_line.h"
#include "../text/json.h"

struct record_request {
	struct record_options options;
	char out[PATH_MAX];         /* absolute; options.out */
	char **command;             /* NULL-terminated, of argv; NULL = none */
	const char *user;           /* NULL = who called sudo, or who we are */
	const char *run_base;       /* NULL = the usual place */
	const char *command_output; /* of a detached COMMAND; NULL = out + ".output" */
	bool json;
	bool progress; /* sentences on stderr beside the lines */
	int json_fd;   /* of the lines; standard output unless --json-fd */
	bool detach;
	bool sudo;
	bool no_inside;
	bool remote_python;
	bool inside; /* COMMAND gets the library inside */
	/* Of the half that starts COMMAND: --inside-socket, or --inside-missing where there is none. */
	const char *inside_name, *inside_reason;
	char inside_missing[PATH_MAX + 160]; /* options.inside_missing */
	char inside_socket[64]; /* the name of the socket it asks at; options.inside_socket */
	char inside_library[PATH_MAX];
	char inside_line[INSIDE_LINE_BYTES];   /* options.inside_line */
	char inside_script[INSIDE_LINE_BYTES]; /* options.inside_script */
	bool stop_with_stdin;
	bool from_exec;           /* the one --pid is a stopped child of the unprivileged half */
	struct json options_json; /* options.options_json is its text */
};

/* 0; ARGUMENTS_BAD, said already; ARGUMENTS_END where --help was asked for and printed. */
int record_request_parse(int argc, char **argv, struct record_request *out);
/* The options alone, as they are given. */
int record_options_read(struct arguments *arguments, struct record_request *request);
/* Whether COMMAND gets the library inside, or why not. */
int record_inside_complete(const struct arguments *arguments, struct record_request *request);
void record_request_free(struct record_request *request);

void record_help_print(void);

#endif /* STALLTRACE_RECORD_OPTIONS_H */

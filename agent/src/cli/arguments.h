/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Reads `--name`, `--name VALUE` and `--name=VALUE`. Every misuse is one sentence on stderr, and with
 * --json anywhere before `--` an `error` line on stdout too.
 */
#ifndef STALLTRACE_ARGUMENTS_H
#define STALLTRACE_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#define EXIT_USAGE 2

struct option_name {
	const char *name; /* with its dashes; the last one's is NULL */
	bool has_value;
};

struct arguments {
	int argc;
	char **argv; /* [0] is the command's name */
	int next;
	const char *value; /* of the option just returned */
};

enum {
	ARGUMENTS_END = -1,
	ARGUMENTS_COMMAND = -2, /* `--`: argv[next] on is a command line */
	ARGUMENTS_BAD = -3,     /* said already: return EXIT_USAGE */
};

/* Index into names of the next option, or one of the above. */
int arguments_next(struct arguments *arguments, const struct option_name *names);

/* Says the sentence, with the command's name before it and its --help after it; ARGUMENTS_BAD. */
int arguments_refuse(const struct arguments *arguments, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* "30s", "2m", "1h", "500ms", "90" (seconds); 0 or -EINVAL. */
int parse_duration(const char *text, uint64_t *out_ns);
/* "500M", "2G", "64K", "1000" (bytes); 1K = 1024. 0 or -EINVAL. */
int parse_size(const char *text, uint64_t *out_bytes);
/* Decimal, whole, within the bounds. 0 or -EINVAL. */
int parse_whole(const char *text, uint64_t lowest, uint64_t highest, uint64_t *out);

/* Where an option goes: its value, or, of one without, that it was given. The last one's name is NULL. */
struct option_target {
	const char *name;
	const char **value;
	bool *given;
};

/*
 * For commands that take no command line: reads all options into their targets, and --help.
 * ARGUMENTS_END, or the exit code to return.
 */
int arguments_read(int argc, char **argv, const char *help, const struct option_target *targets);
/* The same where --json is all there is. */
int arguments_json_only(int argc, char **argv, const char *help, bool *json);

#endif /* STALLTRACE_ARGUMENTS_H */

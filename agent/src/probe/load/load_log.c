/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include <bpf/libbpf.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "load_log.h"

#define LOG_BEGIN "-- BEGIN PROG LOAD LOG --\n"
#define LOG_SUMMARY "processed "

static struct load_log *current;

/* Up to the line's end, as one printable line. */
static void keep_line(char *out, size_t size, const char *line)
{
	size_t length = strcspn(line, "\n");

	if (length >= size)
		length = size - 1;
	for (size_t i = 0; i < length; i++)
		out[i] = isprint((unsigned char)line[i]) ? line[i] : ' ';
	out[length] = '\0';
}

/* The verifier's complaint is the line before its summary. */
static void keep_verifier_line(struct load_log *log, const char *text)
{
	const char *line = text, *previous = NULL;

	while (*line && strncmp(line, LOG_SUMMARY, strlen(LOG_SUMMARY))) {
		previous = line;
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	if (previous)
		keep_line(log->reason, sizeof(log->reason), previous);
}

static void keep_message(struct load_log *log, const char *message)
{
	const char *prefix = "libbpf: prog '", *text;

	if (strncmp(message, prefix, strlen(prefix))) {
		if (!log->program[0])
			keep_line(log->reason, sizeof(log->reason), message);
		return;
	}
	if (!log->program[0]) {
		const char *name = message + strlen(prefix);
		size_t length = strcspn(name, "'");

		if (length >= sizeof(log->program))
			return;
		memcpy(log->program, name, length);
		log->program[length] = '\0';
		keep_line(log->reason, sizeof(log->reason), name + length + 2);
	}
	text = strstr(message, LOG_BEGIN);
	if (text)
		keep_verifier_line(log, text + strlen(LOG_BEGIN));
}

static int keep(enum libbpf_print_level level, const char *format, va_list arguments)
{
	char *message;

	if (!current || level != LIBBPF_WARN || vasprintf(&message, format, arguments) < 0)
		return 0;
	keep_message(current, message);
	free(message);
	return 0;
}

void load_log_begin(struct load_log *log)
{
	memset(log, 0, sizeof(*log));
	current = log;
	libbpf_set_print(keep);
}

void load_log_end(void)
{
	current = NULL;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "arguments.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "recording/events.h"
#include "text/json.h"

static bool json_asked(const struct arguments *arguments)
{
	for (int i = 1; i < arguments->argc && strcmp(arguments->argv[i], "--"); i++)
		if (!strcmp(arguments->argv[i], "--json"))
			return true;
	return false;
}

int arguments_refuse(const struct arguments *arguments, const char *format, ...)
{
	char sentence[512], next[128];
	va_list list;

	va_start(list, format);
	vsnprintf(sentence, sizeof(sentence), format, list);
	va_end(list);
	snprintf(next, sizeof(next), "See `stalltrace-agent %s --help`.", arguments->argv[0]);
	if (json_asked(arguments)) {
		struct json json = {0};

		event_error(&json, "usage", sentence, next);
		json_print_line(&json, STDOUT_FILENO);
		json_free(&json);
	}
	say("stalltrace-agent %s: %s %s", arguments->argv[0], sentence, next);
	return ARGUMENTS_BAD;
}

int arguments_next(struct arguments *arguments, const struct option_name *names)
{
	const char *text, *equals;
	size_t length;

	arguments->value = NULL;
	if (!arguments->next)
		arguments->next = 1;
	if (arguments->next >= arguments->argc)
		return ARGUMENTS_END;
	text = arguments->argv[arguments->next++];
	if (!strcmp(text, "--"))
		return ARGUMENTS_COMMAND;
	equals = strchr(text, '=');
	length = equals ? (size_t)(equals - text) : strlen(text);
	for (int i = 0; names[i].name; i++) {
		if (strlen(names[i].name) != length || strncmp(text, names[i].name, length))
			continue;
		if (!names[i].has_value && equals)
			return arguments_refuse(arguments, "%s takes no value.", names[i].name);
		if (names[i].has_value && !equals && arguments->next >= arguments->argc)
			return arguments_refuse(arguments, "%s needs a value.", names[i].name);
		if (names[i].has_value)
			arguments->value = equals ? equals + 1 : arguments->argv[arguments->next++];
		return i;
	}
	if (text[0] == '-')
		return arguments_refuse(arguments, "There is no option \"%.60s\".", text);
	return arguments_refuse(arguments,
				"\"%.60s\" is not an option; a command line goes after --.", text);
}

int parse_whole(const char *text, uint64_t lowest, uint64_t highest, uint64_t *out)
{
	unsigned long long value;
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || value < lowest || value > highest)
		return -EINVAL;
	*out = value;
	return 0;
}

#define MOST_TARGETS 8

struct unit {
	const char *name;
	uint64_t factor;
};

static int parse_with_unit(const char *text, const struct unit *units, size_t count, uint64_t *out)
{
	unsigned long long value;
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno)
		return -EINVAL;
	for (size_t i = 0; i < count; i++)
		if (!strcasecmp(end, units[i].name))
			return __builtin_mul_overflow(value, units[i].factor, out) ? -EINVAL : 0;
	return -EINVAL;
}

int parse_duration(const char *text, uint64_t *out_ns)
{
	static const struct unit units[] = {
		{"", 1000000000},   {"s", 1000000000},    {"ms", 1000000},
		{"m", 60000000000}, {"min", 60000000000}, {"h", 3600000000000},
	};

	return parse_with_unit(text, units, sizeof(units) / sizeof(units[0]), out_ns);
}

int parse_size(const char *text, uint64_t *out_bytes)
{
	static const struct unit units[] = {
		{"", 1},          {"K", 1 << 10},   {"M", 1 << 20},   {"G", 1 << 30},
		{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
	};

	return parse_with_unit(text, units, sizeof(units) / sizeof(units[0]), out_bytes);
}

int arguments_read(int argc, char **argv, const char *help, const struct option_target *targets)
{
	struct option_name names[MOST_TARGETS + 2] = {0};
	struct arguments arguments = {.argc = argc, .argv = argv};
	int count = 0;

	for (; count < MOST_TARGETS && targets[count].name; count++)
		names[count] = (struct option_name){targets[count].name, targets[count].value};
	names[count] = (struct option_name){"--help", false};
	for (;;) {
		int option = arguments_next(&arguments, names);

		if (option == ARGUMENTS_END)
			return ARGUMENTS_END;
		if (option == ARGUMENTS_COMMAND)
			arguments_refuse(&arguments, "It takes no command line.");
		if (option < 0)
			return EXIT_USAGE;
		if (option == count) {
			fputs(help, stdout);
			return 0;
		}
		if (targets[option].value)
			*targets[option].value = arguments.value;
		else
			*targets[option].given = true;
	}
}

int arguments_json_only(int argc, char **argv, const char *help, bool *json)
{
	const struct option_target targets[] = {{"--json", .given = json}, {0}};

	return arguments_read(argc, argv, help, targets);
}

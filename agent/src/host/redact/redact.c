// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Arguments are taken one by one. In an argument of its own a value is all that follows the name; in
 * code (`sh -c …`, `python -c …`, a title that a process gave itself) it ends where a word does.
 */
#include "../proc.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "redactor.h"

#define REDACTED "[redacted]"
/* Bytes that may be looked at again, for each one there is: more is made to take time. */
#define STEPS_PER_BYTE 64
#define STEPS_LEAST 65536

void redactor_put(struct redactor *redactor, const char *text, size_t length)
{
	if (redactor->out_length + length > redactor->out_capacity) {
		size_t capacity = 2 * (redactor->out_length + length) + 256;
		char *grown = realloc(redactor->out, capacity);

		if (!grown) {
			redactor->out_of_memory = true;
			return;
		}
		redactor->out = grown;
		redactor->out_capacity = capacity;
	}
	if (length)
		memcpy(redactor->out + redactor->out_length, text, length);
	redactor->out_length += length;
}

void redactor_hide(struct redactor *redactor)
{
	redactor_put(redactor, REDACTED, strlen(REDACTED));
	redactor->count++;
}

bool redactor_may_look(struct redactor *redactor, size_t bytes)
{
	bool may = bytes <= redactor->steps;

	redactor->steps = may ? redactor->steps - bytes : 0;
	return may;
}

/* At the begin of a name. */
static size_t take_secret(struct redactor *redactor, const char *text, size_t length, char before,
			  bool opens)
{
	size_t name = name_length(text, length);
	size_t taken = take_form(redactor, text, length);

	if (!taken)
		taken = take_url(redactor, text, length, name, false);
	if (!taken)
		taken = take_login(redactor, text, length, name, before);
	if (!taken && name)
		taken = take_named(redactor, text, length, name, opens);
	return taken;
}

/* Whether the name at the text's begin makes what follows a hash; as before where it is no name. */
static bool names_hash(const char *text, size_t length, bool before)
{
	size_t name = name_length(text, length);

	size_t between;

	if (name == 0)
		return before;
	/* What base 64 ends with is no sign. */
	between = assignment_length(text + name, length - name);
	if (text[0] != '-' && (!between || name + between == length))
		return before;
	return classify_name(text, name) == NAME_HASH;
}

static bool begins_word(const struct redactor *redactor, const char *text, size_t at)
{
	char before = at ? text[at - 1] : ' ';

	return at == 0 || (redactor->phrase && (isspace((unsigned char)before) ||
						(before && strchr("(;|&`\"'", before))));
}

static size_t take_at(struct redactor *redactor, const char *text, size_t at, size_t length,
		      bool *hash)
{
	const char *here = text + at;
	char before = at ? text[at - 1] : ' ';
	size_t left = length - at, taken = 0;

	if (begins_word(redactor, text, at) && !isspace((unsigned char)here[0]))
		taken = take_option(redactor, here, left,
				    at == 0 && (!redactor->code || redactor->password_next));
	if (!taken && !is_name_character(before)) {
		taken = take_secret(redactor, here, left, before,
				    at <= redactor->signs || at == redactor->second_name);
		*hash = taken ? false : names_hash(here, left, *hash);
		if (!taken && !*hash && (!before || !strchr("/+~", before)))
			taken = take_random(redactor, here, left);
	}
	if (!taken && !isalnum((unsigned char)before)) {
		taken = known_token_length(here, left);
		if (taken)
			redactor_hide(redactor);
	}
	return taken;
}

static void scan(struct redactor *redactor, const char *text, size_t length, bool hash)
{
	size_t at = 0;

	while (at < length && redactor->steps) {
		size_t taken = take_at(redactor, text, at, length, &hash);

		if (!taken && redactor->steps)
			redactor_put(redactor, text + at, 1);
		at += taken ? taken : 1;
	}
	/* Who makes a line that can't be read in time has the rest of it hidden. */
	if (at < length || !redactor->steps)
		redactor_hide(redactor);
}

static bool is_option(const char *text, size_t length)
{
	size_t dashes = 0;

	while (dashes < length && text[dashes] == '-')
		dashes++;
	return dashes && dashes <= 2 && dashes < length &&
	       (isalpha((unsigned char)text[dashes]) ||
		(dashes == 2 && isdigit((unsigned char)text[dashes])));
}

static bool is_authentication_scheme(const char *text, size_t length)
{
	static const char *const schemes[] = {"bearer", "basic", "token", "digest"};
	size_t i;

	for (i = 0; i < sizeof(schemes) / sizeof(*schemes); i++) {
		if (strlen(schemes[i]) == length && !strncasecmp(text, schemes[i], length))
			return true;
	}
	return false;
}

/* The value of the option before it; false where it still has to be read. */
static bool take_pending(struct redactor *redactor, const char *text, size_t length)
{
	enum name_kind kind = redactor->pending;
	size_t taken;

	if (kind < NAME_WEBHOOK ||
	    (is_option(text, length) && !is_dashed_value(kind, text, length)))
		return false;
	if (kind == NAME_HEADER && is_authentication_scheme(text, length)) {
		redactor_put(redactor, text, length);
		return true;
	}
	redactor->pending = NAME_PLAIN;
	redactor->code = false;
	taken = take_value(redactor, kind, text, length, true);
	scan(redactor, text + taken, length - taken, false);
	/* --secret is a flag to some: then this was the name. */
	if (is_name_by_itself(text, length))
		redactor->pending = kind;
	return true;
}

/* Only signs of hydra's (++a=b), or another name (--env=A=b), stand before the first names. */
static void find_first_names(struct redactor *redactor, const char *text, size_t length)
{
	size_t at = 0;

	while (at < length && (text[at] == '+' || text[at] == '~'))
		at++;
	redactor->signs = at;
	at += name_length(text + at, length - at);
	redactor->second_name = at < length && text[at] == '=' ? at + 1 : 0;
}

static void redact_argument(struct redactor *redactor, const char *text, size_t length, bool alone)
{
	bool hash = redactor->pending == NAME_HASH;
	size_t dash = long_dash_length(text, length);
	int hidden = redactor->count;

	redactor->argument = text;
	redactor->phrase = memchr(text, ' ', length) || memchr(text, '\n', length);
	redactor->code = redactor->next_is_code || (alone && redactor->phrase);
	redactor->next_is_code = length >= 2 && length <= 5 && text[0] == '-' && text[1] != '-' &&
				 text[length - 1] == 'c';
	find_first_names(redactor, text, length);
	if (take_pending(redactor, text, length))
		return;
	redactor->pending = NAME_PLAIN;
	scan(redactor, text, length, hash);
	if (redactor->count == hidden && name_length(text + dash, length - dash) == length - dash &&
	    (is_option(text, length) || dash ||
	     (!known_program(text, length) && is_name_by_itself(text, length))))
		redactor->pending = classify_name(text + dash, length - dash);
}

int redact_arguments(char *arguments, size_t *length, size_t capacity)
{
	struct redactor redactor = {.steps = STEPS_LEAST + *length * STEPS_PER_BYTE};
	size_t begin = 0, kept;

	while (begin < *length && redactor.steps) {
		const char *nul = memchr(arguments + begin, '\0', *length - begin);
		size_t end = nul ? (size_t)(nul - arguments) : *length;
		size_t rest = end;

		/* A process that gave itself a title leaves NULs behind it. */
		while (begin == 0 && rest < *length && arguments[rest] == '\0')
			rest++;
		redact_argument(&redactor, arguments + begin, end - begin,
				begin == 0 && rest == *length);
		if (nul)
			redactor_put(&redactor, "", 1);
		begin = end + (nul != NULL);
	}
	if (redactor.out_of_memory) {
		free(redactor.out);
		*length = 0;
		return -ENOMEM;
	}
	kept = redactor.out_length < capacity ? redactor.out_length : capacity;
	/* Not within a UTF-8 sequence. */
	while (kept && kept < redactor.out_length &&
	       ((unsigned char)redactor.out[kept] & 0xc0) == 0x80)
		kept--;
	if (kept)
		memcpy(arguments, redactor.out, kept);
	*length = kept;
	free(redactor.out);
	return redactor.count;
}

void redact_name(char *name)
{
	char text[256];
	size_t length = strlen(name), same = 0;

	/* Processes may rename themselves all the time: most names are soon done with. */
	if (length >= sizeof(text) || !strpbrk(name, "=:@ "))
		return;
	memcpy(text, name, length);
	text[length] = '\0';
	length++;
	if (redact_arguments(text, &length, sizeof(text)) <= 0)
		return;
	/* The words that tell so don't fit where they are put. */
	while (name[same] && same < length && name[same] == text[same])
		same++;
	name[same] = '\0';
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Words of a command: which program it is, what it was asked to do, -psecret and the word after -p. */
#include "redactor.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool holds(const struct password_option *option, const char *value, size_t length)
{
	const char *found = option->must_hold ? memchr(value, option->must_hold, length) : value;

	return found && length && (!option->must_hold || found + 1 < value + length);
}

/* The value as the shell would see it: to the argument's end, in quotes, or a word. */
static size_t take_password(struct redactor *redactor, const struct password_option *option,
			    const char *text, size_t length, bool own)
{
	bool quoted = !own && length && is_quote(text[0]);
	const char *close = quoted ? memchr(text + 1, text[0], length - 1) : NULL;
	size_t begin = quoted, size;

	if (own)
		size = length;
	else if (quoted)
		size = close ? (size_t)(close - text) - 1 : length - 1;
	else
		size = word_length(text, length);
	if (!holds(option, text + begin, size) ||
	    is_harmless_value(NAME_SECRET, text + begin, size))
		return 0;
	redactor_put(redactor, text, begin);
	redactor_hide(redactor);
	return begin + size;
}

static void note_word(struct redactor *redactor, const char *word, size_t length)
{
	const char *program = known_program(word, length);

	redactor->words = program ? 0 : redactor->words + 1;
	redactor->program = program ? program : redactor->program;
	redactor->login = redactor->login || (length == 5 && !memcmp(word, "login", 5));
}

/* -sSu user:password: the last of several letters takes the value. */
static const struct password_option *option_in_cluster(const struct redactor *redactor,
						       const char *word, size_t length)
{
	const struct password_option *option;
	size_t i;

	for (i = 1; i < length; i++) {
		if (!isalpha((unsigned char)word[i]))
			return NULL;
	}
	option = find_password_option(redactor->program, word[length - 1], redactor->login);
	return option && option->must_hold ? option : NULL;
}

static size_t take_word(struct redactor *redactor, const char *word, size_t length)
{
	size_t begin = 0;

	if (length)
		note_word(redactor, word, length);
	/* /p:secret, as xfreerdp has it. */
	if (length > 3 && redactor->program && !strcmp(redactor->program, "xfreerdp") &&
	    !strncasecmp(word, "/p:", 3))
		begin = 3;
	else if (length == 0 || !program_has_password_at(redactor->program, redactor->words))
		return 0;
	redactor_put(redactor, word, begin);
	redactor_hide(redactor);
	return length;
}

size_t take_option(struct redactor *redactor, const char *text, size_t length, bool own)
{
	const struct password_option *option = redactor->password_next;
	size_t word = own && !redactor->phrase ? length : word_length(text, length), taken;

	redactor->password_next = NULL;
	if (!redactor_may_look(redactor, word))
		return 0;
	if (option) {
		taken = take_password(redactor, option, text, length, own);
		if (taken)
			return taken;
	}
	if (word == 0 || text[0] != '-')
		return take_word(redactor, text, word);
	option = word >= 2 ? find_password_option(redactor->program, text[1], redactor->login) :
			     NULL;
	if (!option && word > 2) {
		redactor->password_next = option_in_cluster(redactor, text, word);
		return 0;
	}
	if (!option)
		return 0;
	if (length == 2 || isspace((unsigned char)text[2])) {
		redactor->password_next = option->separate ? option : NULL;
		return 0;
	}
	if (!option->joined)
		return 0;
	redactor_put(redactor, text, 2);
	taken = take_password(redactor, option, text + 2, length - 2, own);
	if (!taken)
		redactor->out_length -= 2;
	return taken ? 2 + taken : 0;
}

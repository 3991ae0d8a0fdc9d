// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Values of names: where they begin and end. */
#include "redactor.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Of a value, to see that it is no option. */
#define DASHED_BYTES 64

bool is_name_character(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

bool is_quote(char c)
{
	return c == '"' || c == '\'' || c == '`';
}

bool ends_word(char c)
{
	return isspace((unsigned char)c) || is_quote(c) || (c && strchr(";|&,(){}[]<>?#", c));
}

size_t name_length(const char *text, size_t length)
{
	size_t end = 0;

	while (end < length && is_name_character(text[end]))
		end++;
	return end;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

size_t long_dash_length(const char *text, size_t length)
{
	size_t at = 0;

	while (at + 3 <= length &&
	       ((!memcmp(text + at, "\xe2\x80", 2) && (unsigned char)text[at + 2] >= 0x90 &&
		 (unsigned char)text[at + 2] <= 0x95) ||
		!memcmp(text + at, "\xe2\x88\x92", 3)))
		at += 3;
	return at;
}

bool is_dashed_value(enum name_kind kind, const char *text, size_t length)
{
	size_t i;

	if (kind < NAME_TOKEN || kind == NAME_HEADER || length < 4 || text[0] != '-' ||
	    text[1] == '-')
		return false;
	for (i = 1; i < length; i++) {
		if (!islower((unsigned char)text[i]) && text[i] != '-' && text[i] != '_')
			return true;
	}
	return false;
}

size_t assignment_length(const char *text, size_t length)
{
	size_t at = 0;

	while (at < length && (is_quote(text[at]) || text[at] == ']' || text[at] == '\\'))
		at++;
	while (at < length && is_blank(text[at]))
		at++;
	if (at >= length || (text[at] != '=' && text[at] != ':'))
		return 0;
	at++;
	/* a == b and a := b; no C++::name and no address. */
	if (at < length && text[at] == '=')
		at++;
	else if (at + 1 < length && text[at - 1] == ':' &&
		 (text[at] == ':' || !memcmp(text + at, "//", 2)))
		return 0;
	while (at < length && is_blank(text[at]))
		at++;
	return at;
}

/* Bytes up to the quote of a text that itself stands in quotes: {\"token\": \"x\"}. */
static size_t escaped_length(const char *text, size_t length, char quote)
{
	size_t end = 0;

	while (end + 1 < length && !(text[end] == '\\' && text[end + 1] == quote))
		end++;
	return end + 1 < length ? end : length;
}

/* Bytes of a value up to its closing quote, or to where a word ends. */
static size_t value_length(const char *text, size_t length, char quote)
{
	size_t end = 0;

	/* What can't end a word that has not begun. */
	if (length && !quote && (text[0] == '?' || text[0] == '#'))
		end++;
	for (; end < length; end++) {
		if (text[end] == '\\' && end + 1 < length)
			end++;
		else if (quote ? text[end] == quote : ends_word(text[end]))
			break;
	}
	return end < length ? end : length;
}

size_t word_length(const char *text, size_t length)
{
	return value_length(text, length, '\0');
}

/* A header's value goes on over blanks and semicolons. */
static size_t header_length(const char *text, size_t length)
{
	size_t end = 0;

	while (end < length && !is_quote(text[end]) && text[end] != '\n' && text[end] != '\r')
		end++;
	return end;
}

/* What begins as a variable goes on to its closing bracket: ${TOKEN}. */
static size_t reference_length(const char *text, size_t length)
{
	size_t end = 2;

	if (length < 3 || memcmp(text, "${", 2))
		return 0;
	while (end < length && end < 80 && (is_name_character(text[end]) || text[end] == ':'))
		end++;
	return end < length && text[end] == '}' ? end + 1 : 0;
}

/* (user, password) and [a, b]: all in the brackets is the value. */
static size_t list_length(const char *text, size_t length)
{
	char close = text[0] == '(' ? ')' : text[0] == '[' ? ']' : '\0';
	const char *end = close ? memchr(text, close, length) : NULL;

	if (!close)
		return 0;
	/* One that has no end goes on to the end. */
	return end ? (size_t)(end - text) : length;
}

static size_t size_of_value(enum name_kind kind, const char *text, size_t length, bool to_end,
			    char quote, bool escaped)
{
	size_t reference = quote ? 0 : reference_length(text, length);

	if (kind == NAME_HEADER && !quote)
		return to_end ? length : header_length(text, length);
	if (to_end && !quote)
		return length;
	if (escaped)
		return escaped_length(text, length, quote);
	return reference ? reference : value_length(text, length, quote);
}

/* A webhook's address: its host stays. */
static size_t take_address(struct redactor *redactor, const char *text, size_t length)
{
	size_t name = name_length(text, length);

	if (name + 3 >= length || memcmp(text + name, "://", 3))
		return 0;
	return take_url(redactor, text, length, name, true);
}

/* f" and $' begin a text too. */
static size_t text_prefix_length(const char *text, size_t length)
{
	size_t at = length && text[0] == '$';

	while (at < 2 && at < length && text[0] != '$' && text[at] && strchr("rbfuRBFU", text[at]))
		at++;
	return at && at < length && is_quote(text[at]) ? at : 0;
}

static bool begins_text(const char *text, size_t length)
{
	size_t prefix = text_prefix_length(text, length);

	return prefix < length && is_quote(text[prefix]);
}

/* get_secret("name"), tokenizer("words"): what it is given is not the value. */
static bool reads_value(const char *function, size_t length)
{
	static const char *const words[] = {"get",    "read", "load",   "open",    "env",  "input",
					    "prompt", "ask",  "fetch",  "tokeniz", "tok(", "encode",
					    "config", "path", "lookup", "vault",   "find", NULL};
	const char *dot = memrchr(function, '.', length);
	size_t begin = dot ? (size_t)(dot + 1 - function) : 0, at, i;

	for (at = begin; at < length; at++) {
		for (i = 0; words[i]; i++) {
			if (!strncasecmp(function + at, words[i], strlen(words[i])))
				return true;
		}
	}
	return false;
}

/* SecretStr("x"), str(b"x"): bytes up to the text in it; 0 = it is no such. */
static size_t wrapping_length(const char *text, size_t length)
{
	size_t at = 0, depth, name;

	for (depth = 0; depth < 4; depth++) {
		name = name_length(text + at, length - at);
		if (name == 0 || name > 64 || at + name + 1 >= length || text[at + name] != '(' ||
		    reads_value(text + at, name))
			return 0;
		at += name + 1;
		if (begins_text(text + at, length - at))
			return at;
	}
	return 0;
}

size_t take_value(struct redactor *redactor, enum name_kind kind, const char *text, size_t length,
		  bool to_end)
{
	char quote = '\0';
	size_t wrapping = to_end || kind < NAME_TOKENS ? 0 : wrapping_length(text, length);
	size_t begin, escapes, size;

	redactor_put(redactor, text, wrapping);
	text += wrapping;
	length -= wrapping;
	begin = escapes = to_end ? 0 : text_prefix_length(text, length);
	while (begin < length && text[begin] == '\\')
		begin++;
	escapes = begin - escapes;
	if (begin < length && is_quote(text[begin]))
		quote = text[begin++];
	else
		begin = 0;
	/* Three of them are one. */
	if (quote && begin + 2 < length && text[begin] == quote && text[begin + 1] == quote)
		begin += 2;
	/* Only a part of it is looked at, which read_url() charges. */
	if (kind == NAME_WEBHOOK) {
		redactor_put(redactor, text, begin);
		return wrapping + begin + take_address(redactor, text + begin, length - begin);
	}
	if (begin < length && !quote && !to_end && kind >= NAME_TOKENS &&
	    (size = list_length(text, length)) > 1) {
		begin = 1;
		size--;
	} else {
		size = size_of_value(kind, text + begin, length - begin, to_end, quote,
				     escapes > 0);
	}
	redactor_put(redactor, text, begin);
	/* A call: getpass(), os.getenv("TOKEN"). */
	if (!quote && !to_end && begin == 0 && redactor->code && size < length &&
	    text[size] == '(' && size && name_length(text, size) == size)
		return wrapping + begin;
	if (!redactor_may_look(redactor, size))
		return wrapping + begin;
	if (is_harmless_value(kind, text + begin, size) ||
	    (kind == NAME_LOGIN && program_takes_accounts(redactor->program)))
		return wrapping + begin;
	redactor_hide(redactor);
	return wrapping + begin + size;
}

/*
 * Bytes to a value that has no sign before it, in a text with blanks: --token x, requirepass x,
 * PASSWORD 'x', IDENTIFIED BY 'x'. 0 = none.
 */
static size_t spoken_length(const struct redactor *redactor, enum name_kind kind, const char *text,
			    size_t length, size_t name)
{
	size_t at = name, word;
	bool dash = text[0] == '-' ||
		    (text - redactor->argument >= 3 && long_dash_length(text - 3, 3));

	while (at < length && is_blank(text[at]))
		at++;
	if (at == name || at >= length)
		return 0;
	word = length - at < DASHED_BYTES ? length - at : DASHED_BYTES;
	if (text[at] == '-' && !is_dashed_value(kind, text + at, word_length(text + at, word)))
		return 0;
	if (dash)
		return at - name;
	if (!is_name_by_itself(text, name))
		return 0;
	/* .netrc has: login me password x. */
	return is_quote(text[at]) || redactor->login || memchr(text, '_', name) || name > 8 ?
		       at - name :
		       0;
}

/* environ.setdefault("HF_TOKEN", "x"), putenv("HF_TOKEN", "x"); no list of such names. */
static size_t pair_length(enum name_kind kind, const char *text, size_t length, size_t name)
{
	size_t at = name, value;

	if (kind < NAME_TOKENS || at >= length || !is_quote(text[at]) || !memchr(text, '_', name) ||
	    !is_variable_name(text, name))
		return 0;
	at++;
	while (at < length && is_blank(text[at]))
		at++;
	if (at >= length || text[at++] != ',')
		return 0;
	while (at < length && is_blank(text[at]))
		at++;
	if (!begins_text(text + at, length - at))
		return 0;
	for (value = at + 1; value < length && is_name_character(text[value]); value++)
		;
	return is_variable_name(text + at + 1, value - at - 1) ? 0 : at - name;
}

static size_t identified_by(const char *text, size_t length)
{
	static const char phrase[] = "identified by ";
	size_t size = sizeof(phrase) - 1;

	return length > size && !strncasecmp(text, phrase, size) && is_quote(text[size]) ? size : 0;
}

size_t take_named(struct redactor *redactor, const char *text, size_t length, size_t name,
		  bool opens)
{
	enum name_kind kind = classify_name(text, name);
	size_t between = assignment_length(text + name, length - name);
	size_t by = redactor->phrase ? identified_by(text, length) : 0;

	if (by) {
		kind = NAME_SECRET;
		name = by - 1;
		between = 1;
	}
	if (kind < NAME_WEBHOOK)
		return 0;
	if (between == 0 && redactor->phrase)
		between = spoken_length(redactor, kind, text, length, name);
	if (between == 0)
		between = pair_length(kind, text, length, name);
	if (between == 0)
		return 0;
	if (name + between >= length) {
		redactor->pending = kind;
		return 0;
	}
	redactor_put(redactor, text, name + between);
	return name + between +
	       take_value(redactor, kind, text + name + between, length - name - between,
			  opens && !redactor->code);
}

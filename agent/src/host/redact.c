// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Arguments are taken one by one. In an argument of its own a value is all that follows the name; in
 * code (`sh -c …`, `python -c …`, a title that a process gave itself) it ends where a word does.
 */
#include "proc.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "secret_words.h"

#define REDACTED "[redacted]"
#define NO_OPTION '\0'

/* Programs of which a letter is known to stand before a password. */
struct password_option {
	const char *program;
	char letter;
	bool joined, separate;
	char must_hold; /* the value is a secret only with this in it */
	bool after_login;
};

static const struct password_option password_options[] = {
	{"mysql", 'p', true, false, NO_OPTION, false},
	{"mysqldump", 'p', true, false, NO_OPTION, false},
	{"mysqladmin", 'p', true, false, NO_OPTION, false},
	{"mariadb", 'p', true, false, NO_OPTION, false},
	{"mariadb-dump", 'p', true, false, NO_OPTION, false},
	{"sshpass", 'p', true, true, NO_OPTION, false},
	{"mongo", 'p', true, true, NO_OPTION, false},
	{"mongosh", 'p', true, true, NO_OPTION, false},
	{"7z", 'p', true, false, NO_OPTION, false},
	{"zip", 'P', true, true, NO_OPTION, false},
	{"unzip", 'P', true, true, NO_OPTION, false},
	{"sqlcmd", 'P', true, true, NO_OPTION, false},
	{"redis-cli", 'a', false, true, NO_OPTION, false},
	{"ldapsearch", 'w', true, true, NO_OPTION, false},
	{"smbclient", 'U', true, true, '%', false},
	{"curl", 'u', true, true, ':', false},
	{"curl", 'U', true, true, ':', false},
	{"docker", 'p', false, true, NO_OPTION, true},
	{"podman", 'p', false, true, NO_OPTION, true},
	{"helm", 'p', false, true, NO_OPTION, true},
	{"oc", 'p', false, true, NO_OPTION, true},
	{"az", 'p', false, true, NO_OPTION, true},
	/* Run by those above, with options of their own. */
	{"ssh", NO_OPTION, false, false, NO_OPTION, false},
	{"scp", NO_OPTION, false, false, NO_OPTION, false},
	{"rsync", NO_OPTION, false, false, NO_OPTION, false},
};

struct redactor {
	char *out;
	size_t out_length, out_capacity;
	int count;
	bool out_of_memory;
	bool code;              /* the argument is code */
	bool next_is_code;      /* -c stood before it */
	bool login;             /* the word "login" came */
	enum name_kind pending; /* of the option whose value comes next */
	const char *program;    /* of password_options; NULL = none of them */
	/* Whose value comes next. */
	const struct password_option *password_next;
};

static void put(struct redactor *redactor, const char *text, size_t length)
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

static void put_redacted(struct redactor *redactor)
{
	put(redactor, REDACTED, strlen(REDACTED));
	redactor->count++;
}

static bool is_name_character(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'' || c == '`';
}

static bool ends_word(char c)
{
	return isspace((unsigned char)c) || is_quote(c) || (c && strchr(";|&,(){}[]<>?#", c));
}

static size_t name_length(const char *text, size_t length)
{
	size_t end = 0;

	while (end < length && is_name_character(text[end]))
		end++;
	return end;
}

/* Bytes from the end of a name to its value in `name = "value"`, `"name": value`; 0 = no such. */
static size_t assignment_length(const char *text, size_t length)
{
	size_t at = 0, signs = 0;

	while (at < length && (is_quote(text[at]) || text[at] == ']' || text[at] == '\\'))
		at++;
	while (at < length && (text[at] == ' ' || text[at] == '\t'))
		at++;
	while (at < length && (text[at] == '=' || text[at] == ':')) {
		at++;
		signs++;
	}
	if (signs == 0 || signs > 2 || (at + 1 < length && !memcmp(text + at - 1, "://", 3)))
		return 0;
	while (at < length && (text[at] == ' ' || text[at] == '\t'))
		at++;
	return at;
}

/* Bytes of a value: to its closing quote, to the argument's end, or to the word's. */
static size_t value_length(const char *text, size_t length, bool to_end, char quote)
{
	size_t end = 0;

	if (to_end && !quote)
		return length;
	for (; end < length; end++) {
		if (text[end] == '\\' && end + 1 < length)
			end++;
		else if (quote ? text[end] == quote : ends_word(text[end]))
			break;
	}
	return end < length ? end : length;
}

/* A header's value goes on over blanks and semicolons. */
static size_t header_length(const char *text, size_t length)
{
	size_t end = 0;

	while (end < length && !is_quote(text[end]) && text[end] != '\n' && text[end] != '\r')
		end++;
	return end;
}

/* Writes what stands before the value, and the value as it may be shown. Bytes consumed. */
static size_t take_value(struct redactor *redactor, enum name_kind kind, const char *text,
			 size_t length, bool to_end)
{
	char quote = NO_OPTION;
	size_t begin = 0, size;

	while (begin < length && text[begin] == '\\')
		begin++;
	if (begin < length && is_quote(text[begin]))
		quote = text[begin++];
	else
		begin = 0;
	size = kind == NAME_HEADER && !quote ?
		       header_length(text, length) :
		       value_length(text + begin, length - begin, to_end, quote);
	put(redactor, text, begin);
	if (size == 0)
		return begin;
	if (is_harmless_value(kind, text + begin, size))
		put(redactor, text + begin, size);
	else
		put_redacted(redactor);
	return begin + size;
}

/* "Bearer abc…": the word after it. Bytes consumed, 0 = none. */
static size_t take_bearer(struct redactor *redactor, const char *text, size_t length)
{
	size_t size;

	if (length < 7 + 8 || strncasecmp(text, "bearer ", 7))
		return 0;
	size = value_length(text + 7, length - 7, false, NO_OPTION);
	if (size < 8)
		return 0;
	put(redactor, text, 7);
	put_redacted(redactor);
	return 7 + size;
}

/* `name=value` and, in code, `--name value`. Bytes consumed, 0 = the name is no secret's. */
static size_t take_named(struct redactor *redactor, const char *text, size_t length, size_t name,
			 bool at_begin)
{
	enum name_kind kind = classify_name(text, name);
	size_t between = assignment_length(text + name, length - name);

	if (kind < NAME_TOKEN)
		return 0;
	if (between == 0 && redactor->code && text[0] == '-' && name < length &&
	    isspace((unsigned char)text[name])) {
		between = 1;
		if (name + between < length && text[name + between] == '-')
			return 0;
	}
	if (between == 0)
		return 0;
	if (name + between >= length) {
		redactor->pending = kind;
		return 0;
	}
	put(redactor, text, name + between);
	return name + between +
	       take_value(redactor, kind, text + name + between, length - name - between,
			  at_begin && !redactor->code);
}

/* `https://user:password@`, `user:password@host`. Bytes consumed, 0 = none. */
static size_t take_login(struct redactor *redactor, const char *text, size_t length, size_t name)
{
	size_t begin, login;

	if (length > name + 3 && !memcmp(text + name, "://", 3)) {
		begin = name + 3;
		login = url_login_length(text + begin, length - begin);
	} else {
		begin = 0;
		if (name == 0 || name >= length || text[name] != ':')
			return 0;
		for (login = name + 1; login < length && !ends_word(text[login]); login++) {
			if (text[login] == '@' || text[login] == '/' || text[login] == ':')
				break;
		}
		if (login == name + 1 || login + 1 >= length || text[login] != '@' ||
		    !strncmp(text + login, "@sha", 4))
			return 0;
	}
	if (login == 0)
		return 0;
	put(redactor, text, begin);
	put_redacted(redactor);
	return begin + login;
}

/* A long random word that nothing says to be a hash. Bytes consumed, 0 = none. */
static size_t take_random(struct redactor *redactor, const char *text, size_t length)
{
	size_t size = 0;

	while (size < length && (is_name_character(text[size]) || strchr("+/~", text[size])))
		size++;
	/* What base 64 ends with. */
	for (size_t padding = 0; size && padding < 2 && size < length && text[size] == '=';
	     padding++)
		size++;
	if (!is_random_word(text, size))
		return 0;
	put_redacted(redactor);
	return size;
}

static size_t take_private_key(struct redactor *redactor, const char *text, size_t length)
{
	if (length < 11 || memcmp(text, "-----BEGIN ", 11))
		return 0;
	put_redacted(redactor);
	return length;
}

static const char *known_program(const char *word, size_t length)
{
	const char *slash = memrchr(word, '/', length);
	const char *base = slash ? slash + 1 : word;
	size_t base_length = length - (size_t)(base - word), i;

	for (i = 0; i < sizeof(password_options) / sizeof(*password_options); i++) {
		const char *program = password_options[i].program;

		if (strlen(program) == base_length && !memcmp(program, base, base_length))
			return program;
	}
	return NULL;
}

static const struct password_option *password_option_of(const struct redactor *redactor,
							char letter)
{
	size_t i;

	for (i = 0; redactor->program && i < sizeof(password_options) / sizeof(*password_options);
	     i++) {
		const struct password_option *option = &password_options[i];

		if (option->program == redactor->program && option->letter == letter &&
		    (!option->after_login || redactor->login))
			return option;
	}
	return NULL;
}

/*
 * One word of a command: notes programs and what they were asked to do, and takes `-psecret` and the
 * word after `-p`. Bytes consumed, 0 = nothing secret.
 */
static size_t take_option(struct redactor *redactor, const char *word, size_t length)
{
	const struct password_option *awaited = redactor->password_next, *option;

	redactor->password_next = NULL;
	if (awaited && (!awaited->must_hold || memchr(word, awaited->must_hold, length))) {
		put_redacted(redactor);
		return length;
	}
	if (length && word[0] != '-') {
		const char *program = known_program(word, length);

		redactor->program = program ? program : redactor->program;
		redactor->login = redactor->login || (length == 5 && !memcmp(word, "login", 5));
		return 0;
	}
	option = length >= 2 ? password_option_of(redactor, word[1]) : NULL;
	if (!option)
		return 0;
	if (length == 2) {
		redactor->password_next = option->separate ? option : NULL;
		return 0;
	}
	if (!option->joined || (option->must_hold && !memchr(word, option->must_hold, length)))
		return 0;
	put(redactor, word, 2);
	put_redacted(redactor);
	return length;
}

/* At the begin of a name. Bytes consumed, 0 = nothing secret begins here. */
static size_t take_secret(struct redactor *redactor, const char *text, size_t length, bool at_begin)
{
	size_t name = name_length(text, length);
	size_t taken = take_private_key(redactor, text, length);

	if (!taken)
		taken = take_bearer(redactor, text, length);
	if (!taken)
		taken = take_login(redactor, text, length, name);
	if (!taken && name)
		taken = take_named(redactor, text, length, name, at_begin);
	return taken;
}

/* Whether the name at the text's begin makes what follows a hash; as before where it is no name. */
static bool names_hash(const char *text, size_t length, bool before)
{
	size_t name = name_length(text, length);

	if (name == 0 || (text[0] != '-' && !assignment_length(text + name, length - name)))
		return before;
	return classify_name(text, name) == NAME_HASH;
}

static size_t take_at(struct redactor *redactor, const char *text, size_t at, size_t length,
		      bool *hash)
{
	const char *here = text + at;
	char before = at ? text[at - 1] : ' ';
	size_t left = length - at, taken = 0;

	if (at == 0 || (redactor->code && isspace((unsigned char)before))) {
		size_t word = redactor->code ? value_length(here, left, false, NO_OPTION) : left;

		taken = take_option(redactor, here, word);
	}
	if (!taken && !is_name_character(before)) {
		taken = take_secret(redactor, here, left, at == 0);
		*hash = taken ? false : names_hash(here, left, *hash);
		if (!taken && !*hash && (!strchr("/+~", before)))
			taken = take_random(redactor, here, left);
	}
	if (!taken && !isalnum((unsigned char)before)) {
		taken = known_token_length(here, left);
		if (taken)
			put_redacted(redactor);
	}
	return taken;
}

static void scan(struct redactor *redactor, const char *text, size_t length, bool hash)
{
	size_t at = 0;

	while (at < length) {
		size_t taken = take_at(redactor, text, at, length, &hash);

		if (!taken) {
			put(redactor, text + at, 1);
			taken = 1;
		}
		at += taken;
	}
}

static bool is_option(const char *text, size_t length)
{
	size_t dashes = 0;

	while (dashes < length && text[dashes] == '-')
		dashes++;
	return dashes && dashes <= 2 && dashes < length && isalpha((unsigned char)text[dashes]);
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

/* The value of the option before it; false where it is none. */
static bool take_pending(struct redactor *redactor, const char *text, size_t length)
{
	if (redactor->pending < NAME_TOKEN || is_option(text, length))
		return false;
	if (redactor->pending == NAME_HEADER && is_authentication_scheme(text, length)) {
		put(redactor, text, length);
		return true;
	}
	if (is_harmless_value(redactor->pending, text, length))
		put(redactor, text, length);
	else
		put_redacted(redactor);
	redactor->pending = NAME_PLAIN;
	return true;
}

static void redact_argument(struct redactor *redactor, const char *text, size_t length, bool alone)
{
	bool hash = redactor->pending == NAME_HASH;

	redactor->code = redactor->next_is_code || (alone && memchr(text, ' ', length));
	redactor->next_is_code = length >= 2 && length <= 5 && text[0] == '-' && text[1] != '-' &&
				 text[length - 1] == 'c';
	if (take_pending(redactor, text, length))
		return;
	redactor->pending = NAME_PLAIN;
	scan(redactor, text, length, hash);
	if (is_option(text, length) && name_length(text, length) == length)
		redactor->pending = classify_name(text, length);
}

int redact_arguments(char *arguments, size_t *length, size_t capacity)
{
	struct redactor redactor = {0};
	size_t begin = 0, kept;

	while (begin < *length) {
		const char *nul = memchr(arguments + begin, '\0', *length - begin);
		size_t end = nul ? (size_t)(nul - arguments) : *length;
		size_t rest = end;

		/* A process that gave itself a title leaves NULs behind it. */
		while (rest < *length && arguments[rest] == '\0')
			rest++;
		redact_argument(&redactor, arguments + begin, end - begin,
				begin == 0 && rest == *length);
		if (nul)
			put(&redactor, "", 1);
		begin = end + (nul != NULL);
	}
	if (redactor.out_of_memory) {
		free(redactor.out);
		*length = 0;
		return -ENOMEM;
	}
	kept = redactor.out_length < capacity ? redactor.out_length : capacity;
	if (kept)
		memcpy(arguments, redactor.out, kept);
	*length = kept;
	free(redactor.out);
	return redactor.count;
}

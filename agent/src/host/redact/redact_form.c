// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Secrets that no name stands before. */
#include "redactor.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Longer ones are no passwords. */
#define TYPED_BYTES 256
#define SLASH_LOGIN_BYTES 256

static void put_segments(struct redactor *redactor, const char *path, size_t length)
{
	size_t at = 0;

	while (at < length) {
		const char *slash = memchr(path + at, '/', length - at);
		size_t size = slash ? (size_t)(slash - path) - at : length - at;

		if (size && is_secret_segment(path + at, size))
			redactor_hide(redactor);
		else
			redactor_put(redactor, path + at, size);
		at += size;
		if (at < length)
			redactor_put(redactor, path + at++, 1);
	}
}

size_t take_url(struct redactor *redactor, const char *text, size_t length, size_t name,
		bool whole_path)
{
	struct url url;
	size_t begin = name + 3;

	if (begin >= length || memcmp(text + name, "://", 3))
		return 0;
	read_url(text, name, text + begin, length - begin, &url);
	if (!redactor_may_look(redactor, url.looked))
		return 0;
	redactor_put(redactor, text, begin);
	if (url.login)
		redactor_hide(redactor);
	text += begin;
	redactor_put(redactor, text + url.login, url.path - url.login);
	if (whole_path && url.secret == url.end && url.path + 1 < url.end)
		url.secret = url.path + 1;
	put_segments(redactor, text + url.path, url.secret - url.path);
	if (url.secret < url.end)
		redactor_hide(redactor);
	return begin + url.end;
}

/* scott/tiger@, as Oracle has it, behind `thin:` or of a program of its own. */
static size_t slash_login_length(const char *text, size_t length, size_t begin)
{
	size_t end = begin;

	length = length < SLASH_LOGIN_BYTES ? length : SLASH_LOGIN_BYTES;
	if (begin ? length < begin + 3 || memcmp(text, "thin:", begin) : text[0] == '/')
		return 0;
	while (end < length && (is_name_character(text[end]) || text[end] == '/'))
		end++;
	return end < length && text[end] == '@' && memchr(text, '/', end) ? end : 0;
}

/* 123456789:AA…, as Telegram has it. */
static size_t bot_token_length(const char *text, size_t length, size_t name)
{
	size_t end = name + 1;

	if (name < 8 || name > 10 || length < name + 30 || memcmp(text + name, ":AA", 3))
		return 0;
	for (size_t i = 0; i < name; i++) {
		if (!isdigit((unsigned char)text[i]))
			return 0;
	}
	while (end < length && is_name_character(text[end]))
		end++;
	return end >= name + 30 ? end : 0;
}

size_t take_login(struct redactor *redactor, const char *text, size_t length, size_t name,
		  char before)
{
	size_t thin = length && text[0] == 't' ? slash_login_length(text, length, 5) : 0, login;

	login = thin;
	/* a/b/c@d is one login, looked at once. */
	if (!thin && before != '/' && program_takes_slash_login(redactor->program))
		login = slash_login_length(text, length, 0);
	if (login) {
		redactor_put(redactor, text, thin ? 5 : 0);
		redactor_hide(redactor);
		return login;
	}
	login = bot_token_length(text, length, name);
	if (login) {
		redactor_put(redactor, text, name + 1);
		redactor_hide(redactor);
		return login;
	}
	if (name == 0 || name >= length || text[name] != ':')
		return 0;
	for (login = name + 1; login < length && !ends_word(text[login]); login++) {
		if (text[login] == '@' || text[login] == '/' || text[login] == ':')
			break;
	}
	if (login == name + 1 || login + 1 >= length || text[login] != '@' ||
	    !strncmp(text + login, "@sha", 4))
		return 0;
	redactor_hide(redactor);
	return login;
}

static size_t take_private_key(struct redactor *redactor, const char *text, size_t length)
{
	if (length < 11 || memcmp(text, "-----BEGIN ", 11))
		return 0;
	redactor_hide(redactor);
	return length;
}

/* "Bearer abc…", "Basic dXNl…": the word after it. */
static size_t take_scheme(struct redactor *redactor, const char *text, size_t length)
{
	bool bearer = length > 7 && !strncasecmp(text, "bearer ", 7);
	size_t begin = bearer ? 7 : 6, size;

	if (!bearer && (length <= 6 || strncasecmp(text, "basic ", 6)))
		return 0;
	size = word_length(text + begin, length - begin);
	if (!redactor_may_look(redactor, size) || size < 8 ||
	    (!bearer && !is_basic_login(text + begin, size)) || text[begin] == '$')
		return 0;
	redactor_put(redactor, text, begin);
	redactor_hide(redactor);
	return begin + size;
}

/* Whether what is typed to these commands is a password. */
static bool asks_password(const char *text, size_t length)
{
	static const char *const askers[] = {"sudo -S",    "-stdin",        "chpasswd", "smbpasswd",
					     "cryptsetup", "passphrase-fd", "kinit",    NULL};
	size_t i;

	for (i = 0; askers[i]; i++) {
		if (memmem(text, length, askers[i], strlen(askers[i])))
			return true;
	}
	return memmem(text, length, "sudo ", 5) && memmem(text, length, " -S", 3);
}

/* echo secret | sudo -S, and printf. */
static size_t take_echo(struct redactor *redactor, const char *text, size_t length)
{
	size_t begin, end;
	const char *pipe;

	length = length < TYPED_BYTES ? length : TYPED_BYTES;
	if (!redactor->phrase || length < 12)
		return 0;
	begin = !memcmp(text, "echo ", 5) ? 5 : !memcmp(text, "printf ", 7) ? 7 : 0;
	pipe = begin ? memchr(text, '|', length) : NULL;
	if (!pipe || !asks_password(pipe, length - (size_t)(pipe - text)))
		return 0;
	end = (size_t)(pipe - text);
	while (begin + 3 < end &&
	       (!memcmp(text + begin, "-n ", 3) || !memcmp(text + begin, "-e ", 3)))
		begin += 3;
	while (end > begin && isspace((unsigned char)text[end - 1]))
		end--;
	if (end <= begin || text[begin] == '$')
		return 0;
	redactor_put(redactor, text, begin);
	redactor_hide(redactor);
	return end;
}

/* sudo -S ls <<< secret */
static size_t take_here_string(struct redactor *redactor, const char *text, size_t length)
{
	size_t behind = (size_t)(text - redactor->argument), begin = 3;

	if (length < 4 || memcmp(text, "<<<", 3))
		return 0;
	behind = behind < TYPED_BYTES ? behind : TYPED_BYTES;
	if (!redactor_may_look(redactor, behind) || !asks_password(text - behind, behind))
		return 0;
	while (begin < length && isspace((unsigned char)text[begin]))
		begin++;
	redactor_put(redactor, text, begin);
	return begin + take_value(redactor, NAME_SECRET, text + begin, length - begin, false);
}

size_t take_form(struct redactor *redactor, const char *text, size_t length)
{
	size_t taken = take_private_key(redactor, text, length);

	if (!taken)
		taken = take_scheme(redactor, text, length);
	if (!taken)
		taken = take_echo(redactor, text, length);
	if (!taken)
		taken = take_here_string(redactor, text, length);
	if (!taken) {
		taken = password_hash_length(text, length);
		if (taken)
			redactor_hide(redactor);
	}
	return taken;
}

size_t take_random(struct redactor *redactor, const char *text, size_t length)
{
	size_t size = 0;

	while (size < length &&
	       (is_name_character(text[size]) || (text[size] && strchr("+/~", text[size]))))
		size++;
	/* What base 64 ends with. */
	for (size_t padding = 0; size && padding < 2 && size < length && text[size] == '=';
	     padding++)
		size++;
	if (!is_random_word(text, size) ||
	    (program_takes_ids(redactor->program) && is_hexadecimal(text, size)))
		return 0;
	redactor_hide(redactor);
	return size;
}

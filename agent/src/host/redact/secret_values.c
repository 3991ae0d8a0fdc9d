// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Which values may stay though their name is that of a secret. */
#include "secret_words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool begins_with(const char *value, size_t length, const char *begin)
{
	size_t size = strlen(begin);

	return length >= size && !memcmp(value, begin, size);
}

static bool ends_with(const char *value, size_t length, const char *end)
{
	size_t size = strlen(end);

	return length >= size && !strncasecmp(value + length - size, end, size);
}

static bool is_plain_word(const char *value, size_t length)
{
	static const char *const plain[] = {"true", "false", "none", "null", "yes",
					    "no",   "auto",  "on",   "off",  NULL};
	char word[8];
	size_t i;

	if (length >= sizeof(word))
		return false;
	for (i = 0; i < length; i++)
		word[i] = (char)tolower((unsigned char)value[i]);
	word[length] = '\0';
	return is_listed_word(word, plain);
}

/* Where a secret is kept, not what it is. */
static bool is_file(const char *value, size_t length)
{
	static const char *const roots[] = {"/run/",   "/etc/", "/var/", "/home/", "/root/",
					    "/mnt/",   "/opt/", "/tmp/", "/data/", "/secrets/",
					    "/vault/", "~/",    "./",    "../",    NULL};
	static const char *const endings[] = {".json", ".pem", ".key",  ".crt", ".txt",  ".yaml",
					      ".yml",  ".env", ".conf", ".cfg", ".toml", ".ini",
					      ".p12",  ".jks", ".pub",  NULL};
	size_t i;

	if (length && value[0] == '@') {
		value++;
		length--;
	}
	for (i = 0; i < length; i++) {
		if (!isalnum((unsigned char)value[i]) && !strchr("/._-~+", value[i]))
			return false;
	}
	for (i = 0; roots[i]; i++) {
		if (begins_with(value, length, roots[i]))
			return true;
	}
	for (i = 0; endings[i]; i++) {
		if (ends_with(value, length, endings[i]))
			return memchr(value, '/', length) != NULL;
	}
	return false;
}

/* /home/ada/src, as PWD is. */
static bool is_path(const char *value, size_t length)
{
	size_t lower = 0, slashes = 0, i;

	for (i = 0; i < length; i++) {
		if (!isalnum((unsigned char)value[i]) && !strchr("/._-~", value[i]))
			return false;
		lower += islower((unsigned char)value[i]) != 0;
		slashes += value[i] == '/';
	}
	return value[0] == '/' && (slashes > 1 || lower + 1 == length);
}

bool is_variable_name(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++) {
		if (!isupper((unsigned char)text[i]) && !isdigit((unsigned char)text[i]) &&
		    text[i] != '_')
			return false;
	}
	return length > 0;
}

/* os.environ["TOKEN"], getpass(), process.env.TOKEN; not os.environhunter2. */
static bool is_reader(const char *value, size_t length)
{
	static const char *const readers[] = {
		"os.environ", "os.environ.get",  "os.environ.pop", "os.getenv",
		"getpass",    "getpass.getpass", "process.env",    NULL};
	static const char node[] = "process.env.";
	size_t size = 0, i;

	while (size < length && (isalnum((unsigned char)value[size]) || value[size] == '.'))
		size++;
	for (i = 0; readers[i]; i++) {
		if (strlen(readers[i]) == size && !memcmp(value, readers[i], size))
			return size == length || value[size] == '[' || value[size] == '(';
	}
	return begins_with(value, length, node) &&
	       is_variable_name(value + sizeof(node) - 1, length - (sizeof(node) - 1));
}

/* $TOKEN, ${TOKEN}, ${oc.env:TOKEN}, $(cat …), env:TOKEN, os.environ: what is read elsewhere. */
static bool is_reference(const char *value, size_t length)
{
	if (length == 1)
		return value[0] == '$' || value[0] == '-';
	if (begins_with(value, length, "${oc.env:") && value[length - 1] == '}')
		return is_variable_name(value + 9, length - 10);
	if (begins_with(value, length, "${") && value[length - 1] == '}')
		return is_variable_name(value + 2, length - 3);
	if (value[0] == '$')
		return is_variable_name(value + 1, length - 1);
	if (begins_with(value, length, "env:"))
		return is_variable_name(value + 4, length - 4);
	return is_reader(value, length);
}

static bool is_number(const char *value, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++) {
		if (!isdigit((unsigned char)value[i]) && !strchr(".e+-", value[i]))
			return false;
	}
	return length <= 4 || (length <= 6 && memchr(value, '.', length));
}

/* 300000000, 1.5e9, 375M, 101, 2023: how many tokens, or which. */
static bool is_count(const char *value, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++) {
		if (!isdigit((unsigned char)value[i]) && !strchr(".e+-_, kKMBGT", value[i]))
			return false;
	}
	return isdigit((unsigned char)value[0]) || value[0] == '-';
}

static bool is_way_to_sign_in(const char *value, size_t length)
{
	static const char *const ways[] = {"basic",  "password", "trust", "oauth2", "md5",
					   "peer",   "ident",    "oauth", "ldap",   "iam",
					   "digest", "token",    "ntlm",  NULL};
	char word[12];

	snprintf(word, sizeof(word), "%.*s",
		 (int)(length < sizeof(word) ? length : sizeof(word) - 1), value);
	return length < sizeof(word) && is_listed_word(word, ways);
}

static bool is_harmless_token(const char *value, size_t length)
{
	return is_number(value, length) || is_way_to_sign_in(value, length) ||
	       is_path(value, length) || (value[0] == '<' && value[length - 1] == '>') ||
	       (value[0] == '[' && value[length - 1] == ']');
}

/* user:password, but not 1000:1000, https://… or a user alone. */
static bool is_login(const char *value, size_t length)
{
	const char *colon = memchr(value, ':', length);
	size_t digits = 0, i;

	if (!colon || colon == value || colon + 1 == value + length ||
	    (colon + 2 < value + length && !memcmp(colon, "://", 3)))
		return false;
	for (i = 0; i < length; i++) {
		if (isspace((unsigned char)value[i]))
			return false;
		digits += isdigit((unsigned char)value[i]) != 0;
	}
	return digits + 1 < length;
}

/* Of a door: letters and digits mixed, or one long word. Of a table: image_0, length, 512, a,b. */
static bool is_key(const char *value, size_t length)
{
	size_t digits = 0, letters = 0, upper = 0, separators = 0, last_letter = 0, changes = 0, i;

	for (i = 0; i < length; i++) {
		unsigned char c = (unsigned char)value[i];

		if (isspace(c) || strchr(",()[]{}$/", c))
			return false;
		digits += isdigit(c) != 0;
		letters += isalpha(c) != 0;
		upper += isupper(c) != 0;
		changes += i && !isupper(c) != !isupper((unsigned char)value[i - 1]);
		separators += c == '_' || c == '-' || c == '.';
		if (isalpha(c))
			last_letter = i;
	}
	if (length < 6)
		return false;
	if (letters == 0)
		return digits >= 10;
	if (digits == 0)
		return separators == 0 &&
		       (upper == 0 || upper == length ? length >= 20 : changes * 5 >= length * 2);
	return separators == 0 || last_letter > length - digits - separators;
}

bool is_harmless_value(enum name_kind kind, const char *value, size_t length)
{
	if (length == 0 || is_plain_word(value, length))
		return true;
	if (kind == NAME_LOGIN)
		return !is_login(value, length);
	if (kind == NAME_HEADER)
		return false;
	if (is_reference(value, length) || is_file(value, length))
		return true;
	if (length >= 3 && begins_with(value, length, "id=") && kind == NAME_SECRET)
		return true;
	if (kind == NAME_KEY)
		return !is_key(value, length);
	if (kind == NAME_TOKENS && is_count(value, length))
		return true;
	return (kind == NAME_TOKEN || kind == NAME_TOKENS) && is_harmless_token(value, length);
}

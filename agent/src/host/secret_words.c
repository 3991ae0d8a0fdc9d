// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "secret_words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MAX_SEGMENTS 12
/* Bytes that are looked at to decide, so that a hostile line costs no square of its length. */
#define LOOK_AHEAD 2048
#define SEGMENT_BYTES 20

/* A name taken apart at punctuation and at capitals, in lower case, without digits at the end. */
struct segments {
	char words[MAX_SEGMENTS][SEGMENT_BYTES];
	unsigned int count; /* the last ones, where there are more */
};

static bool is_one_of(const char *word, const char *const *list)
{
	for (; *list; list++) {
		if (!strcmp(word, *list))
			return true;
	}
	return false;
}

static void add_segment(struct segments *segments, const char *word, size_t length)
{
	char *out;
	size_t i;

	while (length > 1 && isdigit((unsigned char)word[length - 1]))
		length--;
	if (length == 0)
		return;
	if (segments->count == MAX_SEGMENTS) {
		memmove(segments->words[0], segments->words[1],
			sizeof(segments->words) - sizeof(segments->words[0]));
		segments->count--;
	}
	if (length >= SEGMENT_BYTES)
		length = SEGMENT_BYTES - 1;
	out = segments->words[segments->count++];
	for (i = 0; i < length; i++)
		out[i] = (char)tolower((unsigned char)word[i]);
	out[length] = '\0';
}

/* Before position i: aB, and the last capital of ABc. */
static bool is_hump(const char *name, size_t length, size_t i)
{
	unsigned char before = (unsigned char)name[i - 1], at = (unsigned char)name[i];

	if (!isupper(at))
		return false;
	return islower(before) || isdigit(before) ||
	       (isupper(before) && i + 1 < length && islower((unsigned char)name[i + 1]));
}

static void split_name(const char *name, size_t length, struct segments *out)
{
	size_t begin = 0, i;

	out->count = 0;
	for (i = 0; i < length; i++) {
		bool punctuation = !isalnum((unsigned char)name[i]);

		if (!punctuation && !(i > begin && is_hump(name, length, i)))
			continue;
		add_segment(out, name + begin, i - begin);
		begin = punctuation ? i + 1 : i;
	}
	add_segment(out, name + begin, length - begin);
}

static const char *const always_secret[] = {
	"password",    "passwd",    "passphrase", "passin",      "passout",
	"secret",      "secrets",   "credential", "credentials", "apikey",
	"accesskey",   "secretkey", "privatekey", "authkey",     "authtoken",
	"accesstoken", "bearer",    "signature",  "jwt",         NULL,
};
static const char *const secret_at_the_end[] = {
	"token", "pass", "pwd", "pw", "auth", "sig", "sas", "creds", "cred", "userpwd", NULL,
};
static const char *const keys_that_are_secret[] = {
	"api",     "access",      "secret",  "private", "auth",   "account", "encryption",
	"signing", "service",     "license", "admin",   "master", "storage", "shared",
	"client",  "wandb",       "comet",   "neptune", "openai", "hmac",    "session",
	"app",     "application", "ssh",     "host",    "deploy", NULL,
};
/* --password-file, SECRET_NAME, token_length: about a secret, or about something else. */
static const char *const about[] = {
	"file", "path", "dir", "folder", "type", "length", "len", "size", "count", "limit", "name",
	"url",  "uri",  "env", "policy", "mode", "var",    "dim", "loss", "min",   "max",   NULL,
};
/* Tokens of a language model. */
static const char *const model_words[] = {
	"pad",    "eos",   "bos",   "unk",    "mask",       "sep",   "cls",   "special", "num",
	"max",    "min",   "per",   "stop",   "next",       "image", "start", "end",     "new",
	"begin",  "first", "last",  "prompt", "additional", "of",    "by",    "n",       "target",
	"source", "video", "audio", "text",   "loss",       NULL,
};
static const char *const hash_words[] = {
	"revision", "rev", "commit", "sha",     "hash",     "digest",  "checksum", "md",    "ref",
	"uuid",     "id",  "ids",    "version", "snapshot", "etag",    "branch",   "tag",   "path",
	"file",     "dir", "name",   "run",     "seed",     "address", "devices",  "build", NULL,
};

static bool is_upper_name(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++) {
		if (islower((unsigned char)name[i]))
			return false;
	}
	return true;
}

enum name_kind classify_name(const char *name, size_t length)
{
	struct segments segments;
	const char *last, *before;
	unsigned int i;

	split_name(name, length, &segments);
	if (segments.count == 0)
		return NAME_PLAIN;
	last = segments.words[segments.count - 1];
	before = segments.count > 1 ? segments.words[segments.count - 2] : "";
	if (!strcmp(last, "authorization") || !strcmp(last, "cookie"))
		return NAME_HEADER;
	if (is_one_of(last, about))
		return is_one_of(last, hash_words) ? NAME_HASH : NAME_PLAIN;
	for (i = 0; i < segments.count; i++) {
		if (is_one_of(segments.words[i], always_secret))
			return NAME_SECRET;
	}
	if (is_one_of(last, secret_at_the_end))
		return is_one_of(before, model_words) ? NAME_PLAIN : NAME_TOKEN;
	if (!strcmp(last, "key") && segments.count > 1 &&
	    (is_one_of(before, keys_that_are_secret) || is_upper_name(name, length)))
		return NAME_SECRET;
	if (!strcmp(last, "id") && !strcmp(before, "key"))
		return NAME_SECRET;
	return is_one_of(last, hash_words) ? NAME_HASH : NAME_PLAIN;
}

bool is_harmless_value(enum name_kind kind, const char *value, size_t length)
{
	static const char *const plain[] = {"true", "false", "none", "null",
					    "yes",  "no",    "auto", NULL};
	size_t digits = 0;
	char word[8];

	if (length == 0)
		return true;
	snprintf(word, sizeof(word), "%.*s", (int)(length < 7 ? length : 7), value);
	for (size_t i = 0; word[i]; i++)
		word[i] = (char)tolower((unsigned char)word[i]);
	if (is_one_of(word, plain) && length < sizeof(word))
		return true;
	if (kind != NAME_TOKEN)
		return false;
	while (digits < length && isdigit((unsigned char)value[digits]))
		digits++;
	return (digits == length && length <= 6) || value[0] == '/' ||
	       (value[0] == '<' && value[length - 1] == '>') ||
	       (value[0] == '[' && value[length - 1] == ']');
}

static bool is_token_character(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* What services begin their keys with, and how many characters follow at least. */
static const struct {
	const char *prefix;
	size_t least;
} prefixes[] = {
	{"ghp_", 16},        {"gho_", 16},      {"ghu_", 16},   {"ghs_", 16},     {"ghr_", 16},
	{"github_pat_", 16}, {"glpat-", 16},    {"gldt-", 16},  {"hf_", 16},      {"api_org_", 16},
	{"xoxb-", 10},       {"xoxp-", 10},     {"xoxa-", 10},  {"xoxr-", 10},    {"xoxs-", 10},
	{"xapp-", 10},       {"AIza", 30},      {"ya29.", 16},  {"npm_", 20},     {"pypi-", 20},
	{"SG.", 20},         {"r8_", 20},       {"nvapi-", 20}, {"sk_live_", 10}, {"rk_live_", 10},
	{"sk_test_", 10},    {"dckr_pat_", 10}, {"gsk_", 20},   {"AKIA", 16},     {"ASIA", 16},
	{"sk-", 20},         {"eyJ", 16},       {"dapi", 32},   {"shpat_", 16},   {"local-", 32},
};

size_t known_token_length(const char *text, size_t length)
{
	size_t look = length < LOOK_AHEAD ? length : LOOK_AHEAD, i;

	for (i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t prefix = strlen(prefixes[i].prefix), end = prefix, digits = 0,
		       separators = 0;

		if (length < prefix + prefixes[i].least || memcmp(text, prefixes[i].prefix, prefix))
			continue;
		for (; end < look && (is_token_character(text[end]) || text[end] == '.'); end++) {
			digits += isdigit((unsigned char)text[end]) != 0;
			separators += text[end] == '_' || text[end] == '-';
		}
		/* hf_transfer_of_large_models, sk-learn-contrib: words of a name. */
		if (end - prefix < prefixes[i].least || digits == 0 ||
		    separators * 8 > end - prefix)
			continue;
		while (end < length &&
		       (is_token_character(text[end]) || (text[end] && strchr(".+/=~", text[end]))))
			end++;
		return end;
	}
	return 0;
}

enum character_class { CLASS_NONE, CLASS_UPPER, CLASS_LOWER, CLASS_DIGIT };

static enum character_class class_of(char c)
{
	return isupper((unsigned char)c) ? CLASS_UPPER :
	       islower((unsigned char)c) ? CLASS_LOWER :
	       isdigit((unsigned char)c) ? CLASS_DIGIT :
					   CLASS_NONE;
}

/* A UUID names a GPU or a run; somewhere in the word, as in MIG-GPU-…/1/0. */
static bool holds_uuid(const char *word, size_t length)
{
	static const char shape[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	size_t begin, i;

	for (begin = 0; begin + sizeof(shape) - 1 <= length; begin++) {
		for (i = 0; shape[i]; i++) {
			char c = word[begin + i];

			if (shape[i] == 'x' ? !isxdigit((unsigned char)c) : c != '-')
				break;
		}
		if (!shape[i])
			return true;
	}
	return false;
}

/*
 * Random letters and digits change their class at about 6 of 10 characters, words and camelCase at
 * 1 to 3. Words of one case (hexadecimal, base 32) must be longer to be told from names with numbers.
 */
bool is_random_word(const char *word, size_t length)
{
	size_t counts[4] = {0}, changes = 0, known, i;
	enum character_class previous = CLASS_NONE;

	if (length < 20 || word[0] == '/' || word[0] == '.' || word[0] == '~' ||
	    holds_uuid(word, length))
		return false;
	for (i = 0; i < length; i++) {
		enum character_class class = class_of(word[i]);

		if (word[i] == '.')
			return false;
		counts[class]++;
		if (class == CLASS_NONE)
			continue;
		changes += previous != CLASS_NONE && class != previous;
		previous = class;
	}
	known = length - counts[CLASS_NONE];
	if (counts[CLASS_NONE] * 8 > length || counts[CLASS_DIGIT] < 2)
		return false;
	if (counts[CLASS_UPPER] >= 2 && counts[CLASS_LOWER] >= 2)
		return known >= 20 && changes * 10 >= known * 4;
	return known >= 32 && counts[CLASS_DIGIT] >= 6 && counts[CLASS_DIGIT] < known &&
	       changes * 4 >= known;
}

static bool ends_url(char c)
{
	return c == '\0' || isspace((unsigned char)c) || c == '"' || c == '\'' || c == '`';
}

size_t url_login_length(const char *text, size_t length)
{
	const char *at, *colon;
	size_t end = 0, authority;

	length = length < LOOK_AHEAD ? length : LOOK_AHEAD;
	while (end < length && !ends_url(text[end]))
		end++;
	for (authority = 0; authority < end && !strchr("/?#", text[authority]); authority++)
		;
	at = memrchr(text, '@', authority);
	colon = memchr(text, ':', at ? (size_t)(at - text) : authority);
	if (!at && colon) {
		/* A password with a slash in it, unless it is a port that stands there. */
		const char *digit = colon + 1;

		while (digit < text + authority && isdigit((unsigned char)*digit))
			digit++;
		if (digit < text + authority || digit == colon + 1)
			at = memrchr(text, '@', end);
	}
	if (!at || at == text)
		return 0;
	/* ssh://git@host names an account only. */
	if (!colon && !known_token_length(text, (size_t)(at - text)) &&
	    !is_random_word(text, (size_t)(at - text)))
		return 0;
	return (size_t)(at - text);
}

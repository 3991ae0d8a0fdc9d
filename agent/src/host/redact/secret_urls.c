// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Which parts of an address let in: a login, and the path of a webhook. */
#include "secret_words.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Bytes that are looked at to decide, so that a hostile line costs no square of its length. */
#define LOOK_AHEAD 2048

static bool ends_url(char c)
{
	return c == '\0' || isspace((unsigned char)c) || c == '"' || c == '\'' || c == '`';
}

static bool is_digits(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++) {
		if (!isdigit((unsigned char)text[i]))
			return false;
	}
	return length > 0;
}

static const char *const usual_ports[] = {
	"80",   "443",  "3000", "4000", "4317", "4318", "4873", "5000",
	"6006", "7860", "8000", "8001", "8080", "8081", "8088", "8123",
	"8443", "8786", "8787", "8888", "9000", "9090", NULL,
};

/* u:1234/abc@host could be both: then a port is one that is in use, or follows a host with dots. */
static bool is_host_and_port(const char *host, const char *colon, const char *end)
{
	size_t length = (size_t)(colon - host), i;

	if (!is_digits(colon + 1, (size_t)(end - colon) - 1))
		return false;
	if (memchr(host, '.', length) || (length == 9 && !memcmp(host, "localhost", 9)))
		return true;
	for (i = 0; usual_ports[i]; i++) {
		if (strlen(usual_ports[i]) == (size_t)(end - colon) - 1 &&
		    !memcmp(usual_ports[i], colon + 1, strlen(usual_ports[i])))
			return true;
	}
	return false;
}

/* The @ behind user:password; NULL = none. A password may have a slash or an @ in it. */
static const char *find_at(const char *text, size_t authority, size_t end)
{
	const char *at = memrchr(text, '@', authority), *colon;

	if (at)
		return at;
	colon = memchr(text, ':', authority);
	if (!colon || text[0] == '[' || is_host_and_port(text, colon, text + authority))
		return NULL;
	return memrchr(text, '@', end);
}

/* ssh://git@host names an account; to a web server only a token stands there. */
static bool is_account(const char *scheme, size_t scheme_length, const char *name, size_t length)
{
	size_t i;

	if (known_token_length(name, length) || is_random_word(name, length))
		return false;
	if (scheme_length < 4 || strncasecmp(scheme + scheme_length - 4, "http", 4)) {
		if (scheme_length < 5 || strncasecmp(scheme + scheme_length - 5, "https", 5))
			return true;
	}
	for (i = 0; i < length; i++) {
		if (!(i ? islower((unsigned char)name[i]) : isalpha((unsigned char)name[i])) &&
		    !strchr("._-", name[i]))
			return false;
	}
	return length <= 16;
}

static size_t login_length(const char *scheme, size_t scheme_length, const char *text,
			   size_t authority, size_t end)
{
	const char *at = find_at(text, authority, end);
	size_t length = at ? (size_t)(at - text) : 0;

	if (length == 0 ||
	    (!memchr(text, ':', length) && is_account(scheme, scheme_length, text, length)))
		return 0;
	return length;
}

static bool is_host(const char *text, size_t length, const char *host)
{
	size_t size = strlen(host);

	return length >= size && !strncasecmp(text + length - size, host, size) &&
	       (length == size || text[length - size - 1] == '.');
}

/* Hosts whose paths are nothing but a key. */
static bool is_key_host(const char *host, size_t length)
{
	static const char *const hosts[] = {"hc-ping.com", "webhook.site", "ntfy.sh", NULL};
	size_t i;

	for (i = 0; hosts[i]; i++) {
		if (is_host(host, length, hosts[i]))
			return true;
	}
	return false;
}

/* Words in a path after which comes who may write there; "with/key" is IFTTT's. */
static bool is_hook_word(const char *segment, size_t length)
{
	static const char *const words[] = {"hook",      "hooks", "webhook", "webhooks",
					    "webhookb2", "catch", NULL};
	char word[12];
	size_t i;

	if (length == 0 || length >= sizeof(word))
		return false;
	for (i = 0; i < length; i++)
		word[i] = (char)tolower((unsigned char)segment[i]);
	word[length] = '\0';
	return is_listed_word(word, words);
}

static size_t segment_length(const char *text, size_t length)
{
	const char *slash = memchr(text, '/', length);

	return slash ? (size_t)(slash - text) : length;
}

/* Where in a path that begins with a slash the secret part begins; its length = nowhere. */
static size_t find_hook(const char *host, size_t host_length, const char *path, size_t length)
{
	bool slack = is_host(host, host_length, "hooks.slack.com"), hook = false;
	size_t at = 1, size;

	if (length < 2)
		return length;
	if (is_key_host(host, host_length))
		return 1;
	for (; at < length; at += size + 1) {
		size = segment_length(path + at, length - at);
		if (hook && size && !is_hook_word(path + at, size))
			return at;
		if (size == 8 && !strncasecmp(path + at, "services", 8))
			hook = slack;
		else
			hook = is_hook_word(path + at, size) || slack ||
			       (size == 3 && !strncasecmp(path + at, "key", 3) && at >= 6 &&
				!strncasecmp(path + at - 6, "/with/", 6));
	}
	return length;
}

static bool ends_path(char c)
{
	return ends_url(c) || strchr("?#;,&<>(){}[]|", c);
}

void read_url(const char *scheme, size_t scheme_length, const char *text, size_t length,
	      struct url *out)
{
	size_t end = 0, authority = 0, host;

	length = length < LOOK_AHEAD ? length : LOOK_AHEAD;
	while (end < length && !ends_url(text[end]))
		end++;
	while (authority < end && !strchr("/?#", text[authority]))
		authority++;
	out->looked = end;
	out->login = login_length(scheme, scheme_length, text, authority, end);
	host = out->login ? out->login + 1 : 0;
	out->path = host;
	while (out->path < end && text[out->path] != '/' && !ends_path(text[out->path]))
		out->path++;
	out->end = out->path;
	while (out->end < end && !ends_path(text[out->end]))
		out->end++;
	for (authority = host; authority < out->path && text[authority] != ':'; authority++)
		;
	out->secret = out->path + find_hook(text + host, authority - host, text + out->path,
					    out->end - out->path);
}

bool is_secret_segment(const char *segment, size_t length)
{
	const char *colon = memchr(segment, ':', length);

	/* bot123456:AA…, as Telegram has it. */
	if (colon && length > 30 && !strncmp(segment, "bot", 3) &&
	    isdigit((unsigned char)segment[3]))
		return true;
	return known_token_length(segment, length) == length ||
	       is_mixed_random_word(segment, length);
}

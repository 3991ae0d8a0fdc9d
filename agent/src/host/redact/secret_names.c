// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What the name of an option, a variable or a key says about its value. */
#include "secret_words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MAX_SEGMENTS 12
#define SEGMENT_BYTES 20

/* A name taken apart at punctuation and at capitals, in lower case, without digits at the end. */
struct segments {
	char words[MAX_SEGMENTS][SEGMENT_BYTES];
	unsigned int count; /* the last ones, where there are more */
};

bool is_listed_word(const char *word, const char *const *list)
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
	if (length >= SEGMENT_BYTES) {
		/* What it ends with says what it is. */
		word += length - (SEGMENT_BYTES - 1);
		length = SEGMENT_BYTES - 1;
	}
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
	"password", "passwd",    "passphrase",  "passin",     "passout",     "passcode",
	"secret",   "secrets",   "credential",  "apikey",     "credentials", "accesskey",
	"bearer",   "secretkey", "privatekey",  "authkey",    "authtoken",   "accesstoken",
	"jwt",      "otp",       "totp",        "dbpass",     "userpass",    "adminpass",
	"rootpass", "smtppass",  "proxypass",   "keypass",    "storepass",   "sshpass",
	"passwort", "kennwort",  "contrasena",  "senha",      "motdepasse",  "wachtwoord",
	"pswd",     "passwrd",   "requirepass", "masterauth", "pincode",     NULL,
};
static const char *const secret_endings[] = {
	"password", "passwd", "passphrase", "secret", "apikey", "secretkey", NULL,
};
static const char *const secret_at_the_end[] = {
	"token", "pass",    "pwd", "pw",   "auth", "sig", "sas", "creds", "cred",
	"pin",   "userpwd", "pat", "pwds", "psk",  "2fa", "tfa", "mfa",   NULL,
};
static const char *const login_at_the_end[] = {"login", "user", NULL};
static const char *const keys_that_are_secret[] = {
	"api",         "access",    "secret",       "private",   "auth",        "account",
	"encryption",  "encrypt",   "decryption",   "signing",   "service",     "license",
	"licence",     "admin",     "master",       "storage",   "shared",      "client",
	"hmac",        "session",   "app",          "ssh",       "application", "host",
	"deploy",      "product",   "activation",   "write",     "jwt",         "cookie",
	"aes",         "symmetric", "sas",          "functions", "ingest",      "unseal",
	"recovery",    "fernet",    "subscription", "wallet",    "root",        "crypto",
	"integration", "server",    "webhook",      "wandb",     "comet",       "neptune",
	"openai",      "anthropic", "hf",           "hub",       "huggingface", "gemini",
	"google",      "azure",     "aws",          "gcp",       "cohere",      "mistral",
	"replicate",   "together",  "groq",         "langchain", "langsmith",   "pinecone",
	"serpapi",     "tavily",    "datadog",      "dd",        "relic",       "sentry",
	"slack",       "github",    "gitlab",       "stripe",    "sendgrid",    "mailgun",
	"twilio",      "kaggle",    "clearml",      NULL,
};
/* Of a table, a dictionary or a sample. In capitals too, where otherwise each key is secret. */
static const char *const keys_of_data[] = {
	"public",    "pub",        "sort",    "cache",    "primary", "foreign", "partition",
	"group",     "image",      "text",    "label",    "caption", "map",     "dict",
	"routing",   "registry",   "row",     "index",    "column",  "object",  "target",
	"input",     "output",     "feature", "features", "feat",    "feats",   "emb",
	"embedding", "embeddings", "rng",     "prng",     "random",  "latent",  "metric",
	"sample",    "batch",      "video",   "audio",    "mask",    "state",   "obs",
	"action",    "reward",     "prompt",  "question", "answer",  "depth",   NULL,
};
/* What a filter lets pass, and how often. */
static const char *const passes[] = {
	"low", "high",  "band",   "all",   "single", "one",
	"two", "multi", "second", "third", "full",   NULL,
};
/* Patterns, for short. */
static const char *const patterns[] = {
	"file",  "files", "glob",  "path", "match", "search", "include",  "exclude", "re",
	"regex", "shard", "split", "data", "img",   "image",  "filename", NULL,
};
/* Told in two words, or with a capital too many. */
static const char *const two_words[] = {
	"password", "passphrase", "passcode", "passwd", "pincode", "token", "passwort", NULL,
};
static const char *const codes_that_are_secret[] = {
	"access", "auth",     "authorization", "verification", "security",   "mfa",     "otp",
	"totp",   "recovery", "pin",           "invite",       "activation", "pairing", "tfa",
	"fa",     "unlock",   "confirmation",  NULL,
};
/* --password-file, SECRET_NAME, token_length: about a secret, or about something else. */
static const char *const about[] = {
	"file",     "path",      "dir",      "folder",   "type",      "length",    "len",
	"size",     "count",     "limit",    "name",     "url",       "uri",       "env",
	"policy",   "mode",      "var",      "dim",      "loss",      "min",       "max",
	"fd",       "stdin",     "prompt",   "ask",      "age",       "expiry",    "expires",
	"ttl",      "timeout",   "strength", "rotation", "enabled",   "algorithm", "method",
	"manager",  "store",     "provider", "version",  "encoder",   "field",     "column",
	"pattern",  "regex",     "reset",    "issuer",   "audience",  "header",    "claim",
	"required", "embedding", "process",  "helper",   "namespace", NULL,
};
/* Tokens of a language model. */
static const char *const model_words[] = {
	"pad",         "eos",     "bos",      "unk",      "mask",      "sep",    "cls",
	"special",     "num",     "max",      "min",      "per",       "stop",   "next",
	"image",       "start",   "end",      "new",      "begin",     "first",  "last",
	"prompt",      "of",      "by",       "n",        "target",    "text",   "additional",
	"placeholder", "source",  "video",    "audio",    "loss",      "class",  "total",
	"initializer", "input",   "output",   "speech",   "lang",      "eot",    "eom",
	"fim",         "think",   "cpu",      "thread",   "core",      "numa",   "memory",
	"gpu",         "forward", "backward", "language", "trigger",   "word",   "bpe",
	"query",       "vision",  "global",   "visual",   "learnable", "latent", "patch",
	"soft",        "virtual", "modality", "pooling",  "suppress",  "draft",  "prefix",
	"suffix",      "middle",  "train",    "eval",     NULL,
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

static bool ends_secret(const char *word)
{
	size_t length = strlen(word), i;

	for (i = 0; secret_endings[i]; i++) {
		size_t ending = strlen(secret_endings[i]);

		if (length >= ending && !strcmp(word + length - ending, secret_endings[i]))
			return true;
	}
	return false;
}

static void to_singular(const char *word, char out[SEGMENT_BYTES])
{
	size_t length = strlen(word);

	snprintf(out, SEGMENT_BYTES, "%.*s",
		 (int)(length - (length > 1 && word[length - 1] == 's')), word);
}

static bool names_secret(const struct segments *segments)
{
	unsigned int i;

	for (i = 0; i < segments->count; i++) {
		char one[SEGMENT_BYTES];

		to_singular(segments->words[i], one);
		if (is_listed_word(segments->words[i], always_secret) ||
		    is_listed_word(one, always_secret) || ends_secret(one))
			return true;
		/* fs.azure.account.key.NAME.dfs.core.windows.net */
		if (i + 2 < segments->count && !strcmp(segments->words[i], "account") &&
		    !strcmp(segments->words[i + 1], "key") &&
		    !strcmp(segments->words[segments->count - 1], "net"))
			return true;
	}
	return false;
}

/* pass_word, toKen. */
static bool is_in_two_words(const char *before, const char *last)
{
	size_t begin = strlen(before), i;

	for (i = 0; begin && two_words[i]; i++) {
		if (!strncmp(two_words[i], before, begin) && !strcmp(two_words[i] + begin, last))
			return true;
	}
	return false;
}

/* --api-key, --sort-key, --key. */
static enum name_kind classify_key(const char *before, bool upper)
{
	if (is_listed_word(before, keys_that_are_secret))
		return NAME_SECRET;
	if (is_listed_word(before, keys_of_data))
		return NAME_PLAIN;
	return upper && before[0] ? NAME_SECRET : NAME_KEY;
}

static bool is_webhook(const char *last, const char *before)
{
	static const char *const hooks[] = {"webhook", "webhooks", "hook", NULL};
	static const char *const places[] = {"url", "uri", "endpoint", NULL};

	return is_listed_word(last, hooks) ||
	       (is_listed_word(last, places) && is_listed_word(before, hooks));
}

/* hftoken; tokens are counted more often than kept. */
static bool is_token_word(const char *last)
{
	size_t length = strlen(last);

	return is_listed_word(last, secret_at_the_end) ||
	       (length > 6 && !strcmp(last + length - 5, "token"));
}

/* low-pass and glob-pat sound like it. */
static bool sounds_like_token(const char *last, const char *before)
{
	return (!strcmp(last, "pass") && is_listed_word(before, passes)) ||
	       (!strcmp(last, "pat") && is_listed_word(before, patterns));
}

static enum name_kind classify_token(const char *last, const char *before)
{
	static const char *const short_ones[] = {"pin", "psk", "2fa", "tfa", "mfa", NULL};

	if (is_listed_word(before, model_words) || sounds_like_token(last, before))
		return NAME_PLAIN;
	return is_listed_word(last, short_ones) ? NAME_SECRET : NAME_TOKEN;
}

/* Of what a name ends with; the words before it said nothing. */
static enum name_kind classify_end(const struct segments *segments, const char *last,
				   const char *before, bool upper)
{
	if (!strcmp(last, "pass") && !strcmp(before, "user"))
		return NAME_SECRET;
	if (is_token_word(last))
		return classify_token(last, before);
	if (!strcmp(last, "tokens"))
		return is_listed_word(before, model_words) ? NAME_PLAIN : NAME_TOKENS;
	if (is_in_two_words(before, last))
		return NAME_SECRET;
	if (is_listed_word(last, login_at_the_end))
		return NAME_LOGIN;
	if (!strcmp(last, "keys") && is_listed_word(before, keys_that_are_secret))
		return NAME_SECRET;
	/* A model's has a name: serving_default. */
	if (!strcmp(last, "signature"))
		return NAME_KEY;
	if (!strcmp(last, "key"))
		return classify_key(before, upper);
	if (!strcmp(last, "id") && !strcmp(before, "key") && segments->count > 2 &&
	    !strcmp(segments->words[segments->count - 3], "access"))
		return NAME_SECRET;
	/* DeepSpeed's list of hosts, in base 64. */
	if (!strcmp(last, "info") && !strcmp(before, "world"))
		return NAME_HASH;
	return is_listed_word(last, hash_words) ? NAME_HASH : NAME_PLAIN;
}

enum name_kind classify_name(const char *name, size_t length)
{
	struct segments segments;
	const char *last, *before;

	split_name(name, length, &segments);
	/* --token-value */
	if (segments.count > 1 && !strcmp(segments.words[segments.count - 1], "value"))
		segments.count--;
	if (segments.count == 0)
		return NAME_PLAIN;
	last = segments.words[segments.count - 1];
	before = segments.count > 1 ? segments.words[segments.count - 2] : "";
	if (!strcmp(last, "authorization") || !strcmp(last, "cookie"))
		return NAME_HEADER;
	if (is_webhook(last, before))
		return NAME_WEBHOOK;
	if (is_listed_word(last, about))
		return is_listed_word(last, hash_words) ? NAME_HASH : NAME_PLAIN;
	/* A descriptor, as multiprocessing hands it on. */
	if (!strcmp(before, "authkey") && (!strcmp(last, "r") || !strcmp(last, "w")))
		return NAME_TOKEN;
	if (names_secret(&segments) || ((!strcmp(last, "code") || !strcmp(last, "codes")) &&
					is_listed_word(before, codes_that_are_secret)))
		return NAME_SECRET;
	return classify_end(&segments, last, before, is_upper_name(name, length));
}

bool is_name_by_itself(const char *name, size_t length)
{
	static const char *const alone[] = {
		"password", "passphrase", "requirepass", "masterauth", "authtoken", "bearer", NULL,
	};
	struct segments segments;

	if (length == 0 || !isalpha((unsigned char)name[0]) || memchr(name, '.', length))
		return false;
	split_name(name, length, &segments);
	if (segments.count == 1)
		return is_listed_word(segments.words[0], alone);
	return segments.count > 1 && classify_name(name, length) == NAME_SECRET &&
	       (memchr(name, '_', length) || memchr(name, '-', length) || !is_upper_name(name, 1));
}

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What names and words of a command line say about secrets. For redact.c. */
#ifndef STALLTRACE_SECRET_WORDS_H
#define STALLTRACE_SECRET_WORDS_H

#include <stdbool.h>
#include <stddef.h>

enum name_kind {
	NAME_PLAIN,
	NAME_HASH,  /* its value is a hash or an id: long and random, but no secret */
	NAME_TOKEN, /* secret, unless its value is a small number or a marker such as </s> */
	NAME_SECRET,
	NAME_HEADER, /* Authorization, Cookie: all that follows is secret */
};

/* Of an option, a variable or a key, with dashes before it: --api-key, HF_TOKEN, dbPassword. */
enum name_kind classify_name(const char *name, size_t length);

/* Whether the value of such a name may stay: true, none, 512, </s>, a path after PWD. */
bool is_harmless_value(enum name_kind kind, const char *value, size_t length);

/* Bytes at the start of the text that are a token of a known form (ghp_…, AKIA…, a JWT); 0 = none. */
size_t known_token_length(const char *text, size_t length);

/* Whether a whole word looks random: a key rather than a name, number, path, UUID. */
bool is_random_word(const char *word, size_t length);

/* Bytes of user:password before the @ of what follows "://"; 0 = none. */
size_t url_login_length(const char *text, size_t length);

#endif /* STALLTRACE_SECRET_WORDS_H */

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What names, values, words and addresses of a command line say about secrets. For redact.c. */
#ifndef STALLTRACE_SECRET_WORDS_H
#define STALLTRACE_SECRET_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* From NAME_WEBHOOK on the value may be a secret. */
enum name_kind {
	NAME_PLAIN,
	NAME_HASH,    /* its value is a hash or an id: long and random, but no secret */
	NAME_WEBHOOK, /* whoever knows the path of such an address may write there */
	NAME_LOGIN,   /* secret where it is user:password */
	NAME_KEY,     /* of a door or of a table: secret where it looks like the first */
	NAME_TOKENS,  /* secret, unless its value is a number: how many there are */
	NAME_TOKEN,   /* secret, unless its value is a small number or a marker such as </s> */
	NAME_SECRET,
	NAME_HEADER, /* Authorization, Cookie: all that follows is secret */
};

/* Of an option, a variable or a key, with dashes before it: --api-key, HF_TOKEN, dbPassword. */
enum name_kind classify_name(const char *name, size_t length);

/* Whether such a name tells of its value also where neither dashes nor a sign do: requirepass x. */
bool is_name_by_itself(const char *name, size_t length);

/* Whether the value of such a name may stay: true, none, 512, </s>, $TOKEN, /run/secrets/x. */
bool is_harmless_value(enum name_kind kind, const char *value, size_t length);

/* HF_TOKEN: capitals, digits and underscores. */
bool is_variable_name(const char *text, size_t length);

/* Bytes at the start of the text that are a token of a known form (ghp_…, AKIA…, a JWT); 0 = none. */
size_t known_token_length(const char *text, size_t length);

/* Bytes at the start of the text that are a hashed password: $6$salt$hash; 0 = none. */
size_t password_hash_length(const char *text, size_t length);

/* Whether a whole word looks random: a key rather than a name, number, path, UUID. */
bool is_random_word(const char *word, size_t length);

/* The same, in letters of both cases: no hash. */
bool is_mixed_random_word(const char *word, size_t length);

bool is_hexadecimal(const char *word, size_t length);

/* Whether a word is user:password in base 64, as it follows "Basic". */
bool is_basic_login(const char *word, size_t length);

/* What follows "://", as far as it has to be read to hide what is secret in it. */
struct url {
	size_t login;  /* bytes of user:password before the @; 0 = none */
	size_t path;   /* where the path begins */
	size_t secret; /* where the part of the path begins that lets in; = end: nowhere */
	size_t end;    /* of the path: a query, a blank or a quote follows */
	size_t looked; /* bytes that were read for that */
};
void read_url(const char *scheme, size_t scheme_length, const char *text, size_t length,
	      struct url *out);

/* Whether one part of a path is a key: a random word, a token of a known form. */
bool is_secret_segment(const char *segment, size_t length);

/* A letter that is known to stand before a password. */
struct password_option {
	const char *program;
	char letter;
	bool joined, separate;
	char must_hold; /* the value is a secret only with this in it */
	bool after_login;
};

/* The program that a word starts, of those that have options or habits of their own; NULL = none. */
const char *known_program(const char *word, size_t length);
const struct password_option *find_password_option(const char *program, char letter, bool login);
/* Its arguments are hashes and ids. */
bool program_takes_ids(const char *program);
/* user/password@place is what it takes. */
bool program_takes_slash_login(const char *program);
/* The word that many words behind it is a password. */
bool program_has_password_at(const char *program, unsigned int place);
/* user:group is what it takes. */
bool program_takes_accounts(const char *program);

bool is_listed_word(const char *word, const char *const *list);

#endif /* STALLTRACE_SECRET_WORDS_H */

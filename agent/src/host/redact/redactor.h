/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What the parts of redact.c share: the text that is written, and what was read so far. */
#ifndef STALLTRACE_REDACTOR_H
#define STALLTRACE_REDACTOR_H

#include "secret_words.h"

struct redactor {
	char *out;
	size_t out_length, out_capacity;
	size_t steps; /* left: bytes that may still be looked at twice */
	int count;
	bool out_of_memory;
	const char *argument; /* that is read: to look at what stands before */
	/* Where the argument's first name begins, and the one after its first sign. */
	size_t signs, second_name;
	bool code;              /* the argument is code: a value ends where a word does */
	bool phrase;            /* it has blanks: options and their values may stand in it */
	bool next_is_code;      /* -c stood before it */
	bool login;             /* the word "login" came */
	enum name_kind pending; /* of the option whose value comes next */
	unsigned int words;     /* behind the program, options not counted */
	const char *program;    /* of those that known_program() knows; NULL = none of them */
	/* Whose value comes next. */
	const struct password_option *password_next;
};

void redactor_put(struct redactor *redactor, const char *text, size_t length);
void redactor_hide(struct redactor *redactor);
/* False where the text was made to be looked at again and again. */
bool redactor_may_look(struct redactor *redactor, size_t bytes);

bool is_quote(char c);
bool is_name_character(char c);
bool ends_word(char c);
size_t name_length(const char *text, size_t length);
/* Bytes of — and its like at the text's begin, which editors make of two dashes. */
size_t long_dash_length(const char *text, size_t length);
/* Whether what begins with a dash is still the value of such a name, and no option. */
bool is_dashed_value(enum name_kind kind, const char *text, size_t length);
/* Bytes up to the next blank, quote or sign that ends a word. */
size_t word_length(const char *text, size_t length);
/* Bytes from the end of a name to its value in `name = "value"`, `"name": value`; 0 = no such. */
size_t assignment_length(const char *text, size_t length);

/*
 * Each writes what stands at the text's begin without the secret in it. Bytes consumed; 0 = nothing
 * secret begins here, and nothing was written.
 */
size_t take_value(struct redactor *redactor, enum name_kind kind, const char *text, size_t length,
		  bool to_end);
size_t take_named(struct redactor *redactor, const char *text, size_t length, size_t name,
		  bool opens);
/* own: the word is an argument of its own. */
size_t take_option(struct redactor *redactor, const char *text, size_t length, bool own);
size_t take_url(struct redactor *redactor, const char *text, size_t length, size_t name,
		bool whole_path);
size_t take_login(struct redactor *redactor, const char *text, size_t length, size_t name,
		  char before);
/* Of a known form: a private key, `Bearer …`, a hashed password. */
size_t take_form(struct redactor *redactor, const char *text, size_t length);
size_t take_random(struct redactor *redactor, const char *text, size_t length);

#endif /* STALLTRACE_REDACTOR_H */

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Any user may start a program with a command line that is made to take time. What redact_arguments
 * does for one is counted here, in branches taken and bytes searched: it grows with the line's length,
 * not with its square. The Makefile builds the sources for that with -fsanitize-coverage=trace-pc.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../src/host/proc.h"

#define BYTES 8192
/* For one byte. The worst of these takes 1300; a square takes 6000 and more. */
#define MOST_WORK 3000

static uint64_t work;

void __sanitizer_cov_trace_pc(void);
__attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_pc(void)
{
	work++;
}

void *__real_memchr(const void *text, int c, size_t length);
void *__wrap_memchr(const void *text, int c, size_t length);
void *__wrap_memchr(const void *text, int c, size_t length)
{
	const char *found = __real_memchr(text, c, length);

	work += found ? (size_t)(found - (const char *)text) : length;
	return (void *)found;
}

void *__real_memrchr(const void *text, int c, size_t length);
void *__wrap_memrchr(const void *text, int c, size_t length);
void *__wrap_memrchr(const void *text, int c, size_t length)
{
	const char *found = __real_memrchr(text, c, length);

	work += found ? length - (size_t)(found - (const char *)text) : length;
	return (void *)found;
}

/* What stands before the piece: a program with habits of its own, code, the option before a value. */
static const char *const begins[] = {
	"x|",
	"x|-c|",
	"sqlplus|",
	"mysql|",
	"mysql|-p|",
	"docker|login|",
	"curl|",
	"htpasswd|",
	"xfreerdp|",
	"git|",
	"x|--token|",
	"x|--token|'",
	"x|--hook|",
	"x|--login|",
	"x|--key|",
	"x|--header|Cookie: ",
	"sh|-c|sqlplus ",
	"sh|-c|mysql ",
	"sh|-c|sudo -S <<< ",
};
static const char *const pieces[] = {
	"a",
	"a/",
	"a/a@",
	"a.",
	"a\\ ",
	"user=!!",
	"a://?",
	"x:!!a",
	"token=(",
	"token=[a",
	"sk-",
	"-p'",
	"-p\\(",
	"=",
	"echo -n ",
	"printf a ",
	"a=\"",
	"${",
	"$a$",
	"$6$a",
	"\\",
	"https://u:/@",
	"a_key=",
	"\n",
	"+",
	"hook=!",
	"hook=a://",
	"thin:a/",
	"12345678:AA",
	"bearer a!",
	"a\"'",
	"\\\"a:\\\"",
	"tokens=[!",
	"f'",
	"f\"",
	"$'",
	"-password ",
	"\xe2\x80\x94token ",
	"str(",
	"token=str(",
	"setdefault('",
	"eyJa.",
	"login ",
	"/p:a",
	"a:b@",
	"eyJaaaaaaaaaaaaa1.",
	"eyJaaaaaaaaaaaaa1/",
	"hook=a(",
	"$1$a",
	"$1$a,",
	"docker login ",
	"user:a ",
	"password -",
	"password -\\ ",
	"\"A_KEY\", ",
	"\"A_KEY\", \"",
	"token=[",
	"list of: [",
	"<<<",
};

#define COUNT(list) (sizeof(list) / sizeof(*(list)))
/* Of pieces put together by chance, always the same. */
#define MIXED 400

static uint32_t chance(uint32_t below)
{
	static uint32_t state = 2463534242u;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state % below;
}

static size_t repeat(char *text, const char *begin, const char *piece)
{
	size_t at = 0, size = strlen(piece);

	for (; *begin; begin++)
		text[at++] = *begin == '|' ? '\0' : *begin;
	for (; at + size <= BYTES; at += size)
		memcpy(text + at, piece, size);
	return at;
}

struct result {
	unsigned int lines, failed;
	uint64_t most; /* for each byte */
};

static void measure(const char *begin, const char *piece, struct result *result)
{
	static char text[12 * BYTES];
	size_t length = repeat(text, begin, piece);
	uint64_t each;

	work = 0;
	redact_arguments(text, &length, sizeof(text));
	each = work / BYTES;
	result->lines++;
	result->most = each > result->most ? each : result->most;
	if (each <= MOST_WORK)
		return;
	fprintf(stderr, "%s and %s over and over: %llu for each byte\n", begin, piece,
		(unsigned long long)each);
	result->failed++;
}

/* With a number: that many mixed ones, to search for more. */
int main(int argc, char **argv)
{
	int mixed = argc > 1 ? atoi(argv[1]) : MIXED;
	struct result result = {0};
	char piece[128];

	for (size_t i = 0; i < COUNT(begins); i++) {
		for (size_t j = 0; j < COUNT(pieces); j++)
			measure(begins[i], pieces[j], &result);
	}
	for (int i = 0; i < mixed; i++) {
		snprintf(piece, sizeof(piece), "%s%s%s", pieces[chance(COUNT(pieces))],
			 pieces[chance(COUNT(pieces))],
			 chance(2) ? pieces[chance(COUNT(pieces))] : "");
		measure(begins[chance(COUNT(begins))], piece, &result);
	}
	printf("work: %u lines, %llu for each byte at most, %u failed\n", result.lines,
	       (unsigned long long)result.most, result.failed);
	/* Where nothing was counted, the sources were not built to tell. */
	return result.failed || result.most < 10 ? EXIT_FAILURE : EXIT_SUCCESS;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Which words are secrets by how they look. */
#include "secret_words.h"

#include <ctype.h>
#include <string.h>

/* Bytes that are looked at to decide, so that a hostile line costs no square of its length. */
#define LOOK_AHEAD 256

static bool is_token_character(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* What services begin their keys with, and how many characters follow at least. */
static const struct {
	const char *prefix;
	size_t least;
	bool in_groups; /* its parts are too short to look random by themselves */
} prefixes[] = {
	{"ghp_", 16, false},       {"gho_", 16, false},
	{"ghu_", 16, false},       {"ghs_", 16, false},
	{"ghr_", 16, false},       {"github_pat_", 16, false},
	{"glpat-", 16, false},     {"gldt-", 16, false},
	{"glrt-", 16, false},      {"glptt-", 16, false},
	{"glft-", 16, false},      {"glcbt-", 16, false},
	{"glsoat-", 16, false},    {"gloas-", 16, false},
	{"hf_", 16, false},        {"api_org_", 16, false},
	{"xoxb-", 10, true},       {"xoxp-", 10, true},
	{"xoxa-", 10, true},       {"xoxr-", 10, true},
	{"xoxs-", 10, true},       {"xoxe-", 10, true},
	{"xoxc-", 10, true},       {"xoxd-", 10, true},
	{"xapp-", 10, true},       {"AIza", 30, false},
	{"ya29.", 16, false},      {"GOCSPX-", 16, false},
	{"npm_", 20, false},       {"pypi-", 20, false},
	{"SG.", 20, false},        {"r8_", 20, false},
	{"nvapi-", 20, false},     {"sk_live_", 10, false},
	{"rk_live_", 10, false},   {"sk_test_", 10, false},
	{"rk_test_", 10, false},   {"whsec_", 16, false},
	{"dckr_pat_", 10, false},  {"dckr_oat_", 10, false},
	{"gsk_", 20, false},       {"AKIA", 16, false},
	{"ASIA", 16, false},       {"ABIA", 16, false},
	{"LTAI", 16, false},       {"AKID", 24, false},
	{"sk-", 20, false},        {"sess-", 24, false},
	{"xai-", 24, false},       {"pplx-", 24, false},
	{"fw_", 20, false},        {"tgp_v1_", 20, false},
	{"eyJ", 16, false},        {"dapi", 32, false},
	{"shpat_", 16, false},     {"shpss_", 16, false},
	{"shpca_", 16, false},     {"local-", 32, false},
	{"wandb_v1_", 20, false},  {"hvs.", 16, false},
	{"hvb.", 16, false},       {"dop_v1_", 20, false},
	{"doo_v1_", 20, false},    {"tskey-", 16, true},
	{"glsa_", 20, false},      {"glc_", 20, false},
	{"NRAK-", 20, false},      {"sntrys_", 20, false},
	{"sntryu_", 20, false},    {"lsv2_pt_", 16, false},
	{"lsv2_sk_", 16, false},   {"pcsk_", 20, false},
	{"jina_", 20, false},      {"tvly-", 16, false},
	{"rpa_", 24, false},       {"lin_api_", 16, false},
	{"ntn_", 20, false},       {"figd_", 16, false},
	{"PMAK-", 20, false},      {"ATATT3", 20, false},
	{"sbp_", 20, false},       {"pscale_tkn_", 16, false},
	{"pscale_pw_", 16, false}, {"nfp_", 20, false},
	{"rubygems_", 20, false},  {"ops_eyJ", 16, false},
	{"apify_api_", 16, false}, {"AGE-SECRET-KEY-1", 20, false},
	{"EAAC", 40, false},       {"sq0csp-", 16, false},
	{"HRKU-", 20, true},       {"key-", 32, false},
};

/* Whether a part between separators mixes letters with digits, or their cases: no word of a name. */
static bool holds_mixed_run(const char *text, size_t length)
{
	size_t size = 0, digits = 0, upper = 0, lower = 0, i;

	for (i = 0; i <= length; i++) {
		unsigned char c = i < length ? (unsigned char)text[i] : '_';

		if (isalnum(c)) {
			size++;
			digits += isdigit(c) != 0;
			upper += isupper(c) != 0;
			lower += islower(c) != 0;
			continue;
		}
		if (size >= 10 &&
		    ((digits >= 1 && upper + lower >= 1) || (upper >= 3 && lower >= 3)))
			return true;
		size = digits = upper = lower = 0;
	}
	return false;
}

static bool holds_digit(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++) {
		if (isdigit((unsigned char)text[i]))
			return true;
	}
	return false;
}

/* All JSON in base 64 begins with eyJ; a web token has three parts, of which the second may be long. */
static bool is_web_token(const char *text, size_t length, size_t look)
{
	const char *dot = memchr(text, '.', length);

	return dot && (length == look || memchr(dot + 1, '.', length - (size_t)(dot + 1 - text)));
}

size_t known_token_length(const char *text, size_t length)
{
	size_t look = length < LOOK_AHEAD ? length : LOOK_AHEAD, i;

	for (i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t prefix, end;

		if (length < 2 || text[0] != prefixes[i].prefix[0] ||
		    text[1] != prefixes[i].prefix[1])
			continue;
		prefix = end = strlen(prefixes[i].prefix);
		if (length < prefix + prefixes[i].least || memcmp(text, prefixes[i].prefix, prefix))
			continue;
		while (end < look && (is_token_character(text[end]) || text[end] == '.'))
			end++;
		/* hf_transfer_of_large_models, sk-learn-contrib: words of a name. */
		if (end - prefix < prefixes[i].least ||
		    !(prefixes[i].in_groups ? holds_digit(text + prefix, end - prefix) :
					      holds_mixed_run(text + prefix, end - prefix)))
			continue;
		if (!strcmp(prefixes[i].prefix, "eyJ") && !is_web_token(text, end, look))
			return 0;
		while (end < length &&
		       (is_token_character(text[end]) || (text[end] && strchr(".+/=~", text[end]))))
			end++;
		return end;
	}
	return 0;
}

/* What crypt(3) and its kin call their ways to hash; $EXP$RUN are variables. */
static bool is_hash_kind(const char *kind, size_t length)
{
	static const char *const kinds[] = {"1",    "2", "2a", "2b", "2x", "2y",  "3",
					    "5",    "6", "7",  "y",  "gy", "md5", "sha1",
					    "apr1", "P", "H",  "S",  NULL};
	static const char *const begins[] = {"argon2", "pbkdf2", "scrypt", "bcrypt",
					     "sha256", "sha512", NULL};
	size_t i;

	for (i = 0; kinds[i]; i++) {
		if (strlen(kinds[i]) == length && !memcmp(kinds[i], kind, length))
			return true;
	}
	for (i = 0; begins[i]; i++) {
		if (length >= strlen(begins[i]) && !memcmp(kind, begins[i], strlen(begins[i])))
			return true;
	}
	return false;
}

size_t password_hash_length(const char *text, size_t length)
{
	size_t end = 1, dollars = 0, kind = 0;

	if (length < 12 || text[0] != '$')
		return 0;
	while (kind + 1 < length && kind < 16 &&
	       (isalnum((unsigned char)text[kind + 1]) || text[kind + 1] == '-'))
		kind++;
	if (kind == 0 || kind + 1 == length || text[kind + 1] != '$' ||
	    !is_hash_kind(text + 1, kind))
		return 0;
	for (; end < length &&
	       (isalnum((unsigned char)text[end]) || (text[end] && strchr("$./=,+-", text[end])));
	     end++)
		dollars += text[end] == '$';
	return end - kind >= 10 && dollars >= 2 ? end : 0;
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

struct make_up {
	size_t counts[4];
	size_t changes; /* from one class to another */
	size_t dots;
};

static void examine(const char *word, size_t length, struct make_up *out)
{
	enum character_class previous = CLASS_NONE;
	size_t i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < length; i++) {
		enum character_class class = class_of(word[i]);

		out->dots += word[i] == '.';
		out->counts[class]++;
		if (class == CLASS_NONE)
			continue;
		out->changes += previous != CLASS_NONE && class != previous;
		previous = class;
	}
}

/* id.time.code, each in base 64: what Discord gives to bots. */
static bool is_dotted_token(const char *word, size_t length)
{
	const char *first = memchr(word, '.', length);
	const char *second = first ? memchr(first + 1, '.', length - (size_t)(first + 1 - word)) :
				     NULL;
	size_t last = second ? length - (size_t)(second + 1 - word) : 0;

	return second && first - word >= 18 && first - word <= 40 && second - first >= 6 &&
	       second - first <= 9 && last >= 25 && is_mixed_random_word(second + 1, last);
}

bool is_mixed_random_word(const char *word, size_t length)
{
	struct make_up made;
	size_t known;

	if (length < 20 || holds_uuid(word, length))
		return false;
	examine(word, length, &made);
	known = length - made.counts[CLASS_NONE];
	return made.dots == 0 && made.counts[CLASS_NONE] * 8 <= length &&
	       made.counts[CLASS_DIGIT] >= 2 && made.counts[CLASS_UPPER] >= 2 &&
	       made.counts[CLASS_LOWER] >= 2 && known >= 20 && made.changes * 10 >= known * 4;
}

/*
 * Random letters and digits change their class at about 6 of 10 characters, words and camelCase at
 * 1 to 3. Words of one case (hexadecimal, base 32) must be longer to be told from names with numbers.
 */
bool is_random_word(const char *word, size_t length)
{
	struct make_up made;
	size_t known;

	if (length < 20 || word[0] == '/' || word[0] == '.' || word[0] == '~')
		return false;
	if (is_mixed_random_word(word, length) || is_dotted_token(word, length))
		return true;
	examine(word, length, &made);
	known = length - made.counts[CLASS_NONE];
	if (made.dots || made.counts[CLASS_NONE] * 8 > length || holds_uuid(word, length) ||
	    (made.counts[CLASS_UPPER] >= 2 && made.counts[CLASS_LOWER] >= 2))
		return false;
	return known >= 32 && made.counts[CLASS_DIGIT] >= 6 && made.counts[CLASS_DIGIT] < known &&
	       made.changes * 4 >= known;
}

bool is_hexadecimal(const char *word, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++) {
		if (!isxdigit((unsigned char)word[i]))
			return false;
	}
	return length > 0;
}

bool is_basic_login(const char *word, size_t length)
{
	struct make_up made;
	size_t padding = 0;

	while (padding < 2 && padding < length && word[length - 1 - padding] == '=')
		padding++;
	for (size_t i = 0; i < length - padding; i++) {
		if (!isalnum((unsigned char)word[i]) && word[i] != '+' && word[i] != '/')
			return false;
	}
	examine(word, length, &made);
	return length >= 8 && length % 4 == 0 && made.counts[CLASS_LOWER] > 0 &&
	       (padding || made.changes * 4 >= length);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What json.c writes, json_read.c takes and reads back, whatever the bytes. */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../src/cli/text/json.h"
#include "../src/cli/text/json_read.h"

static uint32_t seed = 0x5eed5eed;

static uint32_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

static void writes_values(void)
{
	struct json json = {0};

	json_open_object(&json, NULL);
	json_text(&json, "text", "a \"b\" \\ \n\t\x01\x7f");
	json_text(&json, "none", NULL);
	json_integer(&json, "least", INT64_MIN);
	json_unsigned(&json, "most", UINT64_MAX);
	json_number(&json, "half", 0.5);
	json_number(&json, "endless", INFINITY);
	json_number(&json, "nan", NAN);
	json_open_array(&json, "list");
	json_boolean(&json, NULL, true);
	json_open_object(&json, NULL);
	json_close_object(&json);
	json_open_array(&json, NULL);
	json_close_array(&json);
	json_null(&json, NULL);
	json_close_array(&json);
	json_raw(&json, "raw", "{\"x\":1}");
	json_close_object(&json);
	assert(!json.failed && !json.depth);
	assert(!strcmp(json.text,
		       "{\"text\":\"a \\\"b\\\" \\\\ \\n\\t\\u0001\\u007f\",\"none\":null,"
		       "\"least\":-9223372036854775808,\"most\":18446744073709551615,"
		       "\"half\":0.5,\"endless\":null,\"nan\":null,"
		       "\"list\":[true,{},[],null],\"raw\":{\"x\":1}}"));
	assert(json_is_object(json.text));
	json_free(&json);
	assert(!json.text);
}

static void replaces_what_is_not_utf8(void)
{
	static const char *const cases[][2] = {
		{"caf\xc3\xa9", "\"caf\xc3\xa9\""},
		{"\xf0\x9f\x94\xa5", "\"\xf0\x9f\x94\xa5\""},
		{"a\xff"
		 "b",
		 "\"a\xef\xbf\xbd"
		 "b\""},
		{"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},                 /* overlong */
		{"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, /* surrogate */
		{"\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\""},                 /* cut off */
		{"\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct json json = {0};

		json_text(&json, NULL, cases[i][0]);
		assert(!strcmp(json.text, cases[i][1]));
		json_free(&json);
	}
}

static void refuses_an_unopened_close(void)
{
	struct json json = {0};

	json_close_object(&json);
	assert(json.failed && json_print_line(&json, 1) == -ENOMEM);
	json_free(&json);
}

/* Any bytes as key and value: one valid object, and the value comes back up to replaced bytes. */
static void survives_any_text(void)
{
	struct json json = {0};

	for (int round = 0; round < 20000; round++) {
		char text[64], back[512];
		size_t length = next_random() % (sizeof(text) - 1);
		bool ascii = round % 2;

		for (size_t i = 0; i < length; i++)
			text[i] = (char)(ascii ? 1 + next_random() % 127 : 1 + next_random() % 255);
		text[length] = '\0';
		json_reset(&json);
		json_open_object(&json, NULL);
		json_text(&json, text, text);
		json_text(&json, "value of ours", text);
		json_close_object(&json);
		assert(json_is_object(json.text));
		assert(!strchr(json.text, '\n'));
		assert(!json_find_text(json.text, "value of ours", back, sizeof(back)));
		assert(!ascii || !strcmp(back, text));
	}
	json_free(&json);
}

/* A valid text with bytes changed or cut: an answer, and no byte read outside. */
static void survives_damage(void)
{
	static const char whole[] =
		"{\"pid\":12,\"boot_id\":\"a\\u0041\\n\",\"list\":[1,-2.5e3,{\"x\":null}]}";

	for (int round = 0; round < 200000; round++) {
		size_t length = next_random() % sizeof(whole);
		char *copy = malloc(length + 1), out[16];
		uint64_t number;

		assert(copy);
		memcpy(copy, whole, length);
		copy[length] = '\0';
		for (uint32_t changes = next_random() % 4; length && changes; changes--)
			copy[next_random() % length] =
				"{}[]\",:\\u0-.e x\x01\xff"[next_random() % 18];
		json_is_object(copy);
		json_find_text(copy, "boot_id", out, sizeof(out));
		json_find_unsigned(copy, "pid", &number);
		free(copy);
	}
}

static void reads_members(void)
{
	static const char text[] = "{ \"in\":{\"pid\":1},\"pid\":7, \"big\":18446744073709551616,"
				   "\"half\":0.5,\"minus\":-1,\"t\":\"a\\\\n\\\"\\u001b\"}";
	char out[16] = "kept", small[3] = "";
	uint64_t number = 0;

	assert(!json_find_unsigned(text, "pid", &number) && number == 7);
	assert(json_find_unsigned(text, "big", &number) == -EINVAL);
	assert(json_find_unsigned(text, "half", &number) == -EINVAL);
	assert(json_find_unsigned(text, "minus", &number) == -EINVAL);
	assert(json_find_unsigned(text, "t", &number) == -EINVAL);
	assert(json_find_text(text, "absent", out, sizeof(out)) == -ENOENT && !strcmp(out, "kept"));
	assert(json_find_text(text, "t", small, sizeof(small)) == -EINVAL && !small[0]);
	assert(!json_find_text(text, "t", out, sizeof(out)) && !strcmp(out, "a\\n\"\x1b"));
}

static void knows_an_object(void)
{
	static const char *const bad[] = {"",
					  "null",
					  "[]",
					  "{",
					  "{}x",
					  "{\"a\"}",
					  "{\"a\":}",
					  "{,}",
					  "{\"a\":1,}",
					  "{\"a\":01}",
					  "{\"a\":\"\x01\"}",
					  "{\"a\":\"\\x\"}",
					  "{\"a\":\"\\u12g4\"}",
					  "{\"a\":tru}",
					  "{\"a\":[1 2]}"};
	char deep[200] = "{\"a\":";

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert(!json_is_object(bad[i]));
	assert(json_is_object(" { } \n") &&
	       json_is_object("{\"a\":[1,2.5,-3e+4,\"\\u00e9\",false]}"));
	memset(deep + 5, '[', 90);
	memset(deep + 95, ']', 90);
	memcpy(deep + 185, "}", 2);
	assert(!json_is_object(deep));
}

int main(void)
{
	writes_values();
	replaces_what_is_not_utf8();
	refuses_an_unopened_close();
	survives_any_text();
	survives_damage();
	reads_members();
	knows_an_object();
	puts("json: ok");
	return 0;
}

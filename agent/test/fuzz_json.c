// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Any bytes as a run's JSON and as a request to `send`: no overrun, and values within their bounds. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "../src/cli/text/json_read.h"
#include "../src/cli/send/send_request.h"

#define FILE_BYTES 100000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_as_json(const char *text)
{
	char out[16];
	uint64_t number;
	size_t length;
	const char *object;

	if (!json_is_object(text))
		return;
	if (json_find_text(text, "a", out, sizeof(out)) == 0 && strlen(out) >= sizeof(out))
		abort();
	json_find_unsigned(text, "a", &number);
	json_find_true(text, "a");
	object = json_find_object(text, "a", &length);
	if (object && (object < text || object + length > text + strlen(text)))
		abort();
}

static void read_as_request(const char *line)
{
	struct send_request request;
	char message[64];

	if (send_request_parse(line, FILE_BYTES, &request, message, sizeof(message)) != 0 ||
	    request.kind != REQUEST_FRAME)
		return;
	if (request.length > SEND_MAX_LENGTH || request.offset > FILE_BYTES ||
	    request.length > FILE_BYTES - request.offset || request.level < 0 ||
	    request.level > SEND_MAX_LEVEL)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	read_as_json(text);
	read_as_request(text);
	free(text);
	return 0;
}

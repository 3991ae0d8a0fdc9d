// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "block_device.h"

#include <stdio.h>
#include <string.h>
#include "file_text.h"

void block_device_name(unsigned int major, unsigned int minor, char *out, size_t size)
{
	char path[64], text[4096];
	const char *name;

	snprintf(out, size, "%u:%u", major, minor);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/uevent", major, minor);
	if (file_text_read(path, text, sizeof(text)) <= 0)
		return;
	name = strstr(text, "DEVNAME=");
	if (name && (name == text || name[-1] == '\n'))
		snprintf(out, size, "%.*s", (int)strcspn(name + 8, "\n"), name + 8);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <stdio.h>
#include <string.h>
#include "devices.h"

/* The kernel's own dev_t: include/linux/kdev_t.h. */
#define MINOR_BITS 20
#define MAJOR(device) ((device) >> MINOR_BITS)
#define MINOR(device) ((device) & ((1u << MINOR_BITS) - 1))

/* DEVNAME of a uevent file: "DEVNAME=nvme0n1". */
static int read_device_name(uint32_t device, char *out, size_t size)
{
	char path[64], line[256];
	int found = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/uevent", MAJOR(device), MINOR(device));
	file = fopen(path, "re");
	if (!file)
		return -1;
	while (found < 0 && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "DEVNAME=", 8) == 0) {
			snprintf(out, size, "%s", line + 8);
			found = 0;
		}
	}
	fclose(file);
	return found;
}

int64_t device_name(struct trace_writer *writer, uint32_t device)
{
	/* Requests come in runs on one device. */
	static struct {
		const struct trace_writer *writer;
		uint32_t device;
		int64_t name;
	} last;
	char text[256];

	if (last.writer == writer && last.device == device)
		return last.name;
	if (read_device_name(device, text, sizeof(text)) < 0)
		snprintf(text, sizeof(text), "%u:%u", MAJOR(device), MINOR(device));
	last.writer = writer;
	last.device = device;
	last.name = trace_name(writer, "", text);
	return last.name;
}

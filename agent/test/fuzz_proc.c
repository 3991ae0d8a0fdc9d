// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Any bytes as /proc/PID/stat, schedstat, status and as a name for the terminal. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "../src/cli/text/terminal_text.h"
#include "../src/host/container.h"
#include "../src/host/proc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct proc_schedstat counted;
	struct proc_stat stat;
	struct proc_fd file;
	char *text = malloc(size + 1), out[64];

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (proc_parse_stat(text, size, &stat) == 0 && stat.pid <= 0)
		abort();
	proc_parse_schedstat(text, &counted);
	proc_status_field(text, "Tgid");
	proc_parse_fdinfo(text, &file);
	container_of_cgroup(text, out, sizeof(out));
	terminal_text(text, out, sizeof(out), 40);
	if (strlen(out) >= sizeof(out) || strpbrk(out, "\x1b\n\r\t\x7f"))
		abort();
	free(text);
	return 0;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "gpu_ask.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../file_text.h"
#include "gpu_program.h"

/* It loads the driver where nobody keeps it loaded: some seconds on a machine with many GPUs. */
#define TIMEOUT_MS 5000
#define MAX_ARGUMENTS 6

int gpu_ask(const char *program, const char *const arguments[], char *out, size_t size)
{
	const char *argv[MAX_ARGUMENTS + 2] = {program};
	ssize_t length;
	int ends[2];
	pid_t pid;

	for (size_t i = 0; i < MAX_ARGUMENTS && arguments[i]; i++)
		argv[i + 1] = arguments[i];
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid = gpu_program_start(argv, ends[1]);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return (int)pid;
	}
	length = file_text_read_pipe(ends[0], out, size, TIMEOUT_MS);
	close(ends[0]);
	gpu_program_stop(pid);
	if (length < 0)
		return (int)length;
	return length ? 0 : -EIO;
}

static void add_process(struct gpu_process *out, size_t *count, size_t capacity, pid_t pid,
			int64_t memory_bytes)
{
	for (size_t i = 0; i < *count; i++) {
		if (out[i].pid != pid)
			continue;
		if (memory_bytes > 0)
			out[i].memory_bytes =
				memory_bytes + (out[i].memory_bytes > 0 ? out[i].memory_bytes : 0);
		return;
	}
	if (*count < capacity)
		out[(*count)++] = (struct gpu_process){pid, memory_bytes};
}

/* Lines "1234, 512" (MiB) or "1234, [N/A]". */
int gpu_processes(const char *program, struct gpu_process *out, size_t capacity)
{
	static const char *const arguments[] = {"--query-compute-apps=pid,used_memory",
						"--format=csv,noheader,nounits", NULL};
	char text[65536], *rest = text, *line;
	size_t count = 0;
	int err = gpu_ask(program, arguments, text, sizeof(text));

	if (err)
		return err == -EIO ? 0 : err; /* says nothing where nobody uses one */
	while ((line = strsep(&rest, "\n"))) {
		char *end, *number;
		long pid = strtol(line, &end, 10);
		long long mebibytes;

		if (end == line || *end != ',' || pid <= 0 || pid > 1 << 22)
			continue;
		mebibytes = strtoll(end + 1, &number, 10);
		if (number == end + 1 || mebibytes < 0 || mebibytes > 1 << 30)
			mebibytes = -1;
		add_process(out, &count, capacity, (pid_t)pid,
			    mebibytes < 0 ? -1 : (int64_t)mebibytes << 20);
	}
	return (int)count;
}

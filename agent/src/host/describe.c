// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What the machine is: machine, cpu and gpu rows. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "cpu_list.h"
#include "file_text.h"
#include "host.h"
#include "numa.h"

#define CPUS "/sys/devices/system/cpu"
#define NVIDIA "/proc/driver/nvidia"
#define MAX_GPUS 64
#define MAX_FACT 256

/* The rest of the line that begins with `key`, without `before` in front of it and the newline. */
static bool fact(const char *text, const char *key, const char *before, char out[MAX_FACT])
{
	size_t length = strlen(key);

	for (const char *line = text; line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		if (strncmp(line, key, length) != 0)
			continue;
		line += length;
		line += strspn(line, before);
		snprintf(out, MAX_FACT, "%.*s", (int)strcspn(line, "\n"), line);
		return out[0] != '\0';
	}
	return false;
}

/* PRETTY_NAME="Debian GNU/Linux 12 (bookworm)", see os-release(5). */
static const char *read_os(char out[MAX_FACT])
{
	char text[4096];
	char *quote;

	if (file_text_read("/etc/os-release", text, sizeof(text)) < 0 &&
	    file_text_read("/usr/lib/os-release", text, sizeof(text)) < 0)
		return NULL;
	if (!fact(text, "PRETTY_NAME=", "\"'", out))
		return NULL;
	quote = strpbrk(out, "\"'");
	if (quote)
		*quote = '\0';
	return out;
}

/* x86 has "model name"; arm64 has none in /proc, but firmware may name the machine. */
static const char *read_cpu_model(char out[MAX_FACT])
{
	char text[8192];

	if (file_text_read("/proc/cpuinfo", text, sizeof(text)) > 0 &&
	    (fact(text, "model name", " \t:", out) || fact(text, "Model", " \t:", out)))
		return out;
	if (file_text_read("/sys/firmware/devicetree/base/model", text, sizeof(text)) > 0) {
		snprintf(out, MAX_FACT, "%.255s", text);
		return out;
	}
	return NULL;
}

static int64_t memory_bytes(void)
{
	char text[4096];
	int64_t kib = -1;

	if (file_text_read("/proc/meminfo", text, sizeof(text)) > 0)
		kib = file_text_value(text, "MemTotal:");
	return kib < 0 || kib > INT64_MAX / 1024 ? TRACE_NULL : kib * 1024;
}

static void write_machine(struct trace_writer *writer)
{
	char os[MAX_FACT], cpu_model[MAX_FACT];
	struct utsname names;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	bool known = uname(&names) == 0;
	struct machine_row row = {
		.hostname = known ? names.nodename : NULL,
		.kernel = known ? names.release : NULL,
		.os = read_os(os),
		.cpu_model = read_cpu_model(cpu_model),
		.cpu_count = cpus > 0 ? cpus : TRACE_NULL,
		.memory_bytes = memory_bytes(),
	};

	trace_put_machine(writer, &row);
}

static int64_t topology(unsigned int cpu, const char *what)
{
	char path[128];

	snprintf(path, sizeof(path), CPUS "/cpu%u/topology/%s", cpu, what);
	return file_text_integer(path, TRACE_NULL);
}

/* The directory of a CPU has a link node<N>. */
static int64_t numa_node(unsigned int cpu)
{
	int64_t node = TRACE_NULL;
	const struct dirent *entry;
	char path[64];
	DIR *directory;

	snprintf(path, sizeof(path), CPUS "/cpu%u", cpu);
	directory = opendir(path);
	if (!directory)
		return TRACE_NULL;
	while ((entry = readdir(directory))) {
		unsigned int number;

		if (sscanf(entry->d_name, "node%u", &number) == 1)
			node = number;
	}
	closedir(directory);
	return node;
}

static int write_cpu(void *context, unsigned int cpu)
{
	trace_put_cpu(context, cpu, topology(cpu, "core_id"), topology(cpu, "physical_package_id"),
		      numa_node(cpu));
	return 0;
}

static void write_cpus(struct trace_writer *writer)
{
	char text[4096];

	if (file_text_read(CPUS "/online", text, sizeof(text)) > 0)
		cpu_list_each(text, write_cpu, writer);
}

/* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue …": the first word that is a version. */
static bool read_driver(char out[MAX_FACT])
{
	char text[1024], line[MAX_FACT];
	char *rest = line, *word;

	if (file_text_read(NVIDIA "/version", text, sizeof(text)) <= 0 ||
	    !fact(text, "NVRM version:", " \t", line))
		return false;
	while ((word = strsep(&rest, " "))) {
		if (word[0] >= '0' && word[0] <= '9' && strchr(word, '.')) {
			snprintf(out, MAX_FACT, "%.*s", MAX_FACT - 1, word);
			return true;
		}
	}
	return false;
}

static int is_gpu(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* nvidia-smi numbers GPUs by their PCI addresses, whose text sorts like them. */
static void write_gpus(struct trace_writer *writer)
{
	struct dirent **entries;
	char driver[MAX_FACT], model[MAX_FACT], uuid[MAX_FACT], text[4096], path[512];
	bool has_driver = read_driver(driver);
	int count = scandir(NVIDIA "/gpus", &entries, is_gpu, alphasort);

	for (int gpu = 0; gpu < count; gpu++) {
		snprintf(path, sizeof(path), NVIDIA "/gpus/%s/information", entries[gpu]->d_name);
		if (gpu < MAX_GPUS && file_text_read(path, text, sizeof(text)) > 0)
			trace_put_gpu(writer, gpu,
				      fact(text, "Model:", " \t", model) ? model : NULL, TRACE_NULL,
				      has_driver ? driver : NULL, entries[gpu]->d_name,
				      fact(text, "GPU UUID:", " \t", uuid) ? uuid : NULL,
				      numa_node_of_gpu("", entries[gpu]->d_name));
		free(entries[gpu]);
	}
	if (count >= 0)
		free(entries);
}

void host_describe(struct trace_writer *writer)
{
	write_machine(writer);
	write_cpus(writer);
	write_gpus(writer);
}

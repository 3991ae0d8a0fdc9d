// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "../../clock.h"
#include "gpu_csv.h"
#include "gpu_program.h"
#include "../host.h"
#include "../numa.h"

#define RESTART_AFTER_NS (60 * NS_PER_SECOND)
/* nvidia-smi stamps its lines; older than this, the two clocks do not agree. */
#define OLDEST_LINE_S 30.0
#define MAX_LINE 1024
/* Bits of nvmlClocksEventReasons: software power cap, hardware slowdown, software and hardware
 * thermal slowdown, power brake. */
#define HELD_BACK_BITS 0xecu

struct gpu_sampler {
	char program[PATH_MAX];
	char period[16];
	pid_t pid;  /* 0 = not running */
	int input;  /* of the pipe */
	int output; /* kept open, so that the pipe outlives the program and never hangs up */
	unsigned int fields;
	bool understood; /* a line of this run */
	uint64_t ended_ns;
	char line[MAX_LINE];
	size_t length;
	bool skipping;                 /* the rest of a line that was too long */
	double use[GPU_MAX_INDEX + 1]; /* < 0 = no such GPU */
	bool described[GPU_MAX_INDEX + 1];
};

static const struct {
	enum gpu_field field;
	const char *metric;
} metrics[] = {
	{GPU_USE, "GPU utilisation (%)"},
	{GPU_MEMORY_USE, "GPU memory bandwidth in use (%)"},
	{GPU_MEMORY_USED, "GPU memory used (MiB)"},
	{GPU_POWER, "GPU power (W)"},
	{GPU_TEMPERATURE, "GPU temperature (°C)"},
	{GPU_SM_CLOCK, "GPU SM clock (MHz)"},
	{GPU_MEMORY_CLOCK, "GPU memory clock (MHz)"},
	{GPU_PCIE_GENERATION, "PCIe generation"},
	{GPU_PCIE_LANES, "PCIe lanes"},
};

static int start_program(struct gpu_sampler *sampler)
{
	char query[512] = "--query-gpu=";
	const char *argv[] = {sampler->program, query,           "--format=csv,noheader,nounits",
			      "-lms",           sampler->period, NULL};
	pid_t pid;

	gpu_query(sampler->fields, query + strlen(query), sizeof(query) - strlen(query));
	sampler->length = 0;
	sampler->skipping = false;
	sampler->understood = false;
	pid = gpu_program_start(argv, sampler->output);
	if (pid < 0)
		return pid;
	sampler->pid = pid;
	return 0;
}

static int open_pipe(struct gpu_sampler *sampler)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	sampler->input = ends[0];
	sampler->output = ends[1];
	/* Ours alone: the program may wait for room. */
	return fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

int gpu_sampler_start(const char *nvidia_smi, unsigned int period_ms, struct gpu_sampler **out,
		      char *detail, size_t size)
{
	struct gpu_sampler *sampler = calloc(1, sizeof(*sampler));
	int error = -ENOMEM;

	*out = NULL;
	snprintf(detail, size, "There is no memory left.");
	if (!sampler)
		return error;
	sampler->input = sampler->output = -1;
	sampler->fields = GPU_FIELDS;
	for (unsigned int gpu = 0; gpu <= GPU_MAX_INDEX; gpu++)
		sampler->use[gpu] = -1;
	snprintf(sampler->period, sizeof(sampler->period), "%u", period_ms ? period_ms : 100);
	error = -ENOENT;
	if (!gpu_find_program(nvidia_smi, sampler->program, sizeof(sampler->program), detail, size))
		goto cleanup;
	error = open_pipe(sampler);
	if (error == 0)
		error = start_program(sampler);
	if (error) {
		snprintf(detail, size, "%s could not be started (%s).", sampler->program,
			 strerror(-error));
		goto cleanup;
	}
	*out = sampler;
	return 0;
cleanup:
	gpu_sampler_stop(sampler);
	return error;
}

int gpu_sampler_fd(const struct gpu_sampler *sampler)
{
	return sampler->input;
}

pid_t gpu_sampler_pid(const struct gpu_sampler *sampler)
{
	return sampler->pid;
}

/* CLOCK_MONOTONIC of the line: its own time where that is likely, else now. */
static uint64_t line_time(const struct gpu_line *line, uint64_t now_ns)
{
	double age_s = (double)clock_ns(CLOCK_REALTIME) / 1e9 - line->values[GPU_TIME];

	if (!(age_s >= 0 && age_s < OLDEST_LINE_S) || age_s * 1e9 >= (double)now_ns)
		return now_ns;
	return now_ns - (uint64_t)(age_s * 1e9);
}

static void describe(struct gpu_sampler *sampler, struct trace_writer *writer,
		     const struct gpu_line *line, unsigned int gpu)
{
	double memory_mib = line->values[GPU_MEMORY_TOTAL];
	bool known = memory_mib >= 0 && memory_mib < 1e9;

	sampler->described[gpu] = true;
	trace_put_gpu(writer, gpu, line->model[0] ? line->model : NULL,
		      known ? (int64_t)(memory_mib * (1 << 20)) : TRACE_NULL,
		      line->driver[0] ? line->driver : NULL,
		      line->pci_bus_id[0] ? line->pci_bus_id : NULL, NULL,
		      numa_node_of_gpu("", line->pci_bus_id));
}

static void use_line(struct gpu_sampler *sampler, struct trace_writer *writer, uint64_t now_ns)
{
	struct gpu_line line;
	unsigned int gpu;
	int64_t start_ns;

	if (gpu_parse_line(sampler->line, sampler->fields, &line) < 0)
		return;
	sampler->understood = true;
	gpu = (unsigned int)line.values[GPU_INDEX];
	if (!sampler->described[gpu])
		describe(sampler, writer, &line, gpu);
	sampler->use[gpu] = isnan(line.values[GPU_USE]) ? -1 : line.values[GPU_USE];
	start_ns = trace_time(writer, line_time(&line, now_ns));
	/* Values that are not known are no rows: trace_add_sample leaves NAN out. */
	for (size_t index = 0; index < sizeof(metrics) / sizeof(metrics[0]); index++)
		trace_add_sample(writer, start_ns, metrics[index].metric, (int)gpu,
				 line.values[metrics[index].field]);
	if (!isnan(line.values[GPU_CLOCK_LIMITS])) {
		uint64_t bits = (uint64_t)line.values[GPU_CLOCK_LIMITS];

		trace_add_sample(writer, start_ns,
				 "GPU clocks held back by power or heat (1 = yes)", (int)gpu,
				 (bits & HELD_BACK_BITS) != 0);
	}
}

static void take_byte(struct gpu_sampler *sampler, struct trace_writer *writer, uint64_t now_ns,
		      char byte)
{
	if (byte == '\n') {
		sampler->line[sampler->length] = '\0';
		if (!sampler->skipping && sampler->length > 0)
			use_line(sampler, writer, now_ns);
		sampler->length = 0;
		sampler->skipping = false;
	} else if (sampler->length + 1 == MAX_LINE) {
		sampler->skipping = true;
	} else {
		sampler->line[sampler->length++] = byte;
	}
}

/* At most 64 KiB a call: one that floods us must not hold up the recording. */
static void drain(struct gpu_sampler *sampler, struct trace_writer *writer, uint64_t now_ns)
{
	char bytes[4096];

	for (int chunk = 0; chunk < 16; chunk++) {
		ssize_t got = read(sampler->input, bytes, sizeof(bytes));

		if (got <= 0)
			return;
		for (ssize_t index = 0; index < got; index++)
			take_byte(sampler, writer, now_ns, bytes[index]);
	}
}

int gpu_sampler_read(struct gpu_sampler *sampler, struct trace_writer *writer, uint64_t now_ns)
{
	if (sampler->pid == 0) {
		if (now_ns - sampler->ended_ns < RESTART_AFTER_NS)
			return -EPIPE;
		sampler->ended_ns = now_ns;
		return start_program(sampler) < 0 ? -EPIPE : 0;
	}
	/* In this order: what it wrote before its end is still to be read. */
	bool ended = gpu_program_has_ended(sampler->pid);

	drain(sampler, writer, now_ns);
	if (!ended)
		return 0;
	sampler->pid = 0;
	sampler->ended_ns = now_ns;
	for (unsigned int gpu = 0; gpu <= GPU_MAX_INDEX; gpu++)
		sampler->use[gpu] = -1;
	/* A field that its version does not know ends it at once. */
	if (!sampler->understood && sampler->fields == GPU_FIELDS) {
		sampler->fields = GPU_BASIC_FIELDS;
		if (start_program(sampler) == 0)
			return 0;
	}
	return -EPIPE;
}

double gpu_sampler_percent(const struct gpu_sampler *sampler)
{
	double sum = 0;
	unsigned int known = 0;

	for (unsigned int gpu = 0; gpu <= GPU_MAX_INDEX; gpu++) {
		if (sampler->use[gpu] < 0)
			continue;
		sum += sampler->use[gpu];
		known++;
	}
	return known == 0 ? -1 : sum / known;
}

void gpu_sampler_stop(struct gpu_sampler *sampler)
{
	if (!sampler)
		return;
	gpu_program_stop(sampler->pid);
	if (sampler->input >= 0)
		close(sampler->input);
	if (sampler->output >= 0)
		close(sampler->output);
	free(sampler);
}

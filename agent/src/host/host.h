/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The machine: what it is, how busy it and its GPUs are, and what may be recorded on it. */
#ifndef STALLTRACE_HOST_H
#define STALLTRACE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "../trace/writer.h"

/* Writes machine, cpu and gpu rows. nvidia_smi: its path; NULL = looked for, see gpu_find_program. */
void host_describe(struct trace_writer *writer, const char *nvidia_smi);

/*
 * Versions of the Python packages that matter (torch, numpy, nvidia-*) beside the interpreter of
 * `pid`, as meta.packages, and its Python version as machine.python_version.
 */
void host_describe_packages(struct trace_writer *writer, pid_t pid);

/*
 * Samples of the machine, 5 to 10 a second: CPU by use (user, system, iowait, irq, steal, idle; each
 * CPU's own), memory, load, swap, pressure, and of the target's cgroup: throttling, memory.
 */
struct system_sampler;
struct system_sampler *system_sampler_new(pid_t target); /* whose cgroup; 0 = none */
void system_sampler_read(struct system_sampler *sampler, struct trace_writer *writer,
			 uint64_t now_ns);
/* Last CPU use, 0–100, for the live view; < 0 = not known yet. */
double system_sampler_cpu_percent(const struct system_sampler *sampler);
void system_sampler_free(struct system_sampler *sampler);

/*
 * GPU samples from one long-lived nvidia-smi. Where there is none: -ENOENT and why in detail. Its
 * output is hostile. *fd is to be waited on.
 */
struct gpu_sampler;
int gpu_sampler_start(const char *nvidia_smi, unsigned int period_ms, struct gpu_sampler **out,
		      char *detail, size_t size);
int gpu_sampler_fd(const struct gpu_sampler *sampler);
/* 0, or -EPIPE once it has ended (then it is restarted once a minute by a call to read). */
int gpu_sampler_read(struct gpu_sampler *sampler, struct trace_writer *writer, uint64_t now_ns);
double gpu_sampler_percent(const struct gpu_sampler *sampler); /* mean use; < 0 = not known */
pid_t gpu_sampler_pid(const struct gpu_sampler *sampler); /* its CPU time is ours */
void gpu_sampler_stop(struct gpu_sampler *sampler);

/*
 * Path of nvidia-smi, or NULL with why in detail. Only programs that root alone can replace are
 * taken: the agent runs as root, and PATH is the caller's.
 */
const char *gpu_find_program(const char *nvidia_smi, char *out, size_t size, char *detail,
			     size_t detail_size);

/* Fields of one line of nvidia-smi's CSV, in the order they are asked for. */
enum gpu_field {
	GPU_TIME, /* seconds of Unix time */
	GPU_INDEX,
	GPU_USE, /* % */
	GPU_MEMORY_USE, /* % of the time in which memory was read or written */
	GPU_MEMORY_USED, /* MiB */
	GPU_POWER, /* W */
	GPU_TEMPERATURE, /* °C */
	GPU_SM_CLOCK, /* MHz */
	GPU_MEMORY_CLOCK, /* MHz */
	GPU_PCIE_GENERATION,
	GPU_PCIE_WIDTH, /* lanes */
	GPU_THROTTLE_REASONS, /* bits, nvmlClocksEventReasons */
	GPU_FIELDS,
};
/*
 * One line of nvidia-smi's CSV; for the fuzzer too. 0 or -EINVAL; values it does not have ("[N/A]",
 * fields behind GPU_MEMORY_CLOCK with old drivers) are NAN.
 */
int gpu_parse_line(const char *line, double out[GPU_FIELDS]);

#endif /* STALLTRACE_HOST_H */

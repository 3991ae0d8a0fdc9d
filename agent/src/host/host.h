/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The machine: what it is, how busy it and its GPUs are, and what may be recorded on it. */
#ifndef STALLTRACE_HOST_H
#define STALLTRACE_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include "../trace/writer.h"

/* Writes machine, cpu and gpu rows, and meta with package versions. */
void host_describe(struct trace_writer *writer);

/*
 * Samples of the machine, 5 to 10 a second: CPU by use (user, system, iowait, irq, steal, idle; each
 * CPU's own), memory, load, swap, pressure, and of the target's cgroup: throttling, memory.
 */
struct system_sampler;
struct system_sampler *system_sampler_new(const char *cgroup); /* of the target; NULL = none */
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
int gpu_sampler_start(unsigned int period_ms, struct gpu_sampler **out, char *detail, size_t size);
int gpu_sampler_fd(const struct gpu_sampler *sampler);
/* 0, or -EPIPE once it has ended (then it is restarted once a minute by a call to read). */
int gpu_sampler_read(struct gpu_sampler *sampler, struct trace_writer *writer, uint64_t now_ns);
double gpu_sampler_percent(const struct gpu_sampler *sampler); /* mean use; < 0 = not known */
pid_t gpu_sampler_pid(const struct gpu_sampler *sampler); /* its CPU time is ours */
void gpu_sampler_stop(struct gpu_sampler *sampler);

/* One line of nvidia-smi's CSV; for the fuzzer too. Values it does not have ("[N/A]") are NAN. */
#define GPU_FIELDS 12
int gpu_parse_line(const char *line, double out[GPU_FIELDS]);

/* A guess at what a process does, with its reason. NULL = other. */
struct role_guess {
	const char *role;
	const char *basis;
};

#endif /* STALLTRACE_HOST_H */

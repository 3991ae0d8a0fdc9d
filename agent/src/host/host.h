/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The machine: what it is, how busy it and its GPUs are, and what may be recorded on it. */
#ifndef STALLTRACE_HOST_H
#define STALLTRACE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "../trace/writer.h"

/*
 * Writes machine and cpu rows, and gpu rows from what the driver says in /proc: nvidia-smi takes up to
 * seconds. gpu_sampler completes them.
 */
void host_describe(struct trace_writer *writer);

/*
 * Versions of the Python packages that matter (torch, numpy, nvidia-*) beside the interpreter of
 * `pid`, as meta.packages, and its Python version as machine.python_version.
 */
void host_describe_packages(struct trace_writer *writer, pid_t pid);

/*
 * Samples of the machine, 5 to 10 a second: CPU by use (user, system, iowait, irq, steal, idle; each
 * CPU's own), memory, load, swap, pressure, and of the cgroups of processes that are followed: throttling,
 * memory and its limit, limits of I/O.
 */
struct system_sampler;
struct system_sampler *system_sampler_new(void);
/* Of each kind of limit the tightest that any of them is under is sampled. Again once a second: one may move. */
void system_sampler_follow(struct system_sampler *sampler, pid_t pid);
void system_sampler_read(struct system_sampler *sampler, struct trace_writer *writer,
			 uint64_t now_ns);
/* Last CPU use, 0–100, for the live view; < 0 = not known yet. */
double system_sampler_cpu_percent(const struct system_sampler *sampler);
void system_sampler_free(struct system_sampler *sampler);

/*
 * GPU samples from one long-lived nvidia-smi. Where there is none: -ENOENT and why in detail.
 * nvidia_smi: its path; NULL = the usual places. The agent runs as root: only a program that root
 * alone can replace is taken, and PATH, which is the caller's, is not asked.
 */
struct gpu_sampler;
int gpu_sampler_start(const char *nvidia_smi, unsigned int period_ms, struct gpu_sampler **out,
		      char *detail, size_t size);
int gpu_sampler_fd(const struct gpu_sampler *sampler); /* readable when there is something new */
/*
 * Writes what has come; also to be called where nothing has, once a second or more often. 0, or
 * -EPIPE while nvidia-smi is not running: it is started again after a minute.
 */
int gpu_sampler_read(struct gpu_sampler *sampler, struct trace_writer *writer, uint64_t now_ns);
double gpu_sampler_percent(const struct gpu_sampler *sampler); /* mean use; < 0 = not known */
pid_t gpu_sampler_pid(const struct gpu_sampler *sampler); /* its CPU time is ours; 0 = none now */
void gpu_sampler_stop(struct gpu_sampler *sampler);

/* Path of nvidia-smi in out, or NULL with why in detail. */
const char *gpu_find_program(const char *nvidia_smi, char *out, size_t size, char *detail,
			     size_t detail_size);

#endif /* STALLTRACE_HOST_H */

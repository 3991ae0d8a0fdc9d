/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The trace file (docs/format.md), written while it is recorded. Not thread-safe, one at a time in a
 * process. After the first failure every call returns it. Where the disk or the largest size was
 * reached, events are refused, but what explains those that are there (entities, symbols, gaps,
 * provenance) is still taken as far as there is room; trace_finish leaves a file that opens with all
 * that was committed. SIGXFSZ must be ignored.
 */
#ifndef STALLTRACE_WRITER_H
#define STALLTRACE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "../../generated/schema.h"

#define TRACE_NULL INT64_MIN
/* Of max_bytes: with less, what explains the events would find no room. */
#define TRACE_SMALLEST_MAX_BYTES (4u << 20)

struct trace_writer;

struct trace_options {
	const char *path; /* must not exist */
	uint64_t begin_monotonic_ns;
	uint64_t begin_unix_ns;
	uint64_t max_bytes; /* of the finished file; 0 = no limit */
	uid_t owner;        /* whose file it becomes; -1 = unchanged */
	gid_t group;
};

/* -EEXIST, -ENOSPC, -EACCES …; *message says it in one sentence with the next step. */
int trace_create(const struct trace_options *options, struct trace_writer **out, char *message,
		 size_t message_size);

/* CLOCK_MONOTONIC → ns from the begin, ≥ 0. */
int64_t trace_time(const struct trace_writer *writer, uint64_t monotonic_ns);
/* ns of an interval that lie in the recording: what came before the begin doesn't count. */
int64_t trace_duration(const struct trace_writer *writer, uint64_t start_monotonic_ns,
		       uint64_t duration_ns);

/*
 * Room for one row of an event table, every column TRACE_NULL; the columns' positions are those of
 * generated/schema.h (`row[OFF_CPU_START_NS] = …`). Valid until the next call.
 */
int64_t *trace_append(struct trace_writer *writer, enum trace_table table);
/* The one event table with a real number. gpu < 0 = the machine. */
void trace_add_sample(struct trace_writer *writer, int64_t start_ns, const char *metric, int gpu,
		      double value);

/* Number of a text, the same for the same pair. source: CUDA, DRIVER, HOST, IO, LOST or "". */
int64_t trace_name(struct trace_writer *writer, const char *source, const char *text);
/* Number of a stream of a process: 0 = the default stream. */
int64_t trace_stream(struct trace_writer *writer, int64_t process_id, int64_t handle);

/* Entities; a row with the same id is replaced. TRACE_NULL and NULL = not known. */
struct process_row {
	int64_t id, pid, namespace_pid, parent_id, start_ns, end_ns;
	const char *name, *command_line, *role, *role_basis, *cgroup, *cpus_allowed, *group_cpus,
		*pinned_nodes;
	int64_t rank, local_rank, world_size;
	double cpu_quota; /* ≤ 0 = none or not known */
};
void trace_put_process(struct trace_writer *writer, const struct process_row *row);

struct thread_row {
	int64_t id, process_id, tid, namespace_tid, start_ns, end_ns;
	const char *name, *role;
	const char *policy;     /* NULL = not known */
	int64_t priority, nice; /* TRACE_NULL = has none, or not known */
};
void trace_put_thread(struct trace_writer *writer, const struct thread_row *row);

struct frame_row {
	int64_t line, address;
	const char *symbol, *file, *language; /* "python" or "native" */
};
/* Number of a frame, the same for the same one; TRACE_NULL where it can't be written. */
int64_t trace_frame(struct trace_writer *writer, const struct frame_row *row);
/*
 * Number of the stack in which prefix_id (TRACE_NULL = none) called frame_id, the same for the same pair;
 * TRACE_NULL where it can't be written.
 */
int64_t trace_stack(struct trace_writer *writer, int64_t prefix_id, int64_t frame_id);
/* A number for a stack whose frames are written later, or again. */
int64_t trace_stack_id(struct trace_writer *writer);
/* Writes the stack of that number. frame_id TRACE_NULL: it has no frames. Whether it was written. */
bool trace_put_stack(struct trace_writer *writer, int64_t id, int64_t prefix_id, int64_t frame_id);
/*
 * Drops all stacks and frames, to write them again with their symbols: up to the next trace_commit it is
 * all or nothing.
 */
void trace_clear_stacks(struct trace_writer *writer);

struct mapping_row {
	int64_t process_id, start_ns, address, size_bytes, file_offset;
	const char *file, *build_id;
};
void trace_put_mapping(struct trace_writer *writer, const struct mapping_row *row);

struct machine_row {
	const char *hostname, *os, *kernel, *cpu_model, *cuda_version, *python_version;
	int64_t cpu_count, memory_bytes;
};
void trace_put_machine(struct trace_writer *writer, const struct machine_row *row);
/* Into the machine's row, which must be there. NULL = leave what it says. */
void trace_put_versions(struct trace_writer *writer, const char *cuda, const char *python);
/* uuid NULL, numa_node TRACE_NULL = leave what the row says. */
void trace_put_gpu(struct trace_writer *writer, int64_t id, const char *model, int64_t memory_bytes,
		   const char *driver, const char *pci_bus_id, const char *uuid, int64_t numa_node);
/*
 * Id of the GPU with that PCI bus id, however many zeros it begins with, as trace_put_gpu was told it; else
 * `otherwise`, for which there is a row then.
 */
int64_t trace_gpu_of_bus(struct trace_writer *writer, const char *pci_bus_id, int64_t otherwise);
/* number: CUPTI's, in its process. TRACE_NULL = not known. */
void trace_put_context(struct trace_writer *writer, int64_t id, int64_t process_id, int64_t gpu_id,
		       int64_t number);
void trace_put_cpu(struct trace_writer *writer, int64_t id, int64_t core, int64_t package,
		   int64_t numa_node);

/* kind: exact, partial, sampled, aggregated, inferred or absent; column "" = the whole table. */
void trace_put_provenance(struct trace_writer *writer, const char *table, const char *column,
			  const char *kind, int64_t every_ns, const char *note);
void trace_put_capability(struct trace_writer *writer, const char *name, bool available,
			  const char *detail);
void trace_put_meta(struct trace_writer *writer, const char *key, const char *text);
void trace_put_meta_integer(struct trace_writer *writer, const char *key, int64_t value);
void trace_put_clock_reading(struct trace_writer *writer, uint64_t monotonic_ns, uint64_t boot_ns,
			     uint64_t raw_ns, uint64_t real_ns);
void trace_put_notice(struct trace_writer *writer, const char *level, const char *text);
/* `lost` events of `table` between two moments; < 0 = not known how many. */
void trace_put_gap(struct trace_writer *writer, const char *table, int64_t start_ns,
		   int64_t duration_ns, int64_t lost);

/* Makes everything up to now durable against a kill. Cheap; the recorder calls it every 500 ms. */
int trace_commit(struct trace_writer *writer);
/* 0, -ENOSPC (disk full), -EFBIG (max_bytes reached), other -errno; message once it is not 0. */
int trace_status(const struct trace_writer *writer, const char **message);
/* Bytes on disk now, and rows per event table since the begin. */
uint64_t trace_bytes(const struct trace_writer *writer);
uint64_t trace_rows(const struct trace_writer *writer, enum trace_table table);

/*
 * Ends the file: meta.length_ns and finished_ns, checkpoint, one file, fsync. Frees the writer. 0, or
 * the first failure with its message; the file opens either way.
 */
int trace_finish(struct trace_writer *writer, uint64_t end_monotonic_ns, char *message,
		 size_t message_size);

/*
 * A recorder that was killed leaves part of its trace in a log beside the file: brings that into the
 * file, which then is all there is, and waits for another of us who is at it. Does nothing without a
 * log, or to a file that is no trace. 0;
 * -EBUSY: a recorder still writes it; another -errno where it can't be done, and nothing is lost. With
 * one sentence in message then.
 */
int trace_merge_log(const char *path, char *message, size_t message_size);

#endif /* STALLTRACE_WRITER_H */

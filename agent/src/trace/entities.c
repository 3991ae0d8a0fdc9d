// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What events refer to, and what is known of the recording. */
#include <stdio.h>
#include <string.h>
#include "state.h"

void trace_put_process(struct trace_writer *writer, const struct process_row *row)
{
	sqlite3_stmt *out = row_begin(writer, PUT_PROCESS);

	row_integer(writer, out, 1, row->id);
	row_integer(writer, out, 2, row->pid);
	row_integer(writer, out, 3, row->namespace_pid);
	row_text(writer, out, 4, row->name, NAME_CHARACTERS);
	row_text(writer, out, 5, row->command_line, LONG_CHARACTERS);
	row_integer(writer, out, 6, row->parent_id);
	row_text(writer, out, 7, row->role, NAME_CHARACTERS);
	row_text(writer, out, 8, row->role_basis, NAME_CHARACTERS);
	row_integer(writer, out, 9, row->start_ns);
	row_integer(writer, out, 10, row->end_ns);
	row_integer(writer, out, 11, row->rank);
	row_integer(writer, out, 12, row->local_rank);
	row_integer(writer, out, 13, row->world_size);
	row_text(writer, out, 14, row->cgroup, NAME_CHARACTERS);
	row_text(writer, out, 15, row->cpus_allowed, NAME_CHARACTERS);
	if (row->cpu_quota > 0)
		row_real(writer, out, 16, row->cpu_quota);
	row_text(writer, out, 17, row->group_cpus, NAME_CHARACTERS);
	row_text(writer, out, 18, row->pinned_nodes, NAME_CHARACTERS);
	row_end(writer, out);
}

void trace_put_thread(struct trace_writer *writer, const struct thread_row *row)
{
	sqlite3_stmt *out = row_begin(writer, PUT_THREAD);

	row_integer(writer, out, 1, row->id);
	row_integer(writer, out, 2, row->process_id);
	row_integer(writer, out, 3, row->tid);
	row_integer(writer, out, 4, row->namespace_tid);
	row_text(writer, out, 5, row->name, NAME_CHARACTERS);
	row_text(writer, out, 6, row->role, NAME_CHARACTERS);
	row_integer(writer, out, 7, row->start_ns);
	row_integer(writer, out, 8, row->end_ns);
	row_text(writer, out, 9, row->policy, NAME_CHARACTERS);
	row_integer(writer, out, 10, row->priority);
	row_integer(writer, out, 11, row->nice);
	row_end(writer, out);
}

void trace_put_mapping(struct trace_writer *writer, const struct mapping_row *row)
{
	sqlite3_stmt *out = row_begin(writer, PUT_MAPPING);

	row_integer(writer, out, 1, row->process_id);
	row_integer(writer, out, 2, row->start_ns);
	row_integer(writer, out, 3, row->address);
	row_integer(writer, out, 4, row->size_bytes);
	row_integer(writer, out, 5, row->file_offset);
	row_text(writer, out, 6, row->file, NAME_CHARACTERS);
	row_text(writer, out, 7, row->build_id, NAME_CHARACTERS);
	row_end(writer, out);
}

void trace_put_machine(struct trace_writer *writer, const struct machine_row *row)
{
	sqlite3_stmt *out = row_begin(writer, PUT_MACHINE);

	row_text(writer, out, 1, row->hostname, NAME_CHARACTERS);
	row_text(writer, out, 2, row->os, NAME_CHARACTERS);
	row_text(writer, out, 3, row->kernel, NAME_CHARACTERS);
	row_text(writer, out, 4, row->cpu_model, NAME_CHARACTERS);
	row_integer(writer, out, 5, row->cpu_count);
	row_integer(writer, out, 6, row->memory_bytes);
	row_text(writer, out, 7, row->cuda_version, NAME_CHARACTERS);
	row_text(writer, out, 8, row->python_version, NAME_CHARACTERS);
	row_end(writer, out);
	row_end(writer, row_begin(writer, PUT_CLOCK));
}

void trace_put_versions(struct trace_writer *writer, const char *cuda, const char *python)
{
	sqlite3_stmt *out = row_begin(writer, PUT_VERSIONS);

	row_text(writer, out, 1, cuda, NAME_CHARACTERS);
	row_text(writer, out, 2, python, NAME_CHARACTERS);
	row_end(writer, out);
}

/* Domain, bus, device and function: nvidia-smi writes eight digits of the first, CUDA four. */
#define BUS_ID_LENGTH 12

static bool is_same_bus(const char *left, const char *right)
{
	size_t length = strlen(left), other = strlen(right);

	return length >= BUS_ID_LENGTH && other >= BUS_ID_LENGTH &&
	       !strcasecmp(left + length - BUS_ID_LENGTH, right + other - BUS_ID_LENGTH);
}

int64_t trace_gpu_of_bus(struct trace_writer *writer, const char *pci_bus_id, int64_t otherwise)
{
	sqlite3_stmt *out;

	for (unsigned int i = 0; i < MOST_BUSES; i++)
		if (is_same_bus(writer->buses[i], pci_bus_id))
			return i;
	out = row_begin(writer, SEE_GPU);
	row_integer(writer, out, 1, otherwise);
	row_end(writer, out);
	return otherwise;
}

void trace_put_gpu(struct trace_writer *writer, int64_t id, const char *model, int64_t memory_bytes,
		   const char *driver, const char *pci_bus_id, const char *uuid, int64_t numa_node)
{
	sqlite3_stmt *out = row_begin(writer, PUT_GPU);

	row_integer(writer, out, 1, id);
	row_text(writer, out, 2, model, NAME_CHARACTERS);
	row_integer(writer, out, 3, memory_bytes);
	row_text(writer, out, 4, driver, NAME_CHARACTERS);
	row_text(writer, out, 5, pci_bus_id, NAME_CHARACTERS);
	row_text(writer, out, 6, uuid, NAME_CHARACTERS);
	row_integer(writer, out, 7, numa_node);
	row_end(writer, out);
	if (pci_bus_id && id >= 0 && id < MOST_BUSES)
		snprintf(writer->buses[id], sizeof(writer->buses[id]), "%.31s", pci_bus_id);
}

void trace_put_context(struct trace_writer *writer, int64_t id, int64_t process_id, int64_t gpu_id,
		       int64_t number)
{
	sqlite3_stmt *out = row_begin(writer, PUT_CONTEXT);

	row_integer(writer, out, 1, id);
	row_integer(writer, out, 2, process_id);
	row_integer(writer, out, 3, gpu_id);
	row_integer(writer, out, 4, number);
	row_end(writer, out);
}

void trace_put_cpu(struct trace_writer *writer, int64_t id, int64_t core, int64_t package,
		   int64_t numa_node)
{
	sqlite3_stmt *out = row_begin(writer, PUT_CPU);

	row_integer(writer, out, 1, id);
	row_integer(writer, out, 2, core);
	row_integer(writer, out, 3, package);
	row_integer(writer, out, 4, numa_node);
	row_end(writer, out);
}

void trace_put_capability(struct trace_writer *writer, const char *name, bool available,
			  const char *detail)
{
	sqlite3_stmt *out = row_begin(writer, PUT_CAPABILITY);

	row_text(writer, out, 1, name, NAME_CHARACTERS);
	row_integer(writer, out, 2, available);
	row_text(writer, out, 3, detail, LONG_CHARACTERS);
	row_end(writer, out);
}

void trace_put_meta(struct trace_writer *writer, const char *key, const char *text)
{
	sqlite3_stmt *out = row_begin(writer, PUT_META);

	row_text(writer, out, 1, key, NAME_CHARACTERS);
	row_text(writer, out, 2, text, META_CHARACTERS);
	row_end(writer, out);
}

void trace_put_meta_integer(struct trace_writer *writer, const char *key, int64_t value)
{
	sqlite3_stmt *out = row_begin(writer, PUT_META);

	row_text(writer, out, 1, key, NAME_CHARACTERS);
	row_integer(writer, out, 2, value);
	row_end(writer, out);
}

void trace_put_clock_reading(struct trace_writer *writer, uint64_t monotonic_ns, uint64_t boot_ns,
			     uint64_t raw_ns, uint64_t real_ns)
{
	sqlite3_stmt *out = row_begin(writer, PUT_CLOCK_READING);

	row_integer(writer, out, 1, trace_time(writer, monotonic_ns));
	row_integer(writer, out, 2, (int64_t)monotonic_ns);
	row_integer(writer, out, 3, (int64_t)boot_ns);
	row_integer(writer, out, 4, (int64_t)raw_ns);
	row_integer(writer, out, 5, (int64_t)real_ns);
	row_end(writer, out);
}

void trace_put_notice(struct trace_writer *writer, const char *level, const char *text)
{
	sqlite3_stmt *out = row_begin(writer, PUT_NOTICE);

	row_text(writer, out, 1, level, NAME_CHARACTERS);
	row_text(writer, out, 2, text, LONG_CHARACTERS);
	row_end(writer, out);
}

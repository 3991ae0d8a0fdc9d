// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Rows a second and bytes a row of the writer: `writer_bench [ROWS] [FOLDER]`. The best of three each;
 * a commit as often as the recorder's, counted in rows.
 */
#include "trace_file.h"

#define ROWS_PER_COMMIT 50000

static void append_full_wait(struct trace_writer *writer, int64_t index)
{
	int64_t *row = trace_append(writer, TABLE_OFF_CPU);

	row[OFF_CPU_START_NS] = index * 7919;
	row[OFF_CPU_DURATION_NS] = 1000 + index % 5000000;
	row[OFF_CPU_THREAD_ID] = index % 40;
	row[OFF_CPU_STATE] = index % 3;
	row[OFF_CPU_RUN_QUEUE_NS] = index % 90000;
	row[OFF_CPU_WAKER_ID] = index % 41;
	row[OFF_CPU_WAKER_CONTEXT] = 1;
	row[OFF_CPU_NEXT_THREAD_ID] = index % 37;
	row[OFF_CPU_PREVIOUS_THREAD_ID] = index % 43;
	row[OFF_CPU_SYSCALL] = 202;
	row[OFF_CPU_SYSCALL_ARG0] = 0x7f0000001000 + index % 64;
	row[OFF_CPU_SYSCALL_ARG1] = 0x189;
	row[OFF_CPU_SYSCALL_ARG2] = 0;
	row[OFF_CPU_CPU_OUT] = index % 4;
	row[OFF_CPU_CPU_IN] = index % 4;
	row[OFF_CPU_IO_WAIT] = 0;
	row[OFF_CPU_EXECUTED_NS] = index % 400000;
	row[OFF_CPU_MINOR_FAULTS] = 0;
	row[OFF_CPU_MAJOR_FAULTS] = 0;
}

static void append_call(struct trace_writer *writer, int64_t index)
{
	int64_t *row = trace_append(writer, TABLE_CUDA_CALL);

	row[CUDA_CALL_START_NS] = index * 7919;
	row[CUDA_CALL_DURATION_NS] = 1000 + index % 5000000;
	row[CUDA_CALL_THREAD_ID] = 1;
	row[CUDA_CALL_OP_ID] = index % 20;
	row[CUDA_CALL_LAYER] = 1;
	row[CUDA_CALL_BYTES] = index % 4 == 0 ? 4194304 : TRACE_NULL;
	row[CUDA_CALL_DIRECTION] = index % 4 == 0;
	row[CUDA_CALL_HOST_MEMORY] = 4;
	row[CUDA_CALL_STREAM_ID] = 1;
	row[CUDA_CALL_RETURN_CODE] = 0;
	row[CUDA_CALL_STACK_ID] = index % 1000;
	row[CUDA_CALL_OFF_CPU_NS] = index % 70000;
	row[CUDA_CALL_RUN_QUEUE_NS] = index % 30000;
	row[CUDA_CALL_MINOR_FAULTS] = index % 50;
	row[CUDA_CALL_MAJOR_FAULTS] = 0;
	row[CUDA_CALL_STOLEN_NS] = 0;
}

static void append_slice(struct trace_writer *writer, int64_t index)
{
	int64_t *row = trace_append(writer, TABLE_ON_CPU);

	row[ON_CPU_START_NS] = index * 7919;
	row[ON_CPU_DURATION_NS] = index % 4000000;
	row[ON_CPU_THREAD_ID] = index % 60;
	row[ON_CPU_CPU] = index % 4;
}

static double run(void (*append)(struct trace_writer *writer, int64_t index), int64_t rows,
		  double *bytes_per_row)
{
	const char *path = in_folder("bench");
	struct trace_writer *writer = begin_trace(path, 0);
	uint64_t begin_ns = now_ns(), spent_ns;
	char message[512];

	for (int64_t index = 0; index < rows; index++) {
		append(writer, index);
		if (index % ROWS_PER_COMMIT == 0)
			CHECK(trace_commit(writer) == 0);
	}
	CHECK(trace_commit(writer) == 0);
	spent_ns = now_ns() - begin_ns;
	CHECK(trace_finish(writer, now_ns(), message, sizeof(message)) == 0);
	*bytes_per_row = (double)number(path, "SELECT page_count * 16384 FROM pragma_page_count") /
			 (double)rows;
	CHECK(unlink(path) == 0);
	return (double)rows / ((double)spent_ns / 1e9);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *table;
		void (*append)(struct trace_writer *writer, int64_t index);
	} tables[] = {
		{"off_cpu", append_full_wait},
		{"cuda_call", append_call},
		{"on_cpu", append_slice},
	};
	int64_t rows = argc > 1 ? strtoll(argv[1], NULL, 10) : 1000000;

	if (argc > 2)
		snprintf(folder, sizeof(folder), "%s", argv[2]);
	else
		make_folder();
	for (size_t index = 0; index < sizeof(tables) / sizeof(tables[0]); index++) {
		double best = 0, bytes = 0;

		for (int round = 0; round < 3; round++) {
			double rate = run(tables[index].append, rows, &bytes);

			best = rate > best ? rate : best;
		}
		printf("{\"table\": \"%s\", \"rows_per_second\": %.0f, \"bytes_per_row\": %.1f}\n",
		       tables[index].table, best, bytes);
	}
	if (argc <= 2)
		remove_folder();
	return 0;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The trace file: rows, texts, names, and whose file it is. */
#include <errno.h>
#include <sys/stat.h>
#include "trace_file.h"

static void finish_well(struct trace_writer *writer, uint64_t end_ns)
{
	char message[512];
	int error = trace_finish(writer, end_ns, message, sizeof(message));

	if (error)
		fprintf(stderr, "%s\n", message);
	CHECK(error == 0 && message[0] == '\0');
}

static void test_rows(void)
{
	const char *path = in_folder("rows");
	uint64_t begin_ns = now_ns();
	struct trace_writer *writer = begin_trace(path, 0);
	int64_t *row;

	/* Not a multiple of eight, and more than a transaction. */
	for (int64_t index = 0; index < 70003; index++)
		append_wait(writer, index);
	row = trace_append(writer, TABLE_CUDA_CALL);
	row[CUDA_CALL_START_NS] = 5;
	row[CUDA_CALL_RETURN_CODE] = -1;
	row[CUDA_CALL_STREAM_ID] = trace_stream(writer, 1, 0);
	CHECK(trace_stream(writer, 1, 0x7f0000) == trace_stream(writer, 1, 0x7f0000));
	CHECK(trace_stream(writer, 1, 0x7f0000) != trace_stream(writer, 2, 0x7f0000));
	trace_add_sample(writer, 1, "CPU (%)", -1, 12.5);
	trace_add_sample(writer, 2, "CPU (%)", 0, -0.0);
	trace_add_sample(writer, 3, "CPU (%)", -1, 0.0 / 0.0);
	trace_put_gap(writer, "cuda_call", 10, 20, -1);
	CHECK(trace_rows(writer, TABLE_OFF_CPU) == 70003);
	CHECK(trace_commit(writer) == 0);
	CHECK(trace_bytes(writer) > 70003 * 10);
	CHECK(trace_time(writer, begin_ns - 1000) == 0);
	begin_ns = now_ns();
	begin_ns -= (uint64_t)trace_time(writer, begin_ns);
	CHECK(trace_duration(writer, begin_ns - 1000, 1500) == 500);
	CHECK(trace_duration(writer, begin_ns - 1000, 1000) == 0);
	CHECK(trace_duration(writer, begin_ns - 1000, 999) == 0);
	CHECK(trace_duration(writer, begin_ns, 1500) == 1500);
	CHECK(trace_duration(writer, begin_ns + 1000, UINT64_MAX) == INT64_MAX);
	finish_well(writer, begin_ns + 3000000000);

	check_whole(path);
	CHECK(number(path, "SELECT count(*) FROM off_cpu") == 70003);
	CHECK(number(path, "SELECT count(*) FROM off_cpu WHERE rowid * 1000 - 1000 = start_ns") ==
	      70003);
	CHECK(number(path, "SELECT count(*) FROM off_cpu WHERE waker_id IS NOT NULL") == 0);
	CHECK(number(path, "SELECT return_code FROM cuda_call WHERE duration_ns IS NULL") == -1);
	CHECK(number(path, "SELECT count(*) FROM sample") == 2);
	CHECK(strcmp(text(path, "SELECT typeof(value) || value FROM sample WHERE gpu_id IS NULL"),
		     "real12.5") == 0);
	CHECK(number(path, "SELECT count(*) FROM sample WHERE value = 0 AND gpu_id = 0") == 1);
	CHECK(strcmp(text(path, "SELECT group_concat(name) FROM stream"),
		     "default stream,stream 1,stream 1") == 0);
	CHECK(strcmp(text(path, "SELECT n.source || n.text FROM gap JOIN name n ON n.id = op_id "
				"WHERE lost IS NULL"),
		     "LOSTcuda_call") == 0);
	CHECK(number(path, "SELECT value FROM meta WHERE key = 'begin_unix_ns'") == BEGIN_UNIX_NS);
	CHECK(number(path, "SELECT value FROM meta WHERE key = 'finished_ns'") > 2900000000);
	CHECK(number(path, "SELECT count(*) FROM README") > 200);
	CHECK(number(path, "SELECT count(*) FROM provenance") == TRACE_TABLES);
	CHECK(strcmp(text(path, "SELECT kind FROM provenance WHERE table_name = 'syscall'"),
		     "absent") == 0);
	CHECK(access(in_folder("rows-wal"), F_OK) < 0 && access(in_folder("rows-shm"), F_OK) < 0);
}

static void test_texts(void)
{
	static const struct {
		const char *given, *wanted;
	} cases[] = {
		{"plain", "plain"},
		{"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
		 "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
		{"a\xff\x62", "a\xef\xbf\xbd\x62"},
		{"\xc3", "\xef\xbf\xbd"},                                 /* cut off */
		{"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},                 /* overlong */
		{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* surrogate */
		{"\xf4\x90\x80\x80",
		 "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* > U+10FFFF */
		{"'); DROP TABLE name; --", "'); DROP TABLE name; --"},
		{"", ""},
	};
	const char *path = in_folder("texts");
	struct trace_writer *writer = begin_trace(path, 0);
	int64_t ids[sizeof(cases) / sizeof(cases[0])];
	char *long_name = malloc(100001);
	char sql[96];

	for (size_t index = 0; index < sizeof(cases) / sizeof(cases[0]); index++)
		ids[index] = trace_name(writer, "HOST", cases[index].given);
	CHECK(trace_name(writer, "HOST", "plain") == ids[0]);
	CHECK(trace_name(writer, "CUDA", "plain") != ids[0]);
	CHECK(trace_name(writer, "HOST", NULL) == TRACE_NULL);
	for (int index = 0; index < 100000; index += 2)
		memcpy(long_name + index, "\xc3\xa9", 2);
	long_name[100000] = '\0';
	trace_name(writer, "", long_name);
	/* An odd number of bytes before: the cut falls between characters all the same. */
	trace_name(writer, "x", long_name + 1);
	finish_well(writer, now_ns());
	check_whole(path);
	for (size_t index = 0; index < sizeof(cases) / sizeof(cases[0]); index++) {
		snprintf(sql, sizeof(sql), "SELECT text FROM name WHERE id = %lld",
			 (long long)ids[index]);
		CHECK(strcmp(text(path, sql), cases[index].wanted) == 0);
	}
	CHECK(number(path, "SELECT count(*) FROM name WHERE length(text) = 1024") == 2);
	free(long_name);
}

static void test_too_many_names(void)
{
	const char *path = in_folder("names");
	struct trace_writer *writer = begin_trace(path, 0);
	int64_t last = 0, again;
	char name[32];

	for (int index = 0; index < 61000; index++) {
		snprintf(name, sizeof(name), "/data/%d", index);
		last = trace_name(writer, "", name);
		CHECK(last > 0);
	}
	again = trace_name(writer, "", "/data/not seen before");
	CHECK(again == last);
	CHECK(trace_name(writer, "", "/data/7") != last);
	finish_well(writer, now_ns());
	CHECK(number(path, "SELECT count(*) FROM name") <= 60000);
	CHECK(number(path, "SELECT count(*) FROM notice WHERE text LIKE '%names%'") == 1);
}

static void test_entities(void)
{
	const char *path = in_folder("entities");
	struct trace_writer *writer = begin_trace(path, 0);
	struct process_row process = {.id = 1,
				      .pid = 42,
				      .namespace_pid = TRACE_NULL,
				      .parent_id = TRACE_NULL,
				      .start_ns = TRACE_NULL,
				      .end_ns = TRACE_NULL,
				      .name = "python3",
				      .role = "main",
				      .rank = 3,
				      .local_rank = TRACE_NULL,
				      .world_size = 8};
	struct frame_row frame = {.line = TRACE_NULL, .address = -1, .language = "native"};
	int64_t stack;

	trace_put_process(writer, &process);
	process.end_ns = 77;
	process.cpu_quota = 1.5;
	process.pinned_nodes = "N0=4096 N1=8192";
	trace_put_process(writer, &process);
	/* nvidia-smi completes what /proc said. */
	trace_put_gpu(writer, 0, "GPU", TRACE_NULL, NULL, "0000:b3:00.0", "GPU-1", 1);
	trace_put_gpu(writer, 0, "GPU", 1 << 30, NULL, "00000000:B3:00.0", NULL, TRACE_NULL);
	stack = trace_stack_id(writer);
	trace_put_stack(writer, stack, TRACE_NULL, trace_frame(writer, &frame));
	trace_clear_stacks(writer);
	frame.symbol = "memcpy";
	trace_put_stack(writer, stack, TRACE_NULL, trace_frame(writer, &frame));
	trace_put_provenance(writer, "off_cpu", "", "sampled", 10000000, "polled");
	trace_put_provenance(writer, "off_cpu", "waker_id", "absent", TRACE_NULL, "not known");
	trace_put_meta(writer, "recorder", "one");
	trace_put_meta(writer, "recorder", "two");
	finish_well(writer, now_ns());
	check_whole(path);
	CHECK(number(path, "SELECT end_ns FROM process WHERE rank = 3 AND cpu_quota = 1.5") == 77);
	CHECK(strcmp(text(path, "SELECT pinned_nodes FROM process"), "N0=4096 N1=8192") == 0);
	CHECK(number(path, "SELECT numa_node FROM gpu WHERE memory_bytes > 0 AND uuid = 'GPU-1'") ==
	      1);
	CHECK(strcmp(text(path, "SELECT group_concat(symbol) FROM frame"), "memcpy") == 0);
	CHECK(number(path, "SELECT address FROM frame JOIN stack ON frame_id = frame.id") == -1);
	CHECK(number(path, "SELECT id FROM stack WHERE prefix_id IS NULL") == stack);
	CHECK(strcmp(text(path, "SELECT group_concat(kind || recorded_op) FROM provenance "
				"WHERE table_name = 'off_cpu' AND column_name = ''"),
		     "sampledsched_switch") == 0);
	CHECK(strcmp(text(path, "SELECT value FROM meta WHERE key = 'recorder'"), "two") == 0);
}

/* Writes main → f<round % 7> → g<round % 3>; its stack. */
static int64_t put_chain(struct trace_writer *writer, int round)
{
	struct frame_row row = {.line = TRACE_NULL, .address = TRACE_NULL, .language = "python"};
	const char *symbols[] = {"main", "f", "g"};
	const int64_t lines[] = {TRACE_NULL, round % 7, round % 3};
	int64_t stack = TRACE_NULL;

	for (int depth = 0; depth < 3; depth++) {
		row.symbol = symbols[depth];
		row.line = lines[depth];
		stack = trace_stack(writer, stack, trace_frame(writer, &row));
	}
	return stack;
}

static void test_equal_stacks_once(void)
{
	const char *path = in_folder("stacks");
	struct trace_writer *writer = begin_trace(path, 0);
	struct frame_row row = {
		.line = 1, .address = TRACE_NULL, .symbol = "", .language = "native"};
	int64_t first = 0, different;

	for (int round = 0; round < 2100; round++) {
		int64_t stack = put_chain(writer, round);

		first = round == 0 ? stack : first;
		CHECK((stack == first) == (round % 21 == 0));
	}
	/* Whatever differs makes another frame: a text that is empty, too. */
	different = trace_frame(writer, &row);
	row.symbol = NULL;
	CHECK(trace_frame(writer, &row) != different);
	row.file = "f";
	CHECK(trace_frame(writer, &row) != different);
	row.file = NULL;
	row.symbol = "f";
	CHECK(trace_frame(writer, &row) != different);
	CHECK(trace_frame(writer, &row) == different + 3);
	/* More than there is room for at first. */
	for (row.line = 2; row.line < 20000; row.line++)
		CHECK(trace_stack(writer, first, trace_frame(writer, &row)) > first);
	row.line = 2;
	CHECK(trace_frame(writer, &row) == different + 4);
	finish_well(writer, now_ns());
	check_whole(path);
	CHECK(number(path, "SELECT count(*) FROM frame WHERE language = 'python'") == 1 + 7 + 3);
	CHECK(number(path, "SELECT count(*) FROM stack") == 1 + 7 + 21 + 19998);
	CHECK(number(path,
		     "SELECT count(*) FROM stack WHERE prefix_id NOT IN "
		     "(SELECT id FROM stack) OR frame_id NOT IN (SELECT id FROM frame)") == 0);
}

static int refusal(const char *path, char *message, size_t size)
{
	struct trace_options options = {.path = path, .owner = (uid_t)-1, .group = (gid_t)-1};
	struct trace_writer *writer;

	return trace_create(&options, &writer, message, size);
}

static void test_refusals(void)
{
	char message[512];
	FILE *file = fopen(in_folder("there"), "w");

	CHECK(file && fclose(file) == 0);
	CHECK(refusal(in_folder("there"), message, sizeof(message)) == -EEXIST);
	CHECK(strstr(message, "already") && strstr(message, "remove"));
	/* A link to nowhere is followed by no one. */
	CHECK(symlink(in_folder("target"), in_folder("link")) == 0);
	CHECK(refusal(in_folder("link"), message, sizeof(message)) == -EEXIST);
	CHECK(access(in_folder("target"), F_OK) < 0);
	CHECK(symlink(in_folder("target"), in_folder("new-wal")) == 0);
	CHECK(refusal(in_folder("new"), message, sizeof(message)) == -EEXIST);
	CHECK(access(in_folder("new"), F_OK) < 0 && access(in_folder("target"), F_OK) < 0);
	CHECK(refusal(in_folder("no/such"), message, sizeof(message)) == -ENOENT);
	CHECK(refusal(in_folder(""), message, sizeof(message)) == -EISDIR);
}

static void test_owner(void)
{
	struct trace_options options = {.path = in_folder("owned"), .owner = 12345, .group = 54321};
	struct trace_writer *writer;
	struct stat status;
	char message[512];

	if (geteuid() != 0) {
		printf("  not run: whose file it is. Run it as root.\n");
		return;
	}
	CHECK(trace_create(&options, &writer, message, sizeof(message)) == 0);
	append_wait(writer, 1);
	CHECK(trace_commit(writer) == 0);
	CHECK(stat(in_folder("owned-wal"), &status) == 0);
	CHECK(status.st_uid == 12345 && status.st_gid == 54321 && (status.st_mode & 07777) == 0600);
	finish_well(writer, now_ns());
	CHECK(stat(in_folder("owned"), &status) == 0);
	CHECK(status.st_uid == 12345 && status.st_gid == 54321 && (status.st_mode & 07777) == 0600);
}

int main(void)
{
	make_folder();
	test_rows();
	test_texts();
	test_too_many_names();
	test_entities();
	test_equal_stacks_once();
	test_refusals();
	test_owner();
	remove_folder();
	return 0;
}

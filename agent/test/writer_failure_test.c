// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The trace file when something goes wrong: the largest size, a full disk, kill -9.
 * STALLTRACE_KILLS: how often it is killed (5); STALLTRACE_SEED: when.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include "trace_file.h"

#define MIB (1u << 20)

static int64_t fill(struct trace_writer *writer, int64_t most)
{
	const char *message;
	int64_t written = 0;

	while (written < most && trace_status(writer, &message) == 0) {
		append_wait(writer, written++);
		if (written % 5000 == 0)
			trace_commit(writer);
	}
	return written;
}

/* What a recorder writes at the end, as far as there is room. */
static void write_end(struct trace_writer *writer)
{
	struct frame_row frame = {.line = TRACE_NULL,
				  .language = "native",
				  .symbol = "some_function_name+0x10",
				  .file = "/usr/lib/x86_64-linux-gnu/libcuda.so.1"};

	trace_clear_stacks(writer);
	for (frame.address = 1; frame.address <= 2000; frame.address++)
		trace_stack(writer, TRACE_NULL, trace_frame(writer, &frame));
	trace_commit(writer);
	trace_put_provenance(writer, "off_cpu", "", "exact", TRACE_NULL, "every switch");
	trace_put_gap(writer, "off_cpu", 1, 2, 3);
	trace_commit(writer);
}

static void test_max_bytes(uint64_t max_bytes)
{
	const char *path = in_folder("small");
	struct trace_writer *writer = begin_trace(path, max_bytes);
	const char *status_message;
	char message[1024];
	struct stat status;
	int64_t written = fill(writer, 10000000);

	CHECK(trace_status(writer, &status_message) == -EFBIG);
	CHECK(strstr(status_message, "largest size"));
	append_wait(writer, 1);
	/* The row that was on its way when it ended may be refused. */
	CHECK((int64_t)trace_rows(writer, TABLE_OFF_CPU) >= written - 1);
	written = (int64_t)trace_rows(writer, TABLE_OFF_CPU);
	write_end(writer);
	CHECK(trace_finish(writer, now_ns(), message, sizeof(message)) == -EFBIG);
	check_whole(path);
	CHECK(stat(path, &status) == 0 && (uint64_t)status.st_size <= max_bytes);
	/* Not so careful that nothing is left. */
	CHECK((uint64_t)status.st_size > max_bytes / 2);
	CHECK(number(path, "SELECT count(*) FROM off_cpu") == written);
	CHECK(number(path, "SELECT count(*) FROM frame") == 2000);
	CHECK(number(path, "SELECT count(*) FROM gap") == 1);
	CHECK(number(path, "SELECT count(*) FROM meta WHERE key = 'finished_ns'") == 1);
	CHECK(number(path, "SELECT count(*) FROM notice WHERE text LIKE '%largest size%'") == 1);
	CHECK(unlink(path) == 0);
}

static int64_t put_called(struct trace_writer *writer, int64_t caller)
{
	struct frame_row frame = {.address = TRACE_NULL, .language = "python", .symbol = "caller"};
	int64_t stack;

	frame.line = caller;
	stack = trace_stack(writer, TRACE_NULL, trace_frame(writer, &frame));
	frame.symbol = "called";
	return trace_stack(writer, stack, trace_frame(writer, &frame));
}

/* Stacks of a transaction that was rolled back are written again for what refers to them. */
static void test_stacks_of_a_full_file(void)
{
	const char *path = in_folder("full");
	struct trace_writer *writer = begin_trace(path, 4 * MIB);
	int64_t callers = 0;
	char message[1024];

	fill(writer, 10000000);
	while (put_called(writer, ++callers) != TRACE_NULL)
		;
	trace_commit(writer);
	for (int64_t caller = callers - 200; caller <= callers; caller++)
		CHECK(put_called(writer, caller) != TRACE_NULL);
	CHECK(trace_finish(writer, now_ns(), message, sizeof(message)) == -EFBIG);
	check_whole(path);
	CHECK(number(path,
		     "SELECT count(*) FROM stack WHERE prefix_id NOT IN (SELECT id FROM stack) OR "
		     "frame_id NOT IN (SELECT id FROM frame)") == 0);
	CHECK(number(path, "SELECT count(DISTINCT line) FROM frame WHERE symbol = 'called' AND "
			   "line > (SELECT max(line) - 201 FROM frame)") == 201);
	CHECK(unlink(path) == 0);
}

static void take_all_room(const char *path)
{
	static char block[65536];
	FILE *file = fopen(path, "w");

	CHECK(file);
	while (fwrite(block, 1, sizeof(block), file) == sizeof(block) && fflush(file) == 0)
		;
	fclose(file);
}

/* The trace itself fills it, or another file does at once. */
static void test_full_disk(unsigned int mib, bool another)
{
	const char *path = in_folder("disk/trace");
	const char *status_message;
	struct trace_writer *writer;
	char message[1024], options[32];
	int64_t written, rows;
	int error;

	CHECK(mkdir(in_folder("disk"), 0700) == 0);
	snprintf(options, sizeof(options), "size=%um", mib);
	CHECK(mount("tmpfs", in_folder("disk"), "tmpfs", 0, options) == 0);
	writer = begin_trace(path, 0);
	written = 0;
	if (another) {
		written = fill(writer, 30000);
		trace_commit(writer);
		take_all_room(in_folder("disk/another"));
	}
	written += fill(writer, 10000000);
	CHECK(trace_status(writer, &status_message) == -ENOSPC);
	CHECK(strstr(status_message, " full: ") && strstr(status_message, path));
	write_end(writer);
	error = trace_finish(writer, now_ns(), message, sizeof(message));
	CHECK(error == -ENOSPC);
	check_whole(path);
	CHECK(access(in_folder("disk/trace-wal"), F_OK) < 0);
	rows = number(path, "SELECT count(*) FROM off_cpu");
	printf("  %u MiB%s: %lld of %lld rows\n", mib, another ? ", another file" : "",
	       (long long)rows, (long long)written);
	/* A transaction at most. */
	CHECK(rows > 0 && rows <= written && rows >= written - 140000);
	CHECK(number(path, "SELECT count(*) FROM frame") == 2000);
	CHECK(number(path, "SELECT count(*) FROM gap") == 1);
	CHECK(number(path, "SELECT count(*) FROM meta WHERE key = 'finished_ns'") == 1);
	CHECK(number(path,
		     "SELECT count(*) FROM notice WHERE text LIKE '%full: the recording ended%'") ==
	      1);
	CHECK(umount(in_folder("disk")) == 0 && rmdir(in_folder("disk")) == 0);
}

static uint64_t free_bytes(void)
{
	struct statvfs space;

	CHECK(statvfs(in_folder("disk"), &space) == 0);
	return (uint64_t)space.f_bavail * space.f_frsize;
}

/* Ends with so much left to others, on a disk of its own and on one that had little left. */
static void test_floor(unsigned int mib, unsigned int taken_mib, uint64_t floor, int64_t least_rows)
{
	const char *path = in_folder("disk/trace");
	const char *status_message;
	struct trace_writer *writer;
	char message[1024], options[32];
	int64_t written, rows;
	int taken;

	CHECK(mkdir(in_folder("disk"), 0700) == 0);
	snprintf(options, sizeof(options), "size=%um", mib);
	CHECK(mount("tmpfs", in_folder("disk"), "tmpfs", 0, options) == 0);
	taken = open(in_folder("disk/another"), O_WRONLY | O_CREAT, 0600);
	CHECK(taken >= 0 && fallocate(taken, 0, 0, (off_t)taken_mib * MIB + 1) == 0);
	close(taken);
	writer = begin_trace(path, 0);
	written = fill(writer, 100000000);
	CHECK(trace_status(writer, &status_message) == -ENOSPC);
	CHECK(strstr(status_message, "is nearly full: ") && strstr(status_message, path));
	CHECK(free_bytes() >= floor);
	write_end(writer);
	CHECK(trace_finish(writer, now_ns(), message, sizeof(message)) == -ENOSPC);
	CHECK(free_bytes() >= floor);
	check_whole(path);
	rows = number(path, "SELECT count(*) FROM off_cpu");
	printf("  %u of %u MiB taken: %lld of %lld rows, %.1f MiB left free\n", taken_mib, mib,
	       (long long)rows, (long long)written, (double)free_bytes() / MIB);
	/* The row that was on its way when it ended may be refused. */
	CHECK(rows >= written - 1 && rows >= least_rows);
	CHECK(number(path, "SELECT count(*) FROM frame") == 2000);
	CHECK(number(path, "SELECT count(*) FROM meta WHERE key = 'finished_ns'") == 1);
	CHECK(number(path, "SELECT count(*) FROM notice WHERE text LIKE '%is nearly full%'") == 1);
	CHECK(umount(in_folder("disk")) == 0 && rmdir(in_folder("disk")) == 0);
}

/* Rows of the last commit that came back, where the parent sees them. */
struct progress {
	volatile int64_t begun, committed;
};

static void record_until_killed(const char *path, struct progress *progress, unsigned int pace)
{
	struct trace_writer *writer = begin_trace(path, 0);
	char name[64];

	progress->begun = 1;
	for (int64_t index = 0;; index++) {
		append_wait(writer, index);
		if (index % 64 == 0) {
			int64_t *row = trace_append(writer, TABLE_PROCESS_EVENT);

			snprintf(name, sizeof(name), "name %lld", (long long)index);
			row[PROCESS_EVENT_START_NS] = index;
			row[PROCESS_EVENT_KIND] = 4;
			row[PROCESS_EVENT_OP_ID] = trace_name(writer, "HOST", name);
		}
		if (index % pace == pace - 1) {
			CHECK(trace_commit(writer) == 0);
			progress->committed = index + 1;
		}
	}
}

static void test_kill(unsigned int round)
{
	const char *path = in_folder("killed");
	struct progress *progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int pace = 500 + (unsigned int)rand() % 100000;
	pid_t child;
	int64_t rows;

	CHECK(progress != MAP_FAILED);
	child = fork();
	CHECK(child >= 0);
	if (child == 0)
		record_until_killed(path, progress, pace);
	while (!progress->begun)
		usleep(1000);
	usleep((useconds_t)rand() % 250000);
	CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
	check_whole(path);
	rows = number(path, "SELECT count(*) FROM off_cpu");
	CHECK(rows >= progress->committed);
	CHECK(number(path, "SELECT count(*) FROM process_event WHERE op_id NOT IN "
			   "(SELECT id FROM name)") == 0);
	CHECK(number(path, "SELECT count(*) FROM meta WHERE key = 'finished_ns'") == 0);
	CHECK(number(path, "SELECT count(*) FROM README") > 200);
	CHECK(access(in_folder("killed-shm"), F_OK) < 0);
	printf("  kill %u, a commit each %u rows: %lld rows, %lld of them known as committed\n",
	       round, pace, (long long)rows, (long long)progress->committed);
	munmap(progress, sizeof(*progress));
	CHECK(unlink(path) == 0);
}

/* The frames without their symbols are there until those with them are. */
static void test_kill_between_frames(void)
{
	const char *path = in_folder("frames");
	struct frame_row frame = {.line = TRACE_NULL};
	pid_t child = fork();
	int status;

	CHECK(child >= 0);
	if (child == 0) {
		struct trace_writer *writer = begin_trace(path, 0);

		for (frame.address = 0; frame.address < 100; frame.address++)
			trace_stack(writer, TRACE_NULL, trace_frame(writer, &frame));
		trace_clear_stacks(writer);
		frame.symbol = "symbol";
		for (frame.address = 0; frame.address < 70000; frame.address++)
			trace_stack(writer, TRACE_NULL, trace_frame(writer, &frame));
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	check_whole(path);
	CHECK(number(path, "SELECT count(*) FROM frame WHERE symbol IS NULL") == 100);
	CHECK(number(path, "SELECT count(*) FROM frame") == 100);
	CHECK(number(path, "SELECT count(*) FROM stack") == 100);
}

int main(void)
{
	const char *kills = getenv("STALLTRACE_KILLS"), *given = getenv("STALLTRACE_SEED");
	unsigned int seed = given ? (unsigned int)strtoul(given, NULL, 10) :
				    (unsigned int)(now_ns() / 1000);

	printf("  STALLTRACE_SEED=%u\n", seed);
	srand(seed);
	make_folder();
	test_max_bytes(4 * MIB);
	test_max_bytes(20 * MIB);
	test_stacks_of_a_full_file();
	if (geteuid() == 0) {
		test_full_disk(6, false);
		test_full_disk(48, false);
		test_full_disk(100, true);
		test_floor(64, 0, 8 * MIB, 800000);
		test_floor(200, 0, 10 * MIB, 3000000);
		/* Less is free than it would leave: it takes half. */
		test_floor(1000, 960, 14 * MIB, 300000);
	} else {
		printf("  not run: a full disk, which takes a mount. Run it as root.\n");
	}
	for (unsigned int round = 1; round <= (kills ? strtoul(kills, NULL, 10) : 5); round++)
		test_kill(round);
	test_kill_between_frames();
	remove_folder();
	return 0;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What control groups of version 1 and 2 say, from files as kernels write them: a machine has the
 * controllers of one version only.
 */
#include <errno.h>
#include <sys/stat.h>
#include "../src/host/cgroup/cgroup.h"
#include "../src/host/cgroup/cgroup_sampler.h"
#include "trace_file.h"

static char mount_point[512];

static void write_file(const char *name, const char *text)
{
	char path[1024];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", mount_point, name);
	file = fopen(path, "w");
	CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void make_group(const char *name)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s", mount_point, name);
	CHECK(mkdir(path, 0700) == 0);
}

static struct cgroup_folder group_in(const char *name, int version)
{
	struct cgroup_folder group = {.mount_length = strlen(mount_point), .version = version};

	snprintf(group.directory, sizeof(group.directory), "%s/%s", mount_point, name);
	return group;
}

static void make_mount(const char *name)
{
	snprintf(mount_point, sizeof(mount_point), "%s", in_folder(name));
	CHECK(mkdir(mount_point, 0700) == 0);
	make_group("above");
	make_group("above/job");
}

/* Linux 6.18, of a group that reads more than it may keep. */
static void test_memory_v1(void)
{
	struct cgroup_memory memory;
	struct cgroup_folder job;

	make_mount("memory-v1");
	job = group_in("above/job", 1);
	CHECK(cgroup_read_memory(&job, &memory) == -ENOENT);
	write_file("above/job/memory.limit_in_bytes", "9223372036854771712\n");
	write_file("above/job/memory.memsw.limit_in_bytes", "9223372036854771712\n");
	write_file("above/job/memory.usage_in_bytes", "1000000\n");
	write_file("above/job/memory.failcnt", "3\n");
	write_file("above/job/memory.stat", "total_workingset_refault_file 5\n");
	CHECK(cgroup_read_memory(&job, &memory) == 0);
	CHECK(memory.limit_bytes == 0 && memory.high_bytes == 0 && memory.used_bytes == 1000000);
	CHECK(memory.hits == 3 && memory.swap_bytes == -1 && memory.stalled_us == -1);
	CHECK(memory.swapped_in_bytes == -1);

	/* The one above has a limit: what became of that is what counts. */
	write_file("above/memory.limit_in_bytes", "420003840\n");
	write_file("above/memory.usage_in_bytes", "419999744\n");
	write_file("above/memory.failcnt", "1200\n");
	write_file("above/memory.memsw.failcnt", "30\n");
	write_file("above/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
	write_file("above/memory.stat", "cache 4096\nworkingset_refault_file 7\nswap 1\n"
					"total_workingset_refault_anon 10\n"
					"total_workingset_refault_file 100\ntotal_swap 8192\n"
					"total_rss 4000\ntotal_shmem 96\n");
	CHECK(cgroup_read_memory(&job, &memory) == 0);
	CHECK(memory.limit_bytes == 420003840 && memory.used_bytes == 419999744);
	CHECK(memory.hits == 1230 && memory.oom_kills == 2 && memory.swap_bytes == 8192);
	CHECK(memory.own_bytes == 4096);
	CHECK(memory.refaulted_bytes == 100 * (uint64_t)sysconf(_SC_PAGESIZE));
	CHECK(memory.swapped_in_bytes == 10 * sysconf(_SC_PAGESIZE));

	/* Its own is tighter, by memory and swap together. */
	write_file("above/job/memory.memsw.limit_in_bytes", "104857600\n");
	CHECK(cgroup_read_memory(&job, &memory) == 0);
	CHECK(memory.limit_bytes == 104857600 && memory.used_bytes == 1000000 && memory.hits == 3);
}

static void test_memory_v2(void)
{
	struct cgroup_memory memory;
	struct cgroup_folder job;

	make_mount("memory-v2");
	job = group_in("above/job", 2);
	write_file("above/job/memory.max", "max\n");
	write_file("above/job/memory.high", "314572800\n");
	write_file("above/job/memory.current", "314000000\n");
	write_file("above/job/memory.swap.current", "65536\n");
	write_file("above/job/memory.events",
		   "low 0\nhigh 4000\nmax 5\noom 1\noom_kill 1\noom_group_kill 0\n");
	write_file(
		"above/job/memory.stat",
		"anon 1\nfile 2\nshmem 5\nworkingset_refault_anon 3\nworkingset_refault_file 40\n");
	write_file("above/job/memory.pressure",
		   "some avg10=12.00 avg60=3.00 avg300=1.00 total=1234567\n"
		   "full avg10=2.00 avg60=1.00 avg300=0.10 total=34567\n");
	write_file("above/memory.max", "524288000\n");
	write_file("above/memory.high", "max\n");
	CHECK(cgroup_read_memory(&job, &memory) == 0);
	CHECK(memory.limit_bytes == 0 && memory.high_bytes == 314572800);
	CHECK(memory.used_bytes == 314000000 && memory.swap_bytes == 65536);
	CHECK(memory.own_bytes == 6);
	CHECK(memory.hits == 4005 && memory.oom_kills == 1 && memory.stalled_us == 1234567);
	CHECK(memory.refaulted_bytes == 40 * (uint64_t)sysconf(_SC_PAGESIZE));
	CHECK(memory.swapped_in_bytes == 3 * sysconf(_SC_PAGESIZE));

	/* The hard limit above it is smaller. */
	write_file("above/memory.max", "104857600\n");
	write_file("above/memory.current", "104857600\n");
	write_file("above/memory.events", "low 0\nhigh 0\nmax 77\noom 0\noom_kill 0\n");
	CHECK(cgroup_read_memory(&job, &memory) == 0);
	CHECK(memory.limit_bytes == 104857600 && memory.high_bytes == 0 && memory.hits == 77);
	CHECK(memory.stalled_us == -1 && memory.refaulted_bytes == 0);
	CHECK(memory.swapped_in_bytes == -1);
}

static void test_io_v1(void)
{
	struct cgroup_io_limit limits[MOST_IO_LIMITS];
	struct cgroup_folder job;

	make_mount("io-v1");
	job = group_in("above/job", 1);
	/* In version 1 those above it do not bind it. */
	write_file("above/blkio.throttle.read_bps_device", "8:0 1000\n");
	CHECK(cgroup_read_io_limits(&job, limits) == 0);
	write_file("above/job/blkio.throttle.read_bps_device", "253:0 12000000\n8:16 5\n");
	write_file("above/job/blkio.throttle.write_iops_device", "253:0 100\n");
	write_file("above/job/blkio.throttle.io_service_bytes_recursive",
		   "253:0 Read 4096\n253:0 Write 17\n253:0 Total 4113\nTotal 4113\n");
	write_file("above/job/blkio.throttle.io_serviced_recursive",
		   "253:0 Read 1\n253:0 Write 9\nTotal 10\n");
	CHECK(cgroup_read_io_limits(&job, limits) == 3);
	CHECK(limits[0].major == 253 && limits[0].minor == 0 && limits[0].kind == IO_READ_BYTES);
	CHECK(limits[0].per_second == 12000000 && limits[0].so_far == 4096);
	CHECK(limits[1].major == 8 && limits[1].minor == 16 && limits[1].so_far == 0);
	CHECK(limits[2].kind == IO_WRITES && limits[2].per_second == 100 && limits[2].so_far == 9);
}

static void test_io_v2(void)
{
	struct cgroup_io_limit limits[MOST_IO_LIMITS];
	struct cgroup_folder job;

	make_mount("io-v2");
	job = group_in("above/job", 2);
	write_file("above/job/io.max", "8:16 rbps=2097152 wbps=max riops=max wiops=120\n");
	write_file("above/job/io.stat",
		   "8:16 rbytes=1459200 wbytes=314773504 rios=192 wios=353 dbytes=0 dios=0\n");
	write_file("above/io.max", "8:16 rbps=1048576 wbps=max riops=max wiops=max\n"
				   "8:1 rbps=1 wbps=max riops=max wiops=max\n");
	write_file("above/io.stat", "8:16 rbytes=99 wbytes=1 rios=1 wios=1 dbytes=0 dios=0\n");
	CHECK(cgroup_read_io_limits(&job, limits) == 3);
	CHECK(limits[0].kind == IO_READ_BYTES && limits[0].per_second == 1048576);
	CHECK(limits[0].so_far == 99);
	CHECK(limits[1].kind == IO_WRITES && limits[1].per_second == 120);
	CHECK(limits[1].so_far == 353);
	CHECK(limits[2].minor == 1 && limits[2].per_second == 1);
}

static void test_cpus(void)
{
	struct cgroup_folder job;
	char cpus[64];

	make_mount("cpus");
	job = group_in("above/job", 2);
	cgroup_read_cpus(&job, cpus, sizeof(cpus));
	CHECK(strcmp(cpus, "") == 0);
	write_file("above/cpuset.cpus.effective", "0-3,8\n");
	cgroup_read_cpus(&job, cpus, sizeof(cpus));
	CHECK(strcmp(cpus, "0-3,8") == 0);
	write_file("above/job/cpuset.effective_cpus", "1\n");
	job.version = 1;
	cgroup_read_cpus(&job, cpus, sizeof(cpus));
	CHECK(strcmp(cpus, "1") == 0);
}

static double sampled(const char *path, const char *metric)
{
	char query[512];

	snprintf(
		query, sizeof(query),
		"SELECT CAST(round(value) AS INTEGER) FROM sample JOIN name ON name.id = metric_id "
		"WHERE text = '%s'",
		metric);
	return (double)number(path, query);
}

static void test_metrics(void)
{
	const char *path = in_folder("metrics");
	struct trace_writer *writer = begin_trace(path, 0);
	struct cgroup_memory before = {
		.hits = 10, .refaulted_bytes = 1 << 20, .swap_bytes = -1, .stalled_us = 0};
	struct cgroup_memory now = {
		.used_bytes = 90 << 20,
		.limit_bytes = 100 << 20,
		.swap_bytes = -1,
		.stalled_us = 500000,
		.hits = 210,
		.refaulted_bytes = 41 << 20,
		.swapped_in_bytes = 8 << 20,
		.oom_kills = 2,
	};
	/* No machine has such a device. */
	struct cgroup_io io = {.count = 1,
			       .limits = {{.major = 4000,
					   .minor = 1,
					   .kind = IO_READ_BYTES,
					   .per_second = 12 << 20}}};
	struct cgroup_io later = io;
	char message[512];

	later.limits[0].so_far = 22 << 20;
	cgroup_write_memory(writer, 1, 0, &before, &before);
	cgroup_write_memory(writer, 2, 2, &now, &before);
	cgroup_write_io(writer, 2, 2, &later, &io);
	CHECK(trace_finish(writer, now_ns(), message, sizeof(message)) == 0);
	CHECK(sampled(path, "Control group memory limit (MiB)") == 100);
	CHECK(sampled(path, "Control group memory limit hit (times/s)") == 100);
	CHECK(sampled(path, "Control group memory read again (MiB/s)") == 20);
	CHECK(sampled(path, "Control group memory swapped in (MiB/s)") == 4);
	CHECK(sampled(path, "Control group out-of-memory kills (/s)") == 1);
	CHECK(sampled(path, "Control group memory pressure (%)") == 25);
	CHECK(sampled(path, "I/O limit, reads of 4000:1 (MiB/s)") == 12);
	CHECK(sampled(path, "I/O under a limit, reads of 4000:1 (MiB/s)") == 11);
}

int main(void)
{
	make_folder();
	test_memory_v1();
	test_memory_v2();
	test_io_v1();
	test_io_v2();
	test_cpus();
	test_metrics();
	remove_folder();
	return 0;
}

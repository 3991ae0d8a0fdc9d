// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Samples of this machine, and of GPUs as a stand-in for nvidia-smi prints them. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include "../src/host/gpu/gpu_csv.h"
#include "../src/host/host.h"
#include "trace_file.h"

static void test_lines(void)
{
	static const char full[] =
		"2026/11/21 23:59:40.123, 1, NVIDIA H200, 570.86.15, 00000000:18:00.0, 143771, 97, 41, "
		"90210, 612.35, 61, 1980, 3201, 5, 16, 0x0000000000000004";
	static const char *const refused[] = {
		"",
		"No devices were found",
		"Field \"x\" is not a valid field to query.",
		"2026/11/21 23:59:40.123, 1, a, b",
		"t, -1, n, d, b, 1, 1, 1, 1, 1, 1, 1, 1",
		"t, 1.5, n, d, b, 1, 1, 1, 1, 1, 1, 1, 1",
		"t, 99999, n, d, b, 1, 1, 1, 1, 1, 1, 1, 1",
		"t, nan, n, d, b, 1, 1, 1, 1, 1, 1, 1, 1",
		"t, [N/A], n, d, b, 1, 1, 1, 1, 1, 1, 1, 1",
	};
	struct gpu_line line;

	CHECK(gpu_parse_line(full, GPU_FIELDS, &line) == 0);
	CHECK(fabs(line.values[GPU_TIME] - 1795305580.123) < 1e-4);
	CHECK(line.values[GPU_INDEX] == 1 && line.values[GPU_USE] == 97);
	CHECK(line.values[GPU_POWER] == 612.35 && line.values[GPU_CLOCK_LIMITS] == 4);
	CHECK(strcmp(line.model, "NVIDIA H200") == 0 && strcmp(line.driver, "570.86.15") == 0);
	CHECK(gpu_parse_line(full, GPU_BASIC_FIELDS, &line) == -EINVAL);
	CHECK(gpu_parse_line(
		      "[N/A], 0, [N/A], 5, [N/A], 1, [Not Supported], inf, 0x1p3, 1e999, 7 W, , 5",
		      GPU_BASIC_FIELDS, &line) == 0);
	for (int field = GPU_USE; field <= GPU_SM_CLOCK; field++)
		CHECK(isnan(line.values[field]));
	CHECK(isnan(line.values[GPU_TIME]) && line.values[GPU_MEMORY_CLOCK] == 5);
	CHECK(line.model[0] == '\0' && strcmp(line.driver, "5") == 0);
	for (size_t index = 0; index < sizeof(refused) / sizeof(refused[0]); index++)
		CHECK(gpu_parse_line(refused[index], GPU_BASIC_FIELDS, &line) == -EINVAL);
}

static void write_program(const char *path, const char *script)
{
	FILE *file = fopen(path, "w");

	CHECK(file && fputs(script, file) >= 0 && fclose(file) == 0 && chmod(path, 0755) == 0);
}

/* Reads until `rows` samples have come or 5 s have gone. */
static void read_gpu(struct gpu_sampler *sampler, struct trace_writer *writer, uint64_t rows)
{
	uint64_t until_ns = now_ns() + 5000000000ull;

	while (trace_rows(writer, TABLE_SAMPLE) < rows && now_ns() < until_ns) {
		struct pollfd waiting = {.fd = gpu_sampler_fd(sampler), .events = POLLIN};

		poll(&waiting, 1, 20);
		gpu_sampler_read(sampler, writer, now_ns());
	}
}

static struct gpu_sampler *start(const char *path)
{
	struct gpu_sampler *sampler;
	char detail[512] = "";
	int error = gpu_sampler_start(path, 100, &sampler, detail, sizeof(detail));

	if (error)
		fprintf(stderr, "%s\n", detail);
	CHECK(error == 0);
	return sampler;
}

/* /tmp is anybody's: as root the stand-in has to be where root alone writes. */
static const char *program_folder(void)
{
	static char path[] = "/root/.stalltrace-test-XXXXXX";

	return geteuid() == 0 ? mkdtemp(path) : folder;
}

static void test_gpu(const char *programs)
{
	/* Knows no more than the basic fields, floods with nonsense, flushes late. */
	static const char script[] =
		"#!/bin/sh\n"
		"case \"$1\" in *pcie*) echo 'Field \"pcie\" is not a valid field to query.'; exit 2;; esac\n"
		"[ \"$TZ\" = UTC0 ] && [ -z \"$HOME\" ] || exit 3\n"
		"head -c 5000 /dev/zero | tr '\\0' x; echo\n"
		"while :; do now=$(date -u '+%Y/%m/%d %H:%M:%S.000')\n"
		"for gpu in 0 1; do echo \"$now, $gpu, NVIDIA Test, 1.2, 0:0$gpu:0, 1024, $((gpu * 50)), 3, 4, "
		"[N/A], 6, 7, 8\"; done; sleep 0.05; done\n";
	const char *path = in_folder("gpu");
	struct trace_writer *writer = begin_trace(path, 0);
	struct gpu_sampler *sampler;
	char program[160], message[512], detail[512];
	pid_t pid;

	snprintf(program, sizeof(program), "%s/nvidia-smi", programs);
	write_program(program, script);
	sampler = start(program);
	read_gpu(sampler, writer, 40);
	pid = gpu_sampler_pid(sampler);
	CHECK(pid > 0 && gpu_sampler_percent(sampler) == 25);
	/* It ends by itself: said, and not started again at once. */
	kill(pid, SIGKILL);
	while (gpu_sampler_read(sampler, writer, now_ns()) == 0)
		usleep(1000);
	CHECK(gpu_sampler_pid(sampler) == 0 && gpu_sampler_percent(sampler) < 0);
	CHECK(gpu_sampler_read(sampler, writer, now_ns() + 30000000000ull) == -EPIPE);
	CHECK(gpu_sampler_read(sampler, writer, now_ns() + 61000000000ull) == 0);
	pid = gpu_sampler_pid(sampler);
	gpu_sampler_stop(sampler);
	CHECK(kill(pid, 0) < 0 && errno == ESRCH);
	CHECK(trace_finish(writer, now_ns(), message, sizeof(message)) == 0);
	CHECK(number(path, "SELECT count(*) FROM gpu WHERE model = 'NVIDIA Test' AND "
			   "memory_bytes = 1073741824") == 2);
	CHECK(number(path, "SELECT count(*) FROM sample JOIN name ON name.id = metric_id "
			   "WHERE text = 'GPU utilisation (%)' AND value = gpu_id * 50") >= 5);
	CHECK(number(path, "SELECT count(*) FROM name WHERE text = 'GPU power (W)' AND id IN "
			   "(SELECT metric_id FROM sample)") == 0);

	CHECK(chmod(program, 0777) == 0);
	if (geteuid() == 0)
		CHECK(gpu_sampler_start(program, 100, &sampler, detail, sizeof(detail)) ==
			      -ENOENT &&
		      strstr(detail, "others than root"));
	CHECK(gpu_sampler_start("/no/such", 100, &sampler, detail, sizeof(detail)) == -ENOENT);
	CHECK(unlink(program) == 0);
	if (geteuid() == 0)
		CHECK(rmdir(programs) == 0);
}

static void test_system(void)
{
	const char *path = in_folder("system");
	struct trace_writer *writer = begin_trace(path, 0);
	struct system_sampler *sampler = system_sampler_new();
	char message[512];
	uint64_t spent_ns = 0;

	CHECK(sampler);
	system_sampler_follow(sampler, getpid());
	host_describe(writer);
	host_describe_packages(writer, getpid());
	CHECK(system_sampler_cpu_percent(sampler) < 0);
	for (int round = 0; round < 12; round++) {
		uint64_t begin_ns = now_ns();

		system_sampler_read(sampler, writer, begin_ns);
		spent_ns += now_ns() - begin_ns;
		/* Something to see. */
		while (now_ns() < begin_ns + 60000000)
			;
		usleep(40000);
	}
	CHECK(system_sampler_cpu_percent(sampler) > 0 &&
	      system_sampler_cpu_percent(sampler) <= 100);
	system_sampler_free(sampler);
	CHECK(trace_finish(writer, now_ns(), message, sizeof(message)) == 0);
	printf("  %.0f us a sample\n", (double)spent_ns / 12e3);
	CHECK(number(path, "SELECT count(*) FROM sample JOIN name ON name.id = metric_id "
			   "WHERE text = 'CPU (%)' AND value > 0 AND value <= 100") == 11);
	CHECK(number(path, "SELECT count(*) FROM sample JOIN name ON name.id = metric_id "
			   "WHERE text = 'Memory used (MiB)' AND value > 10") == 12);
	CHECK(number(path, "SELECT count(*) FROM sample WHERE value < 0") == 0);
	CHECK(number(path, "SELECT count(*) FROM cpu") == sysconf(_SC_NPROCESSORS_ONLN));
	CHECK(number(path, "SELECT memory_bytes FROM host WHERE kernel <> '' AND os <> ''") >
	      1000000);
}

int main(void)
{
	make_folder();
	test_lines();
	test_gpu(program_folder());
	test_system();
	remove_folder();
	return 0;
}

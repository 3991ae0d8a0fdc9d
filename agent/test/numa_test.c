// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Nodes of memory, from files as kernels write them: machines that test this have one node. numa_maps is made up
 * after fs/proc/task_mmu.c of Linux 6.12.
 */
#include <errno.h>
#include <sys/stat.h>
#include "../src/host/numa.h"
#include "trace_file.h"

/* A file below the folder, with the folders that it needs. */
static void write_file(const char *name, const char *text)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s%s", folder, name);
	for (char *at = path + strlen(folder) + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		mkdir(path, 0700);
	}
	file = fopen(path, "w");
	CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void test_machine(void)
{
	static const char nodes[] = "/sys/devices/system/node/has_cpu";

	CHECK(!numa_has_several_nodes(folder));
	write_file(nodes, "0\n");
	CHECK(!numa_has_several_nodes(folder));
	write_file(nodes, "0-1\n");
	CHECK(numa_has_several_nodes(folder));
	write_file(nodes, "0,8\n");
	CHECK(numa_has_several_nodes(folder));
}

static void test_gpus(void)
{
	write_file("/sys/bus/pci/devices/0000:b3:00.0/numa_node", "1\n");
	write_file("/sys/bus/pci/devices/10000:01:00.0/numa_node", "3\n");
	write_file("/sys/bus/pci/devices/0000:18:00.0/numa_node", "-1\n");
	CHECK(numa_node_of_gpu(folder, "00000000:B3:00.0") == 1);
	CHECK(numa_node_of_gpu(folder, "0000:b3:00.0") == 1);
	CHECK(numa_node_of_gpu(folder, "00010000:01:00.0") == 3);
	CHECK(numa_node_of_gpu(folder, "0000:18:00.0") == TRACE_NULL);
	CHECK(numa_node_of_gpu(folder, "0000:19:00.0") == TRACE_NULL);
	CHECK(numa_node_of_gpu(folder, "../../proc") == TRACE_NULL);
	CHECK(numa_node_of_gpu(folder, NULL) == TRACE_NULL);
}

struct pinned {
	uint64_t begin, end;
};

static uint64_t overlap(void *context, uint64_t begin, uint64_t end)
{
	const struct pinned *pinned = context;
	uint64_t from = begin > pinned->begin ? begin : pinned->begin;
	uint64_t to = end < pinned->end ? end : pinned->end;

	return to > from ? to - from : 0;
}

/* What is said of the memory between two addresses. */
static const char *placed(uint64_t begin, uint64_t end)
{
	static char out[512];
	struct pinned pinned = {begin, end};
	uint64_t bytes[NUMA_MOST_NODES] = {0};

	CHECK(numa_read_pinned(folder, 42, overlap, &pinned, bytes) == 0);
	numa_text(bytes, out, sizeof(out));
	return out;
}

static void test_pinned(void)
{
	uint64_t bytes[NUMA_MOST_NODES] = {0};

	CHECK(numa_read_pinned(folder, 42, overlap, NULL, bytes) == -ENOENT);
	write_file(
		"/proc/42/numa_maps",
		"10000000 default heap anon=100 dirty=100 N0=90 N1=10 kernelpagesize_kB=4\n"
		"20000000 prefer:1 file=/dev/zero\\040(deleted)\\040N0\\0759 dirty=300 N0=1 N1=299 "
		"kernelpagesize_kB=4\n"
		"nonsense\n"
		"30000000 default file=/dev/nvidiactl\n"
		"38000000 default anon=30 N0=10 N70=20 kernelpagesize_kB=4\n"
		"40000000 bind:1 file=/anon_hugepage\\040(deleted) huge dirty=2 N1=2 "
		"kernelpagesize_kB=2048\n");
	/* All of a mapping, and what is certain of one that is pinned in part. */
	CHECK(strcmp(placed(0x20000000, 0x20000000 + 300 * 4096), "N0=4096 N1=1224704") == 0);
	CHECK(strcmp(placed(0x10000000, 0x10000000 + 50 * 4096), "N0=163840") == 0);
	CHECK(strcmp(placed(0x10000000, 0x10000000 + 8 * 4096), "") == 0);
	CHECK(strcmp(placed(0x40000000, 0x40400000), "N1=4194304") == 0);
	/* What lies on a node that is not told of can't be on another. */
	CHECK(strcmp(placed(0x38000000, 0x38000000 + 25 * 4096), "N0=20480") == 0);
	/* The driver's own pages are not told. */
	CHECK(strcmp(placed(0x30000000, 0x30100000), "") == 0);
}

/* Half a number would be another one. */
static void test_room(void)
{
	uint64_t bytes[NUMA_MOST_NODES] = {1048576, 0, 4096};
	char out[18];

	numa_text(bytes, out, sizeof(out));
	CHECK(strcmp(out, "N0=1048576") == 0);
	numa_text(bytes, out, 10);
	CHECK(strcmp(out, "") == 0);
}

int main(void)
{
	make_folder();
	test_machine();
	test_gpus();
	test_pinned();
	test_room();
	remove_folder();
	return 0;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "../../host/container.h"
#include "../../host/file_text.h"
#include "../../host/cgroup/cgroup.h"
#include "../../host/proc.h"
#include "check_report.h"
#include "../runs/process_table.h"

#define NFS_MAGIC 0x6969 /* linux/magic.h */
#define FUSE_MAGIC 0x65735546
/* The default of --max-size. */
#define TRACE_BYTES (4ull << 30)
/* What containers get where nothing is asked for (docker run --shm-size). */
#define SMALL_SHM_BYTES (64ull << 20)

static void check_cpus(struct check_report *report)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t *set = CPU_ALLOC(8192);
	int allowed = -1;
	struct cgroup_folder group;
	double quota = 0;

	/* By way of the kernel's own size: cpu_set_t ends at 1,024 CPUs. */
	if (set && !sched_getaffinity(0, CPU_ALLOC_SIZE(8192), set))
		allowed = CPU_COUNT_S(CPU_ALLOC_SIZE(8192), set);
	CPU_FREE(set);
	check_add(report, "cpus", "CPUs", CHECK_INFO, NULL, "%ld online, %d allowed to the agent.",
		  online, allowed);
	if (!cgroup_folder_of_process(getpid(), "cpu", &group))
		quota = cgroup_cpu_quota(&group);
	if (quota > 0)
		check_add(
			report, "cpu_quota", "CPU quota", CHECK_WARN, NULL,
			"%.2f CPUs for the agent's control group: what it records costs the job time if it shares the group.",
			quota);
	else
		check_add(report, "cpu_quota", "CPU quota", CHECK_OK, NULL, "None.");
}

static uint64_t meminfo_bytes(const char *text, const char *key)
{
	const char *field = proc_status_field(text, key);

	return field ? strtoull(field, NULL, 10) * 1024 : 0;
}

static void check_memory(struct check_report *report)
{
	char text[8192];

	if (file_text_read("/proc/meminfo", text, sizeof(text)) <= 0)
		return;
	check_add(report, "memory", "Memory", CHECK_INFO, NULL,
		  "%.1f GB, %.1f GB of it available; swap %.1f GB, %.1f GB of it free.",
		  (double)meminfo_bytes(text, "MemTotal") / 1e9,
		  (double)meminfo_bytes(text, "MemAvailable") / 1e9,
		  (double)meminfo_bytes(text, "SwapTotal") / 1e9,
		  (double)meminfo_bytes(text, "SwapFree") / 1e9);
}

static void check_shm(struct check_report *report)
{
	struct statvfs system;
	uint64_t total, left;

	if (statvfs("/dev/shm", &system)) {
		check_add(report, "shm", "/dev/shm", CHECK_WARN, NULL,
			  "Not there: workers of a DataLoader can't pass batches through it.");
		return;
	}
	total = (uint64_t)system.f_blocks * system.f_frsize;
	left = (uint64_t)system.f_bavail * system.f_frsize;
	check_add(report, "shm", "/dev/shm", total <= SMALL_SHM_BYTES ? CHECK_WARN : CHECK_OK,
		  total <= SMALL_SHM_BYTES ?
			  "Start the container with --shm-size 8g or --ipc host." :
			  NULL,
		  "%.2f GB, %.2f GB of it free%s.", (double)total / 1e9, (double)left / 1e9,
		  total <= SMALL_SHM_BYTES ? ": few batches fit that workers pass through it" : "");
}

static void check_disk(struct check_report *report)
{
	struct statfs system;
	char folder[1024];
	uint64_t left;

	if (!getcwd(folder, sizeof(folder)) || statfs(folder, &system)) {
		check_add(report, "disk", "Disk", CHECK_WARN,
			  "Change to another folder, or use record --out.",
			  "The folder the agent was started in can't be looked at.");
		return;
	}
	left = (uint64_t)system.f_bavail * (uint64_t)system.f_bsize;
	if (access(folder, W_OK))
		check_add(report, "disk", "Disk", CHECK_WARN, "Use record --out FILE.",
			  "%.300s can't be written to.", folder);
	else if (left < TRACE_BYTES)
		check_add(report, "disk", "Disk", CHECK_WARN,
			  "Free some, or use record --out, or a smaller --max-size.",
			  "%.1f GB free in %.300s: less than the 4 GB a trace may take.",
			  (double)left / 1e9, folder);
	else
		check_add(report, "disk", "Disk", CHECK_OK, NULL, "%.1f GB free in %.300s%s.",
			  (double)left / 1e9, folder,
			  system.f_type == NFS_MAGIC || system.f_type == FUSE_MAGIC ?
				  ", over a network" :
				  "");
}

static bool is_container(char *out, size_t size)
{
	char cgroup[1024];

	if (file_text_line("/run/systemd/container", out, size) > 0)
		return true;
	if (!access("/.dockerenv", F_OK)) {
		snprintf(out, size, "docker");
		return true;
	}
	if (!access("/run/.containerenv", F_OK)) {
		snprintf(out, size, "podman");
		return true;
	}
	return !cgroup_of_process(getpid(), cgroup, sizeof(cgroup)) &&
	       container_of_cgroup(cgroup, out, size);
}

/* cpuinfo's first "flags" line: CPUID leaf 1, ECX bit 31. */
static bool has_hypervisor_flag(void)
{
	char text[16384];
	const char *flags;

	if (file_text_read("/proc/cpuinfo", text, sizeof(text)) <= 0)
		return false;
	flags = strstr(text, "\nflags");
	return flags && memmem(flags + 1, strcspn(flags + 1, "\n"), " hypervisor", 11);
}

static void check_kind(struct check_report *report)
{
	char container[64], vendor[64] = "", product[64] = "";

	file_text_line("/sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor));
	file_text_line("/sys/class/dmi/id/product_name", product, sizeof(product));
	if (is_container(container, sizeof(container)))
		check_add(
			report, "container", "Container", CHECK_INFO,
			"To record jobs outside, run the agent on the host or with --pid=host --privileged.",
			"The agent runs in one (%s): it sees that container's processes only, unless it shares the host's.",
			container);
	else
		check_add(report, "container", "Container", CHECK_INFO, NULL,
			  "The agent runs in none.");
	if (has_hypervisor_flag())
		check_add(report, "virtual_machine", "Virtual machine", CHECK_INFO, NULL,
			  "Yes%s%s%s%s%s: time that the hypervisor takes shows as steal.",
			  vendor[0] || product[0] ? " (" : "", vendor,
			  vendor[0] && product[0] ? " " : "", product,
			  vendor[0] || product[0] ? ")" : "");
	else
		check_add(report, "virtual_machine", "Virtual machine", CHECK_INFO, NULL,
			  "Not that it would say.");
}

struct agents {
	char pids[128];
	unsigned int count;
};

static void note_agent(void *context, pid_t pid)
{
	struct agents *agents = context;
	struct proc_stat stat;
	char command[256];
	size_t length = strlen(agents->pids), name;

	/* The kernel keeps 15 characters of a name. */
	if (pid == getpid() || proc_read_stat(pid, 0, &stat) ||
	    strcmp(stat.comm, "stalltrace-agen") ||
	    proc_read(pid, 0, "cmdline", command, sizeof(command)) <= 0)
		return;
	name = strlen(command) + 1;
	if (name >= sizeof(command) || strcmp(command + name, "record"))
		return;
	agents->count++;
	snprintf(agents->pids + length, sizeof(agents->pids) - length, "%s%d", length ? ", " : "",
		 pid);
}

static void check_agents(struct check_report *report)
{
	struct agents agents = {0};

	proc_each_process(note_agent, &agents);
	if (agents.count)
		check_add(report, "agents", "Other captures", CHECK_WARN,
			  "`stalltrace-agent status` tells about your own.",
			  "%u running (process %s): each costs the job time.", agents.count,
			  agents.pids);
	else
		check_add(report, "agents", "Other captures", CHECK_OK, NULL, "None is running.");
}

void check_machine(struct check_report *report)
{
	check_cpus(report);
	check_memory(report);
	check_shm(report);
	check_disk(report);
	check_kind(report);
	check_agents(report);
}

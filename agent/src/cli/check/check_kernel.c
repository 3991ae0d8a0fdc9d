// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "../../host/file_text.h"
#include "../../host/proc.h"
#include "../../probe/kernel/kernel_support.h"
#include "check_report.h"

/* include/uapi/linux/capability.h */
#define CAPABILITY_SYS_PTRACE 19
#define CAPABILITY_SYS_ADMIN 21
#define CAPABILITY_PERFMON 38
#define CAPABILITY_BPF 39

/* The memory that a job and the agent share is made by it. */
static bool has_memfd(int major, int minor)
{
	return major > 3 || (major == 3 && minor >= 17);
}

static void check_version(struct check_report *report)
{
	struct utsname name;
	int major = 0, minor = 0;

	if (uname(&name))
		return;
	check_add(report, "architecture", "Architecture", CHECK_OK, NULL, "%s", name.machine);
	sscanf(name.release, "%d.%d", &major, &minor);
	/* Task storage for all programs is from 5.11, a probe's own cookie from 5.15. */
	if (major > 5 || (major == 5 && minor >= 15))
		check_add(report, "kernel", "Kernel", CHECK_OK, NULL, "%s", name.release);
	else
		check_add(report, "kernel", "Kernel", CHECK_FAIL,
			  "Use a kernel of 5.15 or later, or record by sampling.",
			  "%s: too old for the BPF programs, which need 5.15%s.", name.release,
			  has_memfd(major, minor) ?
				  "" :
				  ", and for recording from inside, which needs 3.17");
}

static void check_privileges(struct check_report *report)
{
	static const struct {
		int bit;
		const char *name;
	} wanted[] = {
		{CAPABILITY_BPF, "CAP_BPF"},
		{CAPABILITY_PERFMON, "CAP_PERFMON"},
		{CAPABILITY_SYS_PTRACE, "CAP_SYS_PTRACE"},
		{CAPABILITY_SYS_ADMIN, "CAP_SYS_ADMIN"},
	};
	char status[8192], has[128] = "", lacks[128] = "";
	const char *field;
	uint64_t set;

	if (proc_read(getpid(), 0, "status", status, sizeof(status)) <= 0)
		return;
	field = proc_status_field(status, "CapEff");
	set = field ? strtoull(field, NULL, 16) : 0;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		char *list = set >> wanted[i].bit & 1 ? has : lacks;
		size_t length = strlen(list);

		snprintf(list + length, sizeof(has) - length, "%s%s", length ? ", " : "",
			 wanted[i].name);
	}
	if (!lacks[0])
		check_add(report, "privileges", "Privileges", CHECK_OK, NULL, "User %u with %s.",
			  geteuid(), has);
	else
		check_add(report, "privileges", "Privileges", CHECK_WARN,
			  "Run the agent as root: sudo stalltrace-agent check.",
			  "User %u without %s%s%s.", geteuid(), lacks, has[0] ? "; has " : "", has);
}

static void check_btf(struct check_report *report)
{
	struct stat file;

	if (pretends_missing(report->pretend_missing, "btf"))
		check_add(report, "btf", "Kernel types (BTF)", CHECK_FAIL,
			  "Use a kernel built with CONFIG_DEBUG_INFO_BTF, or record by sampling.",
			  "Taken away for a test.");
	else if (!stat("/sys/kernel/btf/vmlinux", &file))
		check_add(report, "btf", "Kernel types (BTF)", CHECK_OK, NULL,
			  "/sys/kernel/btf/vmlinux, %.1f MB.", (double)file.st_size / 1e6);
	else if (access("/sys/kernel", F_OK))
		check_add(report, "btf", "Kernel types (BTF)", CHECK_FAIL,
			  "Mount sysfs: mount -t sysfs sysfs /sys.", "/sys is not mounted.");
	else
		check_add(report, "btf", "Kernel types (BTF)", CHECK_FAIL,
			  "Use a kernel built with CONFIG_DEBUG_INFO_BTF, or record by sampling.",
			  "This kernel has none.");
}

static void check_lockdown(struct check_report *report)
{
	char text[128];

	if (pretends_missing(report->pretend_missing, "lockdown")) {
		check_add(report, "lockdown", "Lockdown", CHECK_FAIL,
			  "Boot with lockdown=integrity, or record by sampling.",
			  "Confidentiality, for a test.");
		return;
	}
	if (file_text_line("/sys/kernel/security/lockdown", text, sizeof(text)) < 0) {
		check_add(report, "lockdown", "Lockdown", CHECK_INFO, NULL,
			  "Not told (securityfs is not mounted, or the kernel has no lockdown).");
		return;
	}
	if (strstr(text, "[none]"))
		check_add(report, "lockdown", "Lockdown", CHECK_OK, NULL, "None.");
	else if (strstr(text, "[integrity]"))
		check_add(report, "lockdown", "Lockdown", CHECK_OK, NULL,
			  "Integrity: reading is allowed.");
	else
		check_add(report, "lockdown", "Lockdown", CHECK_FAIL,
			  "Boot with lockdown=integrity, or record by sampling.",
			  "Confidentiality: BPF may not read kernel memory.");
}

static void check_tracefs(struct check_report *report)
{
	static const char *const places[] = {"/sys/kernel/tracing/events",
					     "/sys/kernel/debug/tracing/events"};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (!access(places[i], X_OK)) {
			check_add(report, "tracefs", "tracefs", CHECK_OK, NULL, "%s.", places[i]);
			return;
		}
	}
	check_add(report, "tracefs", "tracefs", CHECK_INFO, NULL,
		  "Not mounted, or not for this user. The recording does not need it.");
}

static void check_paranoid(struct check_report *report)
{
	char text[32];
	long level;

	if (file_text_line("/proc/sys/kernel/perf_event_paranoid", text, sizeof(text)) < 0) {
		check_add(report, "perf_event_paranoid", "perf_event_paranoid", CHECK_INFO, NULL,
			  "Not told.");
		return;
	}
	level = strtol(text, NULL, 10);
	check_add(report, "perf_event_paranoid", "perf_event_paranoid", CHECK_INFO, NULL,
		  level > 2 ? "%ld: CPU samples need CAP_PERFMON." : "%ld.", level);
}

static void check_clock(struct check_report *report)
{
	struct timex state = {0};
	char source[64];
	int sync = adjtimex(&state);
	const char *synced = sync < 0                  ? "its synchronisation is not told" :
			     state.status & STA_UNSYNC ? "not synchronised with others" :
							 "synchronised";

	if (file_text_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			   source, sizeof(source)) < 0)
		snprintf(source, sizeof(source), "unknown source");
	if (strstr(source, "hpet") || strstr(source, "acpi_pm") || strstr(source, "jiffies"))
		check_add(report, "clock", "Clock", CHECK_WARN,
			  "See `dmesg` for why the CPU's own counter (tsc) was given up.",
			  "%s, %s. It takes about a microsecond to read: the recording costs more.",
			  source, synced);
	else
		check_add(report, "clock", "Clock", CHECK_OK, NULL, "%s, %s.", source, synced);
}

void check_kernel(struct check_report *report)
{
	check_version(report);
	check_privileges(report);
	check_btf(report);
	check_lockdown(report);
	check_tracefs(report);
	check_paranoid(report);
	check_clock(report);
}

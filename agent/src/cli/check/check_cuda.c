// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../host/file_text.h"
#include "../../host/gpu/gpu_ask.h"
#include "../../host/host.h"
#include "../../probe/cuda/libraries.h"
#include "../../probe/kernel/return_probes.h"
#include "../../probe/uprobes.h"
#include "check_report.h"
#include "../runs/process_table.h"

#define MAPS_BYTES (4 << 20)

struct list_text {
	char text[600];
	size_t count;
};

/* "a; b; c": the first ones, and how many there are in all. */
static void append(struct list_text *list, const char *text)
{
	size_t length = strlen(list->text);

	list->count++;
	if (length + strlen(text) + 3 < sizeof(list->text))
		snprintf(list->text + length, sizeof(list->text) - length, "%s%s",
			 length ? "; " : "", text);
}

static void note_library(void *context, const struct cuda_library *library)
{
	char text[512], by[64] = "";

	if (library->mapped_by)
		snprintf(by, sizeof(by), ", mapped by process %d", library->mapped_by);
	snprintf(text, sizeof(text), "%.400s (%s%s)", library->path,
		 library->statically_linked ? "runtime inside" :
		 library->driver            ? "driver" :
					      "runtime",
		 by);
	append(context, text);
}

struct libraries_text {
	struct list_text all, slow;
	unsigned int functions; /* of those whose symbols can be read */
};

static void note_costs(void *context, const struct cuda_library *library)
{
	struct libraries_text *found = context;
	struct probe_costs costs;
	char text[512];

	note_library(&found->all, library);
	if (uprobes_costs(library, &costs))
		return;
	found->functions += costs.functions;
	if (!costs.slow)
		return;
	snprintf(text, sizeof(text), "%u of %u in %.400s", costs.slow, costs.functions,
		 library->path);
	append(&found->slow, text);
}

/* What the kernel must single-step costs every call of every process ten times as much. */
static void check_probe_costs(struct check_report *report, const struct libraries_text *found)
{
	if (found->slow.count)
		check_add(
			report, "slow_probes", "Cost of probes", CHECK_WARN,
			"Capture with --no-bpf where a job makes more than a thousand such calls a second.",
			"About 10 µs a call, not 1, for functions that begin with an instruction which the kernel must single-step: %s.",
			found->slow.text);
	else if (found->functions)
		check_add(report, "slow_probes", "Cost of probes", CHECK_OK, NULL,
			  "About 1 µs a call: none of %u functions needs a single step.",
			  found->functions);
}

static void check_libraries(struct check_report *report)
{
	struct libraries_text found = {0};

	libraries_everywhere(note_costs, &found);
	if (found.all.count)
		check_add(report, "cuda_libraries", "CUDA libraries", CHECK_OK, NULL, "%zu: %s",
			  found.all.count, found.all.text);
	else
		check_add(report, "cuda_libraries", "CUDA libraries", CHECK_INFO, NULL,
			  "None found. One that is loaded later is probed then.");
	check_probe_costs(report, &found);
}

/* "0, NVIDIA H200, 550.54, 143771 MiB": a line a GPU. */
static void check_gpus(struct check_report *report, const char *nvidia_smi)
{
	static const char *const query[] = {"--query-gpu=index,name,driver_version,memory.total",
					    "--format=csv,noheader", NULL};
	static const char *const banner[] = {NULL};
	static char text[65536];
	struct list_text gpus = {0};
	char *rest = text, *line, cuda[32] = "not told";
	const char *version;
	int err = gpu_ask(nvidia_smi, query, text, sizeof(text));

	if (err) {
		check_add(report, "gpu", "GPU", CHECK_FAIL,
			  "Run nvidia-smi by hand to see what is wrong with the driver.",
			  "%s gives no answer: %s.", nvidia_smi, strerror(-err));
		check_missing(report, "gpu_samples", "nvidia-smi gives no answer.", NULL);
		return;
	}
	while ((line = strsep(&rest, "\n"))) {
		if (line[0] >= '0' && line[0] <= '9' && strchr(line, ','))
			append(&gpus, line);
	}
	if (!gpus.count) {
		text[strcspn(text, "\n")] = '\0';
		check_add(report, "gpu", "GPU", CHECK_WARN, NULL, "nvidia-smi: %.300s", text);
		check_missing(report, "gpu_samples", "nvidia-smi names no GPU.", NULL);
		return;
	}
	if (!gpu_ask(nvidia_smi, banner, text, sizeof(text)) &&
	    (version = strstr(text, "CUDA Version: ")))
		snprintf(cuda, sizeof(cuda), "%.*s", (int)strspn(version + 14, "0123456789."),
			 version + 14);
	check_add(report, "gpu", "GPU", CHECK_OK, NULL, "%zu: %s. CUDA of the driver: %s.",
		  gpus.count, gpus.text, cuda);
	check_captured(report, "gpu_samples");
}

static void check_gpu_processes(struct check_report *report, const char *nvidia_smi)
{
	struct gpu_process processes[64];
	int count = gpu_processes(nvidia_smi, processes, 64);
	struct list_text list = {0};

	for (int i = 0; i < count; i++) {
		struct proc_stat stat;
		char text[128];

		if (proc_read_stat(processes[i].pid, 0, &stat))
			snprintf(text, sizeof(text), "%d (of another PID namespace)",
				 processes[i].pid);
		else
			snprintf(text, sizeof(text), "%d %s", processes[i].pid, stat.comm);
		append(&list, text);
	}
	if (count >= 0)
		check_add(report, "gpu_processes", "Processes on GPUs", CHECK_INFO, NULL, "%d%s%s",
			  count, count ? ": " : "", list.text);
}

/* Folder that holds torch/, from a mapping of its own; false where none is mapped. */
static bool find_torch(pid_t pid, char *out, size_t size)
{
	char *maps = malloc(MAPS_BYTES), *mark, *line;
	bool found = false;

	if (maps && proc_read(pid, 0, "maps", maps, MAPS_BYTES) > 0 &&
	    ((mark = strstr(maps, "/torch/_C.")) || (mark = strstr(maps, "/torch/lib/")))) {
		*mark = '\0';
		line = strrchr(maps, '\n');
		line = strchr(line ? line : maps, '/');
		found = line && strlen(line) < size;
		if (found)
			snprintf(out, size, "%s", line);
	}
	free(maps);
	return found;
}

/* "__version__ = '2.4.0+cu121'" in torch/version.py, as the process sees that file. */
static bool torch_version(pid_t pid, char *out, size_t size)
{
	char folder[1024], path[1200], text[4096];
	const char *at;

	if (!find_torch(pid, folder, sizeof(folder)))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/root%s/torch/version.py", pid, folder);
	if (file_text_read(path, text, sizeof(text)) <= 0 || !(at = strstr(text, "__version__")))
		return false;
	at += strcspn(at, "'\"\n");
	if (*at != '\'' && *at != '"')
		return false;
	snprintf(out, size, "%.*s", (int)strspn(at + 1, "0123456789abcdefghijklmnopqrstuvwxyz.+-"),
		 at + 1);
	return out[0] != '\0';
}

static void check_candidates(struct check_report *report, const char *nvidia_smi)
{
	struct list_text versions = {0}, filtered = {0};
	struct process_table table;
	char text[128], version[48];

	if (process_table_read(nvidia_smi, &table))
		return;
	for (size_t i = 0; i < table.count; i++) {
		const struct listed_process *process = &table.processes[i];
		pid_t pid = process->stat.pid;

		if (torch_version(pid, version, sizeof(version))) {
			snprintf(text, sizeof(text), "%s in process %d", version, pid);
			append(&versions, text);
		}
		if (process->maps_cuda && return_probes_would_kill(pid, NULL)) {
			snprintf(text, sizeof(text), "%d %s", pid, process->stat.comm);
			append(&filtered, text);
		}
	}
	check_add(report, "candidates", "Candidates", CHECK_INFO, NULL,
		  "%zu process%s; `stalltrace-agent list` shows them.", table.count,
		  table.count == 1 ? "" : "es");
	check_add(report, "pytorch", "PyTorch", CHECK_INFO, NULL, "%s",
		  versions.count ? versions.text : "No process here has it loaded.");
	if (filtered.count)
		check_add(
			report, "seccomp", "System call filters", CHECK_WARN,
			"Use a kernel before 6.11, or 6.14 and later, to have durations for them.",
			"Not given return probes, which their filter would kill them for: %s. Their CUDA calls have no duration.",
			filtered.text);
	else
		check_add(report, "seccomp", "System call filters", CHECK_OK, NULL,
			  "None that return probes would run into.");
	process_table_free(&table);
}

void check_cuda(struct check_report *report)
{
	char path[4096], detail[256] = "";
	const char *nvidia_smi = gpu_find_program(NULL, path, sizeof(path), detail, sizeof(detail));

	check_libraries(report);
	if (nvidia_smi) {
		check_gpus(report, nvidia_smi);
		check_gpu_processes(report, nvidia_smi);
	} else {
		check_add(report, "gpu", "GPU", CHECK_WARN,
			  "Install the NVIDIA driver's tools, if this machine has such a GPU.",
			  "%s", detail);
		check_missing(report, "gpu_samples", detail, NULL);
	}
	check_candidates(report, nvidia_smi);
}

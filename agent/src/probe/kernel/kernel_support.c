/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "kernel_btf.h"
#include "uprobe_links.h"
#include "../../host/file_text.h"
#include "kernel_support.h"

#define TYPEDEF_PREFIX "btf_trace_"

bool pretends_missing(const char *list, const char *name)
{
	size_t length = strlen(name);

	while (list && *list) {
		size_t word = strcspn(list, ",");

		if (word == length && !strncmp(list, name, length))
			return true;
		list += word + (list[word] == ',');
	}
	return false;
}

const char *pretended_by_environment(void)
{
	const char *list = getenv("STALLTRACE_PRETEND_MISSING");

	return list && *list ? list : NULL;
}

/* typedef void (*btf_trace_NAME)(void *, …): its prototype, or NULL. */
static const struct btf_type *prototype_of(const struct btf *btf, const struct btf_type *type)
{
	type = btf__type_by_id(btf, type->type);
	if (!type || !btf_is_ptr(type))
		return NULL;
	type = btf__type_by_id(btf, type->type);
	return type && btf_is_func_proto(type) ? type : NULL;
}

static void describe_tracepoint(const struct btf *btf, const struct btf_type *type,
				struct tracepoint *tracepoint)
{
	const struct btf_type *prototype = prototype_of(btf, type), *first;

	if (!prototype || btf_vlen(prototype) < 1)
		return;
	tracepoint->found = true;
	tracepoint->arguments = btf_vlen(prototype) - 1;
	if (!tracepoint->arguments)
		return;
	first = btf__type_by_id(btf, btf_params(prototype)[1].type);
	tracepoint->first_is_pointer = first && btf_is_ptr(first);
}

const struct tracepoint *tracepoint_named(const struct tracepoint *tracepoints, const char *name)
{
	while (tracepoints->name && strcmp(tracepoints->name, name) != 0)
		tracepoints++;
	return tracepoints;
}

int find_tracepoints(struct tracepoint *tracepoints, size_t count, const char *pretend_missing)
{
	const size_t prefix = strlen(TYPEDEF_PREFIX);
	const struct btf *btf;

	if (pretends_missing(pretend_missing, "btf"))
		return -ENOENT;
	btf = kernel_btf();
	if (!btf)
		return -errno;
	for (unsigned int id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);
		const char *name;

		if (!btf_is_typedef(type))
			continue;
		name = btf__name_by_offset(btf, type->name_off);
		if (!name || strncmp(name, TYPEDEF_PREFIX, prefix))
			continue;
		for (size_t i = 0; i < count; i++) {
			if (!strcmp(tracepoints[i].name, name + prefix) &&
			    !pretends_missing(pretend_missing, tracepoints[i].name))
				describe_tracepoint(btf, type, &tracepoints[i]);
		}
	}
	return 0;
}

/* A program that does nothing: its descriptor, or -errno. */
static int load_empty_program(unsigned int attach_type)
{
	const struct bpf_insn instructions[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = attach_type);
	int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "stalltrace_proof", "Dual BSD/GPL",
			       instructions, 2, &options);

	return fd < 0 ? -errno : fd;
}

/* Under `confidentiality` programs may not read the kernel's memory. */
static bool is_locked_down(void)
{
	char line[128];

	return file_text_line("/sys/kernel/security/lockdown", line, sizeof(line)) > 0 &&
	       strstr(line, "[confidentiality]");
}

int prove_tracing_allowed(const char *pretend_missing, char *detail, size_t detail_size)
{
	int fd;

	if (is_locked_down() || pretends_missing(pretend_missing, "lockdown")) {
		snprintf(
			detail, detail_size,
			"the kernel is locked down (confidentiality), so BPF may not read it: boot "
			"without lockdown=confidentiality");
		return -EPERM;
	}
	fd = pretends_missing(pretend_missing, "bpf") ? -EPERM : load_empty_program(0);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (fd == -EPERM || fd == -EACCES)
		snprintf(detail, detail_size,
			 "not allowed to load BPF programs: run as root, or give CAP_BPF and "
			 "CAP_PERFMON (in a container also allow the bpf system call)");
	else if (fd == -ENOSYS)
		snprintf(
			detail, detail_size,
			"the kernel was built without BPF (CONFIG_BPF_SYSCALL), or a sandbox hides it");
	else
		snprintf(detail, detail_size,
			 "a BPF program of two instructions can't be loaded: %s", strerror(-fd));
	return fd;
}

bool has_uprobe_link(unsigned int attach_type)
{
	const uint64_t offset = 0;
	int program = load_empty_program(attach_type), link;

	if (program < 0)
		return false;
	link = uprobe_link_create(program, attach_type, false, "/", &offset, NULL, 1);
	if (link >= 0)
		close(link);
	close(program);
	/* A directory has no instructions; a kernel that doesn't know the type says EINVAL. */
	return link >= 0 || link == -EBADF;
}

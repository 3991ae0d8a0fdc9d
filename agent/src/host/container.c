// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <stdio.h>
#include <string.h>
#include "container.h"

/* The first 12 of a container's 64 hexadecimal digits, as its tools show it. */
static void copy_container_id(const char *path, char *out, size_t size)
{
	const char *at;
	size_t length = 0;

	out[0] = '\0';
	for (at = path; *at; at += length ? length : 1) {
		length = strspn(at, "0123456789abcdef");
		if (length >= 32)
			snprintf(out, size, " %.12s", at);
	}
}

bool container_of_cgroup(const char *cgroup, char *out, size_t size)
{
	static const struct {
		const char *mark, *name;
	} kinds[] = {
		{"kubepods", "kubernetes"},
		{"docker", "docker"},
		{"libpod", "podman"},
		{"containerd", "containerd"},
		{"cri-o", "cri-o"},
		{"crio-", "cri-o"},
		{"lxc", "lxc"},
		{"machine.slice", "machine"},
		{"apptainer", "apptainer"},
		{"singularity", "singularity"},
		{"enroot", "enroot"},
		{"garden", "garden"},
	};
	char id[16];

	out[0] = '\0';
	/* The engine's own service is not inside a container. */
	if (strstr(cgroup, "/docker.service") || strstr(cgroup, "/containerd.service"))
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!strstr(cgroup, kinds[i].mark))
			continue;
		copy_container_id(cgroup, id, sizeof(id));
		snprintf(out, size, "%s%s", kinds[i].name, id);
		return true;
	}
	return false;
}

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef STALLTRACE_CONTAINER_H
#define STALLTRACE_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>

/* Kind and short id of the container a control group path belongs to; false = none. */
bool container_of_cgroup(const char *cgroup, char *out, size_t size);

#endif /* STALLTRACE_CONTAINER_H */

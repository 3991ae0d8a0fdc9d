/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Where a return probe would end a process. */
#ifndef STALLTRACE_RETURN_PROBES_H
#define STALLTRACE_RETURN_PROBES_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Whether the process has a seccomp filter that return probes would run into (6.11 to 6.13, x86-64).
 * pretend_missing "uretprobe_syscall": as if this were such a kernel.
 */
bool return_probes_would_kill(pid_t pid, const char *pretend_missing);
/* Whether it is such a kernel. */
bool return_probes_may_kill(const char *pretend_missing);

#endif /* STALLTRACE_RETURN_PROBES_H */

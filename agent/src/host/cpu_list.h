/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef STALLTRACE_CPU_LIST_H
#define STALLTRACE_CPU_LIST_H

/* CPUs of "0-3,8", as /sys writes them, up to one for which visit is not 0: that, else 0. */
int cpu_list_each(const char *text, int (*visit)(void *context, unsigned int cpu), void *context);

#endif /* STALLTRACE_CPU_LIST_H */

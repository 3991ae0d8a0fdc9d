/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef STALLTRACE_LIBRARY_PLACES_H
#define STALLTRACE_LIBRARY_PLACES_H

#include "libraries.h"

/*
 * Visits the CUDA libraries in the well-known places below a root directory: the machine's own with
 * pid 0, else that of /proc/PID/root. Links count from that root. 0 or -errno.
 */
int library_places(pid_t pid, library_visitor visit, void *context);
/* Those of the Python environment at `prefix` (the folder above bin). 0 or -errno. */
int library_places_below(const char *prefix, library_visitor visit, void *context);
/* Visits libcupti in the well-known places of this machine. 0 or -errno. */
int cupti_places(library_visitor visit, void *context);
/*
 * Visits the libcupti of the CUDA runtime that the process maps by this path: where it lies beside that, and of its
 * major version. 0 or -errno.
 */
int cupti_places_beside(pid_t pid, const char *runtime, library_visitor visit, void *context);

#endif /* STALLTRACE_LIBRARY_PLACES_H */

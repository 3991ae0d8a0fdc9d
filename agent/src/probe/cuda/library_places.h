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

#endif /* STALLTRACE_LIBRARY_PLACES_H */

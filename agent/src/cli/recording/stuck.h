/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The end of a recording that can't end by itself. */
#ifndef STALLTRACE_STUCK_H
#define STALLTRACE_STUCK_H

#include "recording.h"

/* A recording that had to be ended; its file holds what was committed. */
#define EXIT_STUCK 4

/* Watches `recording` from here on, up to watchdog_stop. */
void stuck_watch(struct recording *recording);

#endif /* STALLTRACE_STUCK_H */

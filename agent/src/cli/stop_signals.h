/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* SIGINT, SIGTERM and a lost terminal end the capture first, and the waiting for COMMAND second. */
#ifndef STALLTRACE_STOP_SIGNALS_H
#define STALLTRACE_STOP_SIGNALS_H

#include <stdbool.h>

/* What `stop` sends along with its SIGTERM: it counts once, however often it is asked. */
#define STOP_ASKS 0x53544f50

/* After COMMAND's fork: it keeps the dispositions the agent was started with. */
void stop_signals_install(bool detached);
unsigned int stop_signals_count(void);
/* The last one's number; 0 = none came. */
int stop_signals_last(void);

#endif /* STALLTRACE_STOP_SIGNALS_H */

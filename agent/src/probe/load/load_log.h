/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What libbpf says while it loads: kept to name the program that failed, never printed. */
#ifndef STALLTRACE_LOAD_LOG_H
#define STALLTRACE_LOAD_LOG_H

struct load_log {
	char program[64]; /* the first that failed; "" = none */
	char reason[160]; /* the verifier's last line, or libbpf's last message */
};

/* From now on until load_log_end, in this thread's loads: one at a time. */
void load_log_begin(struct load_log *log);
void load_log_end(void);

#endif /* STALLTRACE_LOAD_LOG_H */

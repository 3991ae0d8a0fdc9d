/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Has a running CPython 3.14 run a script between two bytecodes of its main thread: PEP 768, the protocol behind
 * sys.remote_exec(). The only place where another process's memory is written to.
 */
#ifndef STALLTRACE_PYTHON_REMOTE_H
#define STALLTRACE_PYTHON_REMOTE_H

#include <stdbool.h>
#include "../symbols.h"

struct python_offer {
	pid_t pid;
	uint64_t pending; /* address of the word that says that there is a script */
};

/*
 * script: full path of a file that the process can read. Its mappings have been read as `process`. 0; else
 * -errno, nothing was written, and why in a part of a sentence: "it is CPython 3.11, and …".
 */
int python_remote_offer(struct symboliser *symboliser, uint64_t process, pid_t pid,
			const char *script, struct python_offer *out, char *why, size_t why_size);
/* Whether the process has begun to run it, or is gone. */
bool python_remote_is_taken(const struct python_offer *offer);
/* It is not to run it any more. */
void python_remote_withdraw(const struct python_offer *offer);

#endif /* STALLTRACE_PYTHON_REMOTE_H */

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef STALLTRACE_PROGRAM_PREFIX_H
#define STALLTRACE_PROGRAM_PREFIX_H

#include <stddef.h>

/*
 * The folder above the one that a command is in: "/home/me/venv" of `python` where PATH finds it in
 * /home/me/venv/bin. Links stay as they are: a virtual environment's python is one. 0 or -ENOENT.
 */
int program_prefix(const char *command, const char *path_variable, char *out, size_t size);

#endif /* STALLTRACE_PROGRAM_PREFIX_H */

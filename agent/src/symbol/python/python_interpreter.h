/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Which file of a process is its interpreter, where it is loaded, and which version. */
#ifndef STALLTRACE_PYTHON_INTERPRETER_H
#define STALLTRACE_PYTHON_INTERPRETER_H

#include "python_layout.h"
#include "../symbols.h"

#define PYTHON_VERSION_SIZE 16

struct python_interpreter {
	char file[256];
	char version[PYTHON_VERSION_SIZE]; /* "3.11.2"; "3.10" where only that is known */
	unsigned int minor;                /* 0 = not known: before 3.11, under a strange name */
	uint64_t runtime;                  /* address of _PyRuntime */
};

/* python, python3, python3.11, libpython3.11.so.1.0 at the end of the path. */
bool python_is_interpreter_name(const char *path);

/* 0; -ENOENT: none; -ENOTSUP: older or newer than what is known, detail says so. */
int python_find_interpreter(struct symboliser *symboliser, uint64_t process, pid_t pid,
			    struct python_interpreter *out, char *detail, size_t detail_size);

/* Takes the version's layout and proves it. As python_prove_layout, with a detail. */
int python_choose_layout(pid_t pid, const struct python_interpreter *interpreter,
			 struct python_layout *layout, uint64_t *code_type, char *detail,
			 size_t detail_size);

#endif /* STALLTRACE_PYTHON_INTERPRETER_H */

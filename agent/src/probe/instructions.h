/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Where in a function a uprobe is cheap. */
#ifndef STALLTRACE_INSTRUCTIONS_H
#define STALLTRACE_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As many bytes of a function's begin as are looked at. */
#define INSTRUCTION_BYTES 16

/*
 * Bytes from the function's begin to where it is to be probed: behind x86-64's endbr64, which the
 * kernel would single-step (9 µs a call) and which changes nothing. *slow: the instruction there
 * is not one that the kernel emulates, so that every call costs a single step.
 */
unsigned int probe_displacement(const uint8_t *code, size_t length, bool *slow);

#endif /* STALLTRACE_INSTRUCTIONS_H */

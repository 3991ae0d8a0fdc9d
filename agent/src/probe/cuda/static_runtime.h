/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef STALLTRACE_STATIC_RUNTIME_H
#define STALLTRACE_STATIC_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Whether the mapped file has the CUDA runtime inside, with its symbols. Where these were stripped
 * (NCCL, cuBLAS) there is nothing to probe: such calls are seen as those that they make of the driver.
 * Remembers its answers by file.
 */
bool carries_cuda_runtime(pid_t pid, uint64_t start, uint64_t end, uint64_t device, uint64_t inode,
			  const char *path);

#endif /* STALLTRACE_STATIC_RUNTIME_H */

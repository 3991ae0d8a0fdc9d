/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef STALLTRACE_BLOCK_DEVICE_H
#define STALLTRACE_BLOCK_DEVICE_H

#include <stddef.h>

/* "nvme0n1"; "259:0" where it has no name here. */
void block_device_name(unsigned int major, unsigned int minor, char *out, size_t size);

#endif /* STALLTRACE_BLOCK_DEVICE_H */

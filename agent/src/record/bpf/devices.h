/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef STALLTRACE_DEVICES_H
#define STALLTRACE_DEVICES_H

#include <stdint.h>
#include "../../trace/writer.h"

/* Name id of a block device by the kernel's dev_t (major << 20 | minor): "nvme0n1", else "259:0". */
int64_t device_name(struct trace_writer *writer, uint32_t device);

#endif /* STALLTRACE_DEVICES_H */

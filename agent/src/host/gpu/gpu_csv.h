/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What nvidia-smi is asked for, and what it answers: a line a GPU. Hostile. */
#ifndef STALLTRACE_GPU_CSV_H
#define STALLTRACE_GPU_CSV_H

#include <stddef.h>

enum gpu_field {
	GPU_TIME, /* seconds of Unix time */
	GPU_INDEX,
	GPU_MODEL,
	GPU_DRIVER,
	GPU_PCI_BUS_ID,
	GPU_MEMORY_TOTAL, /* MiB */
	GPU_USE,          /* % of the time in which a kernel ran */
	GPU_MEMORY_USE,   /* % of the time in which memory was read or written */
	GPU_MEMORY_USED,  /* MiB */
	GPU_POWER,        /* W */
	GPU_TEMPERATURE,  /* °C */
	GPU_SM_CLOCK,     /* MHz */
	GPU_MEMORY_CLOCK, /* MHz */
	GPU_BASIC_FIELDS, /* every driver knows those up to here */
	GPU_PCIE_GENERATION = GPU_BASIC_FIELDS,
	GPU_PCIE_LANES,
	GPU_CLOCK_LIMITS, /* bits: nvmlClocksEventReasons of nvml.h */
	GPU_FIELDS,
};

#define GPU_MAX_INDEX 1023

struct gpu_line {
	double values[GPU_FIELDS]; /* NAN: a text, or not to be had ("[N/A]") */
	char model[128], driver[64], pci_bus_id[64];
};

/* The argument of --query-gpu for the first `fields`. */
void gpu_query(unsigned int fields, char *out, size_t size);
/* 0 or -EINVAL: not as many values as asked for, one too long, or no index. */
int gpu_parse_line(const char *line, unsigned int fields, struct gpu_line *out);

#endif /* STALLTRACE_GPU_CSV_H */

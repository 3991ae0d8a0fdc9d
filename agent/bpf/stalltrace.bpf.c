/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The one BPF object; each header holds the programs of one source. */
#include "state.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#include "tasks.bpf.h"
#include "stacks.bpf.h"
#include "calls.bpf.h"
#include "sched.bpf.h"
#include "process.bpf.h"
#include "samples.bpf.h"
#include "block.bpf.h"
#include "memory.bpf.h"
#include "syscalls.bpf.h"

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* CUDA libraries on this machine: found in what processes map and in well-known places. */
#ifndef STALLTRACE_LIBRARIES_H
#define STALLTRACE_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct cuda_library {
	char path[4096];      /* as the process that maps it sees it */
	char open_path[4200]; /* as we can open it: /proc/PID/root/…, else path */
	uint64_t device, inode;
	bool driver; /* libcuda.so, else the runtime */
	/* A program or library that carries cudart inside; only where it can be probed there. */
	bool statically_linked;
	pid_t mapped_by; /* one process that maps it; 0 = found by path only */
};

typedef void (*library_visitor)(void *context, const struct cuda_library *library);

/* Those that `pid` maps. Returns how many, or -errno. */
int libraries_of_process(pid_t pid, library_visitor visit, void *context);
/* All processes' and the well-known places (ldconfig's cache, site-packages, /usr/local/cuda). */
int libraries_everywhere(library_visitor visit, void *context);
/* Those beside a command: of the virtual environment that its python or torchrun is in. */
int libraries_beside(const char *command, library_visitor visit, void *context);
/* Whether a mapped file's name says that it may be one: libcudart*.so*, libcuda.so*. */
bool is_cuda_library_name(const char *path, bool *driver);
/* The same of libcupti.so*. */
bool is_cupti_name(const char *path);
/*
 * Whether a job here would find a libcupti: one that a process maps, that of a CUDA runtime that one maps, or one in a
 * well-known place. Its path, as whoever has it sees it; names in it are others' to choose.
 */
bool find_any_cupti(char *out, size_t size);

/* Tells of each executable file mapping made on the machine, as it happens. */
struct mapping_watch;
struct file_mapping {
	pid_t tgid;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t address, size, offset;
	uint64_t device, inode;
	const char *path;
};
int mapping_watch_open(struct mapping_watch **out);
int mapping_watch_fd(const struct mapping_watch *watch); /* an epoll descriptor */
/* Hands over what has come; returns mappings lost, or -errno. */
int mapping_watch_read(struct mapping_watch *watch,
		       void (*handle)(void *context, const struct file_mapping *mapping),
		       void *context);
void mapping_watch_close(struct mapping_watch *watch);

#endif /* STALLTRACE_LIBRARIES_H */

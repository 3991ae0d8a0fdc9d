/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Addresses → names, at the end of a recording: mappings are kept as they come, files read late. */
#ifndef STALLTRACE_SYMBOLS_H
#define STALLTRACE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mapping {
	uint64_t start_ns; /* CLOCK_MONOTONIC when it was seen */
	uint64_t address, size, offset;
	uint64_t device, inode;
	const char *file;      /* as the process sees it; owned by the symboliser */
	char build_id[64 + 1]; /* hexadecimal; empty = none or not read yet */
};

/*
 * Longer names are cut to this, and end in SYMBOL_CUT_MARK. Nothing here reads what a name says: one of
 * 729 bytes kept a demangler busy for ever.
 */
#define SYMBOL_NAME_BYTES 16384
#define SYMBOL_CUT_MARK "\xe2\x80\xa6" /* U+2026 */

/* Cuts a name of more than `most` bytes to these, mark included; no character of UTF-8 in two. */
void symbol_cut_name(char *name, size_t most);

struct symbol {
	/* As the file has it, mangled and any bytes; empty = not known. */
	char name[SYMBOL_NAME_BYTES + 1];
	char file[256];  /* the mapped file's path */
	uint64_t offset; /* from the symbol's begin */
};

struct symboliser;
struct symboliser *symboliser_new(void);
void symboliser_free(struct symboliser *symboliser);

/* process: any number that names it for good (a pid may come again). */
/* Reads /proc/PID/maps; again where it was read before. 0 or -errno. */
int symboliser_read_process(struct symboliser *symboliser, uint64_t process, pid_t pid);
/* A mapping that was watched as it was made. */
int symboliser_add_mapping(struct symboliser *symboliser, uint64_t process, pid_t pid,
			   uint64_t time_ns, uint64_t address, uint64_t size, uint64_t offset,
			   uint64_t device, uint64_t inode, const char *path);
/* The child begins with its parent's mappings. */
int symboliser_fork(struct symboliser *symboliser, uint64_t parent, uint64_t child);
/*
 * exec: the old mappings yield to the new ones. Where nothing new lies they can still be found, for
 * stacks that were taken before.
 */
void symboliser_exec(struct symboliser *symboliser, uint64_t process);
/*
 * Opens the mapped files while the process's root can still be reached, so that they can be read
 * after it has exited (containers). Cheap: only files not opened yet.
 */
void symboliser_hold_files(struct symboliser *symboliser, uint64_t process, pid_t pid);

/* Mappings beyond what is kept (a million, of 65,536 files): functions there stay addresses. */
uint64_t symboliser_refused_mappings(const struct symboliser *symboliser);
/* Files that were wanted and could not be had (gone, replaced, forbidden, too many to hold). */
uint64_t symboliser_missed_files(const struct symboliser *symboliser);

/* The mapping at the address, or NULL. Valid until the next call that changes mappings. */
const struct mapping *symboliser_find(const struct symboliser *symboliser, uint64_t process,
				      uint64_t address);
/* What the process maps now; a mapping that another one splits comes twice. */
void symboliser_each_mapping_of(const struct symboliser *symboliser, uint64_t process,
				void (*visit)(void *context, const struct mapping *m),
				void *context);
/* Every mapping ever seen of each process. */
void symboliser_each_mapping(struct symboliser *symboliser,
			     void (*visit)(void *context, uint64_t process,
					   const struct mapping *m),
			     void *context);

/* 0, or -ENOENT with as much of *out as is known (the file). */
int symboliser_resolve(struct symboliser *symboliser, uint64_t process, uint64_t address,
		       struct symbol *out);
/* Kernel addresses through /proc/kallsyms; -EPERM where it hides them. */
int symboliser_resolve_kernel(struct symboliser *symboliser, uint64_t address, struct symbol *out);

#endif /* STALLTRACE_SYMBOLS_H */

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The files that processes map, each opened once and held for as long as it may be asked for. */
#ifndef STALLTRACE_MAPPED_FILES_H
#define STALLTRACE_MAPPED_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "elf/elf_file.h"

struct mapped_files;
struct mapped_files *mapped_files_new(void);
void mapped_files_free(struct mapped_files *files);

/* The number of a file, the same for the same. Copies path. 0 or -errno. */
int mapped_files_add(struct mapped_files *files, uint64_t device, uint64_t inode, const char *path,
		     uint32_t *out);
const char *mapped_files_path(const struct mapped_files *files, uint32_t file);
const char *mapped_files_build_id(const struct mapped_files *files, uint32_t file);

/* Opens the file, if it is not yet, as the process maps it at start to end. */
void mapped_files_hold(struct mapped_files *files, uint32_t file, pid_t pid, uint64_t start,
		       uint64_t end);
/* NULL where it could not be opened or is no ELF file. */
struct elf_file *mapped_files_elf(const struct mapped_files *files, uint32_t file);

/* Files that were tried and not had: gone, replaced, forbidden, or too many to hold. */
uint64_t mapped_files_missed(const struct mapped_files *files);

#endif /* STALLTRACE_MAPPED_FILES_H */

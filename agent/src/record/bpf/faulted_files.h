/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Names of the files whose pages threads waited for as they touched memory that maps them. Which file it was the BPF
 * programs say; its path stands in the list of mappings, beside its device and inode.
 */
#ifndef STALLTRACE_FAULTED_FILES_H
#define STALLTRACE_FAULTED_FILES_H

#include "../../../wire.h"
#include "../../trace/writer.h"

struct faulted_files;
struct faulted_files *faulted_files_new(struct trace_writer *writer);
void faulted_files_free(struct faulted_files *files);

/* Name id of the file of a record of FILE_MAPPED: "/data/train.bin (ext4)"; "mapped file" where it can't be found. */
int64_t faulted_file_name(struct faulted_files *files, const struct off_cpu_record *record);

#endif /* STALLTRACE_FAULTED_FILES_H */

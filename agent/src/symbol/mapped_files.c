// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mapped_files.h"
#include "open_mapped.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define MAX_FILES 65536u
#define MAX_HELD 8192u
#define MAX_VDSO_BYTES 65536u
/* Of all files of a recording: 5 s of reading what is in memory, 700 MB of symbols kept. */
#define ALL_BYTES (UINT64_C(16) << 30)
#define ALL_SYMBOLS (UINT64_C(16) << 20)
/* Processes through which a file that can't be had is looked for. */
#define MAX_TRIES 16u

struct mapped_file {
	uint64_t device, inode;
	char *path;
	char build_id[64 + 1];
	struct elf_file *elf;
	int fd;          /* -1 = not held */
	pid_t tried_pid; /* last process through which it was tried; 0 = never */
	uint8_t tries;
	bool no_elf;
};

struct mapped_files {
	struct mapped_file *files;
	uint32_t count, capacity;
	uint32_t *slots; /* file + 1; open addressing, at most half full */
	uint32_t slot_count;
	uint32_t held, max_held;
	struct elf_budget budget;
};

struct mapped_files *mapped_files_new(void)
{
	struct mapped_files *files = calloc(1, sizeof(*files));
	struct rlimit limit;

	if (!files)
		return NULL;
	files->max_held = 256;
	files->budget = (struct elf_budget){.bytes = ALL_BYTES, .symbols = ALL_SYMBOLS};
	/* Half, for the probes and rings of many CPUs take descriptors as well. */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		files->max_held = limit.rlim_cur / 2 < MAX_HELD ? limit.rlim_cur / 2 : MAX_HELD;
	return files;
}

void mapped_files_free(struct mapped_files *files)
{
	if (!files)
		return;
	for (uint32_t i = 0; i < files->count; i++) {
		elf_file_close(files->files[i].elf);
		if (files->files[i].fd >= 0)
			close(files->files[i].fd);
		free(files->files[i].path);
	}
	free(files->files);
	free(files->slots);
	free(files);
}

static uint32_t slot_of(const struct mapped_files *files, uint64_t device, uint64_t inode,
			const char *path)
{
	uint64_t hash = (device * 31 + inode) * 0x9e3779b97f4a7c15u;
	uint32_t slot;

	for (const char *at = path; *at; at++)
		hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
	for (slot = hash >> 32 & (files->slot_count - 1); files->slots[slot];
	     slot = (slot + 1) & (files->slot_count - 1)) {
		const struct mapped_file *file = &files->files[files->slots[slot] - 1];

		if (file->device == device && file->inode == inode && !strcmp(file->path, path))
			break;
	}
	return slot;
}

static int grow(struct mapped_files *files)
{
	uint32_t capacity = files->capacity ? files->capacity * 2 : 256;
	struct mapped_file *grown;
	uint32_t *slots;

	if (capacity > MAX_FILES)
		return -ENOSPC;
	slots = calloc(capacity * 2, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	grown = realloc(files->files, capacity * sizeof(*grown));
	if (!grown) {
		free(slots);
		return -ENOMEM;
	}
	free(files->slots);
	files->files = grown;
	files->capacity = capacity;
	files->slots = slots;
	files->slot_count = capacity * 2;
	for (uint32_t i = 0; i < files->count; i++)
		slots[slot_of(files, grown[i].device, grown[i].inode, grown[i].path)] = i + 1;
	return 0;
}

int mapped_files_add(struct mapped_files *files, uint64_t device, uint64_t inode, const char *path,
		     uint32_t *out)
{
	struct mapped_file *file;
	uint32_t slot;
	int err;

	if (files->count == files->capacity) {
		err = grow(files);
		if (err)
			return err;
	}
	slot = slot_of(files, device, inode, path);
	if (files->slots[slot]) {
		*out = files->slots[slot] - 1;
		return 0;
	}
	file = &files->files[files->count];
	*file = (struct mapped_file){.device = device, .inode = inode, .fd = -1};
	file->path = strdup(path);
	if (!file->path)
		return -ENOMEM;
	files->slots[slot] = ++files->count;
	*out = files->count - 1;
	return 0;
}

const char *mapped_files_path(const struct mapped_files *files, uint32_t file)
{
	return files->files[file].path;
}

const char *mapped_files_build_id(const struct mapped_files *files, uint32_t file)
{
	return files->files[file].build_id;
}

/* The kernel gives every process the same code; ours is at hand. */
static int copy_vdso(uint64_t size)
{
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
	int fd;

	if (!vdso || size == 0 || size > MAX_VDSO_BYTES)
		return -ENOENT;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* The kernel copies it: where ours is shorter, write ends early instead of faulting. */
	if (write(fd, vdso, size) <= 0) {
		close(fd);
		return -ENOENT;
	}
	return fd;
}

static void hold(struct mapped_files *files, struct mapped_file *file, int fd)
{
	int err = elf_file_open(fd, &file->elf);

	if (err) {
		/* One that there was no time for is missed. */
		file->no_elf = err != -EFBIG;
		close(fd);
		return;
	}
	elf_file_share(file->elf, &files->budget);
	file->fd = fd;
	files->held++;
	elf_file_build_id(file->elf, file->build_id);
}

void mapped_files_hold(struct mapped_files *files, uint32_t number, pid_t pid, uint64_t start,
		       uint64_t end)
{
	struct mapped_file *file = &files->files[number];
	int fd;

	if (file->fd >= 0 || file->no_elf || file->tried_pid == pid || file->tries == MAX_TRIES)
		return;
	file->tried_pid = pid;
	file->tries++;
	if (files->held >= files->max_held)
		return;
	if (strcmp(file->path, "[vdso]") == 0)
		fd = copy_vdso(end - start);
	else if (file->inode == 0)
		return;
	else
		fd = open_mapped(pid, start, end, file->device, file->inode, file->path);
	if (fd >= 0)
		hold(files, file, fd);
}

struct elf_file *mapped_files_elf(const struct mapped_files *files, uint32_t file)
{
	return files->files[file].elf;
}

uint64_t mapped_files_missed(const struct mapped_files *files)
{
	uint64_t missed = 0;

	for (uint32_t i = 0; i < files->count; i++) {
		const struct mapped_file *file = &files->files[i];

		missed += file->inode != 0 && file->tried_pid != 0 && file->fd < 0 && !file->no_elf;
	}
	return missed;
}

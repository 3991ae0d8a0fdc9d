// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Reads with pread and never maps: a file that is cut short under us is an error, not a SIGBUS. Each
 * header is read once and checked as read, so a file that changes meanwhile can't get round a check.
 */
#include "elf_layout.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../../watchdog.h"

#define MAX_NOTE_BYTES 65536
/* Real files have three. */
#define MAX_NOTES 64
/* So that a slow disk is seen to go on. */
#define PART_BYTES (1u << 20)
#define NS_PER_BYTE 100u

static uint64_t waited_in_vain_ns;

void elf_count_waiting(uint64_t waited_ns, uint64_t bytes)
{
	uint64_t fair_ns = bytes * NS_PER_BYTE;

	if (waited_ns > fair_ns)
		waited_in_vain_ns += waited_ns - fair_ns;
}

void elf_forget_waiting(void)
{
	waited_in_vain_ns = 0;
}

static bool take(uint64_t *left, uint64_t amount)
{
	if (*left < amount)
		return false;
	*left -= amount;
	return true;
}

int elf_spend(const struct elf_file *file, uint64_t bytes)
{
	if (!take(&file->budget->bytes, bytes))
		return -EFBIG;
	return file->shared && !take(&file->shared->bytes, bytes) ? -EFBIG : 0;
}

void elf_file_share(struct elf_file *file, struct elf_budget *budget)
{
	file->shared = budget;
}

long elf_file_read(const struct elf_file *file, uint64_t offset, void *buffer, size_t size)
{
	size_t done = 0;

	if (offset > INT64_MAX - size)
		return -EINVAL;
	if (elf_spend(file, size))
		return -EFBIG;
	while (done < size) {
		size_t part = size - done < PART_BYTES ? size - done : PART_BYTES;
		uint64_t asked_ns = clock_ns(CLOCK_MONOTONIC);
		ssize_t got;

		if (waited_in_vain_ns >= ELF_MOST_WAITING_NS)
			return -EFBIG;
		got = pread(file->fd, (char *)buffer + done, part, offset + done);
		elf_count_waiting(clock_ns(CLOCK_MONOTONIC) - asked_ns, got > 0 ? got : 0);
		watchdog_step(STEP_OF_WORK);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		done += got;
	}
	return done;
}

int elf_read_exactly(const struct elf_file *file, uint64_t offset, void *buffer, size_t size)
{
	long got = elf_file_read(file, offset, buffer, size);

	if (got < 0)
		return got;
	return (size_t)got == size ? 0 : -EINVAL;
}

/* A table of the file in memory of its own; *out stays NULL for an empty one. */
static int read_table(const struct elf_file *file, uint64_t offset, uint64_t count,
		      size_t entry_size, void **out)
{
	size_t bytes = count * entry_size;
	void *table;
	int err;

	if (count == 0)
		return 0;
	if (offset > file->size || bytes > file->size - offset)
		return -EINVAL;
	table = malloc(bytes);
	if (!table)
		return -ENOMEM;
	err = elf_read_exactly(file, offset, table, bytes);
	if (err) {
		free(table);
		return err;
	}
	*out = table;
	return 0;
}

static int check_header(const Elf64_Ehdr *header)
{
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return -EINVAL;
	if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
		return -EINVAL;
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
		return -EINVAL;
	if (header->e_phnum > ELF_MAX_SEGMENTS)
		return -EINVAL;
	if (header->e_phnum && header->e_phentsize != sizeof(Elf64_Phdr))
		return -EINVAL;
	if (header->e_shnum && header->e_shentsize != sizeof(Elf64_Shdr))
		return -EINVAL;
	return 0;
}

static int read_headers(struct elf_file *file)
{
	Elf64_Ehdr header;
	struct stat status;
	int err;

	if (fstat(file->fd, &status) != 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	file->size = status.st_size;
	err = elf_read_exactly(file, 0, &header, sizeof(header));
	if (!err)
		err = check_header(&header);
	if (!err)
		err = read_table(file, header.e_phoff, header.e_phnum, sizeof(Elf64_Phdr),
				 (void **)&file->segments);
	if (err)
		return err;
	file->segment_count = header.e_phnum;
	/* Stripped of its section headers, or cut off before them: still good for its segments. */
	err = read_table(file, header.e_shoff, header.e_shnum, sizeof(Elf64_Shdr),
			 (void **)&file->sections);
	if (err == -EINVAL)
		return 0;
	if (err)
		return err;
	file->section_count = header.e_shnum;
	return 0;
}

/* GNU build ids are notes of type 3 and owner "GNU" (gabi, "Note Section"). */
static void find_build_id(const unsigned char *notes, size_t size, char out[64 + 1])
{
	size_t at = 0;

	while (size - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		size_t name_at = at + sizeof(note), data_at, end;

		memcpy(&note, notes + at, sizeof(note));
		if (note.n_namesz > size || note.n_descsz > size)
			return;
		data_at = name_at + ((note.n_namesz + 3u) & ~3u);
		end = data_at + ((note.n_descsz + 3u) & ~3u);
		if (data_at > size || note.n_descsz > size - data_at)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    memcmp(notes + name_at, "GNU", 4) == 0 && note.n_descsz <= 32) {
			for (size_t i = 0; i < note.n_descsz; i++)
				snprintf(out + 2 * i, 3, "%02x", notes[data_at + i]);
			return;
		}
		if (end > size)
			return;
		at = end;
	}
}

static int read_build_id(struct elf_file *file)
{
	unsigned char *notes = malloc(MAX_NOTE_BYTES);
	unsigned int notes_read = 0;

	if (!notes)
		return -ENOMEM;
	for (size_t i = 0; i < file->segment_count && !file->build_id[0] && notes_read < MAX_NOTES;
	     i++) {
		const Elf64_Phdr *segment = &file->segments[i];
		size_t bytes = segment->p_filesz;

		if (segment->p_type != PT_NOTE)
			continue;
		notes_read++;
		if (bytes > MAX_NOTE_BYTES)
			bytes = MAX_NOTE_BYTES;
		if (elf_read_exactly(file, segment->p_offset, notes, bytes) == 0)
			find_build_id(notes, bytes, file->build_id);
	}
	free(notes);
	return 0;
}

int elf_file_open(int fd, struct elf_file **out)
{
	struct elf_file *file = calloc(1, sizeof(*file));
	int err;

	if (!file)
		return -ENOMEM;
	file->fd = fd;
	file->own = (struct elf_budget)ELF_FILE_BUDGET;
	file->budget = &file->own;
	err = read_headers(file);
	if (!err)
		err = read_build_id(file);
	if (err) {
		elf_file_close(file);
		return err;
	}
	*out = file;
	return 0;
}

void elf_file_close(struct elf_file *file)
{
	if (!file)
		return;
	elf_symbols_free(file);
	free(file->segments);
	free(file->sections);
	free(file);
}

void elf_file_build_id(const struct elf_file *file, char out[64 + 1])
{
	memcpy(out, file->build_id, sizeof(file->build_id));
}

/*
 * Pages at the seams of segments are mapped twice, so an offset may belong to two: the executable one
 * counts, for it is code whose address is asked.
 */
int elf_file_address_of_offset(const struct elf_file *file, uint64_t offset, uint64_t *address)
{
	const Elf64_Phdr *found = NULL;

	for (size_t i = 0; i < file->segment_count; i++) {
		const Elf64_Phdr *segment = &file->segments[i];

		if (segment->p_type != PT_LOAD || offset < segment->p_offset ||
		    offset - segment->p_offset >= segment->p_filesz)
			continue;
		if (!found || (segment->p_flags & PF_X))
			found = segment;
	}
	if (!found)
		return -ENOENT;
	*address = found->p_vaddr + (offset - found->p_offset);
	return 0;
}

int elf_file_offset_of_address(const struct elf_file *file, uint64_t address, uint64_t *offset)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		const Elf64_Phdr *segment = &file->segments[i];

		if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
		    address - segment->p_vaddr < segment->p_filesz) {
			*offset = segment->p_offset + (address - segment->p_vaddr);
			return 0;
		}
	}
	return -ENOENT;
}

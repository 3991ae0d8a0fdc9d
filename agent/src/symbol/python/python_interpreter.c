// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "python_interpreter.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../elf/elf_file.h"
#include "../open_mapped.h"
#include "python_memory.h"

/* Where an interpreter may be, best first: a program that embeds it links it under any name. */
enum { IN_LIBRARY, IN_INTERPRETER, IN_PROGRAM, PLACES };

struct search {
	uint64_t program_inode;
	const struct mapping *places[PLACES];
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* 11 for "python3.11", "libpython3.11.so.1.0", "python3.11d"; 0 = does not say. */
static unsigned int minor_in_name(const char *path)
{
	const char *version = strstr(base_name(path), "python3.");
	unsigned long minor = version ? strtoul(version + 8, NULL, 10) : 0;

	return minor < 100 ? (unsigned int)minor : 0;
}

static bool is_library_name(const char *path)
{
	const char *name = base_name(path);

	/* Not libpython3.so, which only names the real one. */
	return !strncmp(name, "libpython", 9) && isdigit((unsigned char)name[9]) &&
	       name[10] == '.' && isdigit((unsigned char)name[11]) && strstr(name, ".so");
}

bool python_is_interpreter_name(const char *path)
{
	const char *name = base_name(path);

	if (is_library_name(path))
		return true;
	if (strncmp(name, "python", 6))
		return false;
	/* Not python3-config or pythonw.exe. */
	return name[6 + strspn(name + 6, "0123456789.dm")] == '\0';
}

static void consider_mapping(void *context, const struct mapping *mapping)
{
	struct search *search = context;
	int rank;

	if (!mapping->file || mapping->file[0] != '/')
		return;
	if (is_library_name(mapping->file))
		rank = IN_LIBRARY;
	else if (python_is_interpreter_name(mapping->file))
		rank = IN_INTERPRETER;
	else if (mapping->inode && mapping->inode == search->program_inode)
		rank = IN_PROGRAM;
	else
		return;
	if (!search->places[rank])
		search->places[rank] = mapping;
}

/* Py_Version: 0x030b02f0 for 3.11.2; there since 3.11. */
static void read_version_word(pid_t pid, uint64_t address, struct python_interpreter *out)
{
	uint64_t version;

	if (memory_read_word(pid, address, &version) || version >> 24 != 3)
		return;
	out->minor = version >> 16 & 255;
	snprintf(out->version, sizeof(out->version), "3.%u.%u", out->minor,
		 (unsigned int)(version >> 8 & 255));
}

/* PY_VERSION among the file's constants: "3.10.13", or the end of a path that linkers merge it with. */
static bool find_version_text(const char *data, size_t size, unsigned int minor, char *out,
			      size_t out_size)
{
	char begin[8];
	size_t length = (size_t)snprintf(begin, sizeof(begin), "3.%u.", minor);
	const char *at = data, *end = data + size;

	while ((at = memmem(at, (size_t)(end - at), begin, length))) {
		size_t digits = 0;

		while (at + length + digits < end && digits < 3 &&
		       isdigit((unsigned char)at[length + digits]))
			digits++;
		if (digits && at > data && at[-1] != '.' && !isdigit((unsigned char)at[-1]) &&
		    at + length + digits < end && !at[length + digits]) {
			snprintf(out, out_size, "%s", at);
			return true;
		}
		at += length;
	}
	return false;
}

static void read_version_text(const struct elf_file *elf, struct python_interpreter *out)
{
	enum { CHUNK = 256 << 10, OVERLAP = 16, MAX_FILE = 64 << 20 };
	char *data = malloc(CHUNK);
	long size;

	snprintf(out->version, sizeof(out->version), "3.%u", out->minor);
	for (uint64_t offset = 0; data && offset < MAX_FILE; offset += CHUNK - OVERLAP) {
		size = elf_file_read(elf, offset, data, CHUNK);
		if (size <= OVERLAP || find_version_text(data, (size_t)size, out->minor,
							 out->version, sizeof(out->version)))
			break;
	}
	free(data);
}

static int read_interpreter(pid_t pid, const struct mapping *place, struct elf_file *elf,
			    struct python_interpreter *out)
{
	uint64_t runtime = elf_file_symbol_address(elf, "_PyRuntime");
	uint64_t version = elf_file_symbol_address(elf, "Py_Version");
	uint64_t linked;
	int error;

	/* The program of a shared build has nothing of Python's in it. */
	if (!runtime)
		return elf_file_symbol_address(elf, "Py_Initialize") ? -ENOTSUP : -ENOENT;
	error = elf_file_address_of_offset(elf, place->offset, &linked);
	if (error)
		return error;
	*out = (struct python_interpreter){.runtime = runtime + place->address - linked};
	snprintf(out->file, sizeof(out->file), "%s", place->file);
	if (version)
		read_version_word(pid, version + place->address - linked, out);
	if (!out->minor) {
		out->minor = minor_in_name(place->file);
		if (out->minor)
			read_version_text(elf, out);
	}
	return 0;
}

static int look_into(pid_t pid, const struct mapping *place, struct python_interpreter *out)
{
	struct elf_file *elf = NULL;
	int fd, error;

	if (!place)
		return -ENOENT;
	fd = open_mapped(pid, place->address, place->address + place->size, place->device,
			 place->inode, place->file);
	if (fd < 0)
		return fd;
	error = elf_file_open(fd, &elf);
	if (!error)
		error = read_interpreter(pid, place, elf, out);
	elf_file_close(elf);
	close(fd);
	return error;
}

int python_find_interpreter(struct symboliser *symboliser, uint64_t process, pid_t pid,
			    struct python_interpreter *out, char *detail, size_t detail_size)
{
	struct search search = {0};
	char path[32];
	struct stat status;
	int result = -ENOENT;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	if (!stat(path, &status))
		search.program_inode = status.st_ino;
	symboliser_each_mapping_of(symboliser, process, consider_mapping, &search);
	for (int rank = 0; rank < PLACES; rank++) {
		const struct mapping *place = search.places[rank];
		int error = look_into(pid, place, out);

		if (!error)
			return 0;
		/* Its library may be about to be mapped. */
		if (place && rank == IN_INTERPRETER && error == -ENOENT && result == -ENOENT)
			result = -EAGAIN;
		if (!place || error == -ENOENT || error == -ESRCH)
			continue;
		snprintf(detail, detail_size, "%s: %s", place->file,
			 error == -ENOTSUP ? "older than CPython 3.7, or stripped of _PyRuntime" :
					     strerror(-error));
		if (rank != IN_PROGRAM || error == -ENOTSUP)
			result = -ENOTSUP;
	}
	return result;
}

static int prove_known(pid_t pid, uint64_t runtime, unsigned int minor,
		       struct python_layout *layout, uint64_t *code_type)
{
	const struct python_layout *known = python_known_layout(minor);

	if (!known)
		return -ENOTSUP;
	*layout = *known;
	return python_prove_layout(pid, runtime, layout, code_type);
}

/* An interpreter under a name that does not say its version, and too old to have Py_Version. */
static int prove_any(pid_t pid, uint64_t runtime, struct python_layout *layout, uint64_t *code_type)
{
	int error = -ENOTSUP;

	for (unsigned int minor = PYTHON_OLDEST_MINOR; minor <= 10 && error == -ENOTSUP; minor++)
		error = prove_known(pid, runtime, minor, layout, code_type);
	return error;
}

int python_choose_layout(pid_t pid, const struct python_interpreter *interpreter,
			 struct python_layout *layout, uint64_t *code_type, char *detail,
			 size_t detail_size)
{
	char why[96] = "its structures are not laid out as in a release build of that version";
	unsigned int minor = interpreter->minor;
	int error;

	if (!minor) {
		error = prove_any(pid, interpreter->runtime, layout, code_type);
	} else if (minor < PYTHON_OLDEST_MINOR || minor > PYTHON_NEWEST_MINOR) {
		snprintf(why, sizeof(why), "only 3.%d to 3.%d are known", PYTHON_OLDEST_MINOR,
			 PYTHON_NEWEST_MINOR);
		error = -ENOTSUP;
	} else if (python_known_layout(minor)) {
		error = prove_known(pid, interpreter->runtime, minor, layout, code_type);
	} else {
		error = python_published_layout(pid, interpreter->runtime, minor, layout, why,
						sizeof(why));
		if (!error)
			error = python_prove_layout(pid, interpreter->runtime, layout, code_type);
	}
	if (error == -ENOTSUP)
		snprintf(detail, detail_size, "CPython %s in %s: %s",
			 interpreter->version[0] ? interpreter->version : "of unknown version",
			 interpreter->file, why);
	return error;
}

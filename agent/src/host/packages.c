// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Versions of Python packages, from the names of the *.dist-info and *.egg-info beside the target's
 * interpreter. Nothing is imported, and of the target's environment nothing is read.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "file_text.h"
#include "host.h"

#define MAX_DIRECTORIES 16
#define MAX_PACKAGES 128
#define MAX_ENTRIES 20000
#define MAX_WORD 96

struct package {
	char name[MAX_WORD], version[MAX_WORD];
};

struct search {
	int root_fd; /* of the target's file system */
	char directories[MAX_DIRECTORIES][PATH_MAX];
	unsigned int directory_count;
	char python[16]; /* 3.11 */
	struct package packages[MAX_PACKAGES];
	unsigned int package_count;
};

/* Names as https://packaging.python.org normalises them; a '*' ends a prefix. */
static const char *const wanted[] = {
	"torch*",
	"numpy",
	"nvidia-*",
	"triton",
	"cupy*",
	"jax*",
	"tensorflow",
	"lightning",
	"pytorch-lightning",
	"transformers",
	"datasets",
	"accelerate",
	"deepspeed",
	"flash-attn",
	"xformers",
	"webdataset",
	"pillow",
	"opencv-python*",
	"albumentations",
	"mosaicml-streaming",
	"pyarrow",
	"ray",
};

static bool is_wanted(const char *name)
{
	for (size_t index = 0; index < sizeof(wanted) / sizeof(wanted[0]); index++) {
		size_t length = strlen(wanted[index]);
		bool prefix = wanted[index][length - 1] == '*';

		if (prefix ? strncmp(name, wanted[index], length - 1) == 0 :
			     strcmp(name, wanted[index]) == 0)
			return true;
	}
	return false;
}

/* Links are followed inside the target's root only (Linux 5.6); without that, not at all. */
static DIR *open_in_root(const struct search *search, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, search->root_fd, path, &how, sizeof(how));
	DIR *directory;

	if (fd < 0 && errno == ENOSYS)
		fd = openat(search->root_fd, path + strspn(path, "/"),
			    O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return NULL;
	directory = fdopendir((int)fd);
	if (!directory)
		close((int)fd);
	return directory;
}

/* "NAME-VERSION.dist-info", "NAME-VERSION-py3.11.egg-info". Only words fit for JSON as they are. */
static bool parse_entry(const char *entry, struct package *out)
{
	const char *end = strstr(entry, ".dist-info");
	const char *dash = strchr(entry, '-');
	const char *python = dash ? strstr(dash + 1, "-py") : NULL;
	size_t length;

	if (!end)
		end = strstr(entry, ".egg-info");
	if (!end || !dash || dash > end)
		return false;
	if (python && python < end)
		end = python;
	length = (size_t)(dash - entry);
	if (length >= MAX_WORD || (size_t)(end - dash - 1) >= MAX_WORD)
		return false;
	for (size_t index = 0; index < length; index++)
		out->name[index] = entry[index] == '_' ? '-' : (char)tolower(entry[index]);
	out->name[length] = '\0';
	snprintf(out->version, MAX_WORD, "%.*s", (int)(end - dash - 1), dash + 1);
	for (const char *at = out->name; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("-.", *at))
			return false;
	for (const char *at = out->version; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("-._+!~", *at))
			return false;
	return out->name[0] && out->version[0];
}

static void keep(struct search *search, const struct package *package)
{
	for (unsigned int index = 0; index < search->package_count; index++)
		if (strcmp(search->packages[index].name, package->name) == 0)
			return; /* the first folder of sys.path wins */
	if (search->package_count < MAX_PACKAGES)
		search->packages[search->package_count++] = *package;
}

static void read_directory(struct search *search, const char *path)
{
	DIR *directory = open_in_root(search, path);
	const struct dirent *entry;
	struct package package;

	if (!directory)
		return;
	for (int seen = 0; seen < MAX_ENTRIES && (entry = readdir(directory)); seen++)
		if (parse_entry(entry->d_name, &package) && is_wanted(package.name))
			keep(search, &package);
	closedir(directory);
}

static void add_directory(struct search *search, const char *path, size_t length)
{
	char *out = search->directories[search->directory_count];

	if (search->directory_count == MAX_DIRECTORIES || length >= PATH_MAX)
		return;
	memcpy(out, path, length);
	out[length] = '\0';
	for (unsigned int index = 0; index < search->directory_count; index++)
		if (strcmp(search->directories[index], out) == 0)
			return;
	search->directory_count++;
}

/* "…/python3.11…" or "…libpython3.11…" → "3.11". */
static void note_python(struct search *search, const char *path)
{
	const char *at = strstr(path, "python3.");
	size_t digits;

	if (search->python[0] || !at)
		return;
	digits = strspn(at + strlen("python3."), "0123456789");
	if (digits > 0 && digits <= 3)
		snprintf(search->python, sizeof(search->python), "3.%.*s", (int)digits,
			 at + strlen("python3."));
}

/* Folders of packages that the process has mapped something from. */
static void note_mapped(struct search *search, pid_t pid)
{
	static const char *const folders[] = {"/site-packages/", "/dist-packages/"};
	char path[64], *line = NULL;
	size_t capacity = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	if (!maps)
		return;
	while (getline(&line, &capacity, maps) > 0) {
		const char *file = strchr(line, '/');

		if (!file)
			continue;
		for (int index = 0; index < 2; index++) {
			const char *folder = strstr(file, folders[index]);

			if (folder)
				add_directory(search, file,
					      (size_t)(folder - file) + strlen(folders[index]) - 1);
		}
		note_python(search, file);
	}
	free(line);
	fclose(maps);
}

/* PREFIX/bin/python3 → PREFIX/lib/python3.11/site-packages and what Debian has instead. */
static void note_prefix(struct search *search, const char *program)
{
	static const char *const forms[] = {
		"%.*s/lib/python%s/site-packages",
		"%.*s/local/lib/python%s/dist-packages",
		"%.*s/lib64/python%s/site-packages",
	};
	const char *bin = strstr(program, "/bin/");
	char path[PATH_MAX];

	if (program[0] != '/' || !bin || !search->python[0])
		return;
	for (size_t index = 0; index < sizeof(forms) / sizeof(forms[0]); index++) {
		int length = snprintf(path, sizeof(path), forms[index], (int)(bin - program),
				      program, search->python);

		if (length > 0 && length < (int)sizeof(path))
			add_directory(search, path, (size_t)length);
	}
	if (strncmp(program, "/usr/bin/", strlen("/usr/bin/")) == 0)
		add_directory(search, "/usr/lib/python3/dist-packages",
			      strlen("/usr/lib/python3/dist-packages"));
}

static void note_programs(struct search *search, pid_t pid)
{
	char path[64], program[PATH_MAX], argument[PATH_MAX];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	length = readlink(path, program, sizeof(program) - 1);
	program[length < 0 ? 0 : length] = '\0';
	note_python(search, program);
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	/* Of a virtual environment only the first argument knows. */
	if (file_text_read(path, argument, sizeof(argument)) > 0)
		note_prefix(search, argument);
	note_prefix(search, program);
}

/* Of the runtime that is installed, else the one torch was built for: "2.4.0+cu121". */
static const char *cuda_version(const struct search *search, char out[MAX_WORD])
{
	out[0] = '\0';
	for (unsigned int index = 0; index < search->package_count; index++) {
		const struct package *package = &search->packages[index];
		const char *built_for = strstr(package->version, "+cu");

		if (strncmp(package->name, "nvidia-cuda-runtime", 19) == 0) {
			snprintf(out, MAX_WORD, "%s", package->version);
			return out;
		}
		if (strcmp(package->name, "torch") == 0 && built_for &&
		    strspn(built_for + 3, "0123456789") >= 3)
			snprintf(out, MAX_WORD, "%.*s.%c",
				 (int)strspn(built_for + 3, "0123456789") - 1, built_for + 3,
				 built_for[2 + strspn(built_for + 3, "0123456789")]);
	}
	return out[0] ? out : NULL;
}

static void write_packages(const struct search *search, struct trace_writer *writer)
{
	char text[MAX_PACKAGES * (2 * MAX_WORD + 8) + 3] = "{";
	char cuda[MAX_WORD];
	size_t length = 1;

	for (unsigned int index = 0; index < search->package_count; index++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s\"%s\":\"%s\"",
					   index ? "," : "", search->packages[index].name,
					   search->packages[index].version);
	snprintf(text + length, sizeof(text) - length, "}");
	if (search->package_count > 0)
		trace_put_meta(writer, "packages", text);
	trace_put_versions(writer, cuda_version(search, cuda),
			   search->python[0] ? search->python : NULL);
}

void host_describe_packages(struct trace_writer *writer, pid_t pid)
{
	struct search *search = calloc(1, sizeof(*search));
	char path[64];

	if (!search)
		return;
	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	search->root_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (search->root_fd >= 0) {
		note_mapped(search, pid);
		note_programs(search, pid);
		for (unsigned int index = 0; index < search->directory_count; index++)
			read_directory(search, search->directories[index]);
		write_packages(search, writer);
		close(search->root_fd);
	}
	free(search);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Which libcupti: the one that is loaded already, else the one that belongs to the CUDA runtime that is.
 * Never a second one, never a newer one than the driver knows.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include "inside.h"
#include "job_cupti.h"

#define PATH_BYTES 1024
/* From this driver on there is CUDA 13. */
#define DRIVER_OF_13 580

struct mapped {
	char cupti[PATH_BYTES]; /* "" = none */
	char runtime[PATH_BYTES];
	char profiler[INSIDE_DETAIL_BYTES];
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static void copy(char *out, size_t size, const char *text)
{
	size_t length = strlen(text);

	if (length >= size)
		length = size - 1;
	memcpy(out, text, length);
	out[length] = '\0';
}

static int look_at_object(struct dl_phdr_info *info, size_t size, void *context)
{
	static const char *const profilers[] = {"libToolsInjection", "libTreeLauncher",
						"libsanitizer-collection", "libcuda-injection"};
	struct mapped *mapped = context;
	const char *path = info->dlpi_name ? info->dlpi_name : "", *name = base_name(path);

	(void)size;
	if (begins(name, "libcupti.so"))
		copy(mapped->cupti, sizeof(mapped->cupti), path);
	else if (begins(name, "libcudart.so."))
		copy(mapped->runtime, sizeof(mapped->runtime), path);
	for (size_t i = 0; i < sizeof(profilers) / sizeof(profilers[0]); i++)
		if (begins(name, profilers[i]))
			copy(mapped->profiler, sizeof(mapped->profiler), name);
	return 0;
}

/* Of the kernel's module: the number before the first dot. 0 = not known. */
static unsigned int driver_version(void)
{
	char text[256];
	unsigned int number = 0;
	long length, fd = SYSTEM_CALL(SYS_openat, AT_FDCWD, "/proc/driver/nvidia/version",
				      O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	length = SYSTEM_CALL(SYS_read, fd, text, sizeof(text));
	SYSTEM_CALL(SYS_close, fd);
	for (long i = 0; i < length && text[i] != '\n'; i++) {
		if (text[i] >= '0' && text[i] <= '9')
			number = number * 10 + (unsigned int)(text[i] - '0');
		else if (text[i] == '.' && number)
			return number;
		else
			number = 0;
	}
	return 0;
}

/* folder, then what follows it, into one path. */
static void *open_in(const char *folder, size_t length, const char *inner, const char *version)
{
	char path[PATH_BYTES];
	const char *parts[] = {inner, "libcupti.so.", version};
	size_t at = length;

	if (length >= sizeof(path))
		return NULL;
	memcpy(path, folder, length);
	for (int i = 0; i < 3; i++) {
		size_t size = strlen(parts[i]);

		if (at + size >= sizeof(path))
			return NULL;
		memcpy(path + at, parts[i], size + 1);
		at += size;
	}
	return dlopen(path, RTLD_LAZY);
}

static void *open_version(const struct mapped *mapped, const char *version)
{
	static const char *const beside[] = {CUPTI_BESIDE_RUNTIME};
	size_t folder = (size_t)(base_name(mapped->runtime) - mapped->runtime);
	void *handle = NULL;

	for (size_t i = 0; folder && !handle && i < sizeof(beside) / sizeof(beside[0]); i++)
		handle = open_in(mapped->runtime, folder, beside[i], version);
	if (!handle)
		handle = open_in("", 0, "", version);
	if (!handle)
		handle = open_in("", 0, "/usr/local/cuda/extras/CUPTI/lib64/", version);
	return handle;
}

static void *open_cupti(const struct mapped *mapped)
{
	static const char *const versions[] = {"13",   "12",   "11.8", "11.7", "11.6",
					       "11.5", "11.4", "11.3", "11.2"};
	const char *runtime = base_name(mapped->runtime) + strlen("libcudart.so.");
	void *handle = NULL;

	if (mapped->cupti[0])
		return dlopen(mapped->cupti, RTLD_LAZY | RTLD_NOLOAD);
	for (size_t i = 0; !handle && i < sizeof(versions) / sizeof(versions[0]); i++) {
		bool fits = mapped->runtime[0] ?
				    begins(runtime, "11") == begins(versions[i], "11") &&
					    (begins(versions[i], "11") ||
					     begins(runtime, versions[i])) :
				    i > 0 || driver_version() >= DRIVER_OF_13;

		if (fits)
			handle = open_version(mapped, versions[i]);
	}
	return handle;
}

enum inside_state find_cupti(void **library)
{
	struct inside_header *header = inside.header;
	struct mapped mapped;
	void *handle;

	mapped.cupti[0] = mapped.runtime[0] = mapped.profiler[0] = '\0';
	dl_iterate_phdr(look_at_object, &mapped);
	if (mapped.profiler[0]) {
		copy(header->detail, sizeof(header->detail), mapped.profiler);
		return INSIDE_TAKEN;
	}
	copy(header->detail, sizeof(header->detail), mapped.runtime);
	handle = *library = open_cupti(&mapped);
	if (!handle)
		return INSIDE_NO_CUPTI;
#define FIND(member, parameters) *(void **)&inside.cupti.member = dlsym(handle, "cupti" #member);
#define FIND_NEEDED(member, parameters)                                        \
	FIND(member, parameters)                                               \
	if (!inside.cupti.member) {                                            \
		copy(header->detail, sizeof(header->detail), "cupti" #member); \
		return INSIDE_WRONG_CUPTI;                                     \
	}
	CUPTI_FUNCTIONS(FIND_NEEDED, FIND)
	inside.cupti.GetVersion(&header->cupti_version);
	return INSIDE_NEW;
}

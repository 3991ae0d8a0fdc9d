// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Without CUPTI: the imports of CUDA's functions in the objects that are loaded lead to wrappers (wrap.c), and back
 * once the capture has ended. Calls that take another way are not seen: pointers that were asked for by name, and
 * a CUDA runtime that is linked statically.
 *
 * An object is held before it is changed. That waits until the loader is done with it, which would put its own
 * addresses over ours, and it stays loaded as long as we may have to change it back.
 */
#include <dlfcn.h>
#include <string.h>
#include "../src/probe/functions.h"
#include "imports.h"
#include "inside.h"
#include "patch.h"
#include "wrap.h"

#define MOST_PLACES 8192
#define SEEN 16384 /* a power of two; objects, of which a program has a few hundred */
#define PATH_BYTES 4096

static struct place {
	void **at;
	struct object object; /* for its seal alone */
} places[MOST_PLACES];
static unsigned int place_count;
static uint64_t seen[SEEN];
static unsigned int seen_count;
static unsigned long long changes; /* of the list of objects, as of the last look */

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Of CUDA itself, which calls itself as it likes; ours; and what the kernel and the loader have put there. */
static bool is_left_alone(const char *path)
{
	static const char *const names[] = {
		"libcuda.so",  "libcudart", "libcupti.so",
		"linux-vdso.", "ld-linux",  "libstalltrace-inside.so",
	};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (begins(name, names[i]))
			return true;
	return false;
}

/* An object that was not looked at yet. */
struct found {
	uintptr_t base;
	const ElfW(Phdr) * headers;
	size_t header_count;
	char path[PATH_BYTES];
};

/* False where it was seen before, or too many were. */
static bool see(uintptr_t base, const char *path)
{
	uint64_t key = base * 0x9e3779b97f4a7c15ull + 1;
	size_t at;

	for (const char *c = path; *c; c++)
		key = (key ^ (unsigned char)*c) * 0xff51afd7ed558ccdull;
	key = key ? key : 1;
	for (at = key & (SEEN - 1); seen[at]; at = (at + 1) & (SEEN - 1))
		if (seen[at] == key)
			return false;
	if (seen_count >= SEEN / 2)
		return false;
	seen[at] = key;
	seen_count++;
	return true;
}

static uint16_t wanted(const char *name)
{
	return name[0] == 'c' && name[1] == 'u' ? function_by_symbol(name) : NO_FUNCTION;
}

/* Ends at the first. */
static bool is_unwanted(const struct object *object, void **place, const char *name, void *context)
{
	(void)object, (void)place, (void)context;
	return wanted(name) == NO_FUNCTION;
}

static int find_object(struct dl_phdr_info *info, size_t size, void *context)
{
	const char *path = info->dlpi_name ? info->dlpi_name : "";
	struct found *found = context;
	struct object object;

	if (size >= offsetof(struct dl_phdr_info, dlpi_subs))
		changes = info->dlpi_adds;
	if (!see(info->dlpi_addr, path) || is_left_alone(path) ||
	    strlen(path) >= sizeof(found->path) ||
	    !object_read(&object, info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum) ||
	    object_visit_imports(&object, is_unwanted, NULL))
		return 0;
	found->base = info->dlpi_addr;
	found->headers = info->dlpi_phdr;
	found->header_count = info->dlpi_phnum;
	memcpy(found->path, path, strlen(path) + 1);
	return 1;
}

static bool is_of_cuda(void *address)
{
	Dl_info info;
	const char *slash;

	if (!dladdr(address, &info) || !info.dli_fname)
		return false;
	slash = strrchr(info.dli_fname, '/');
	return begins(slash ? slash + 1 : info.dli_fname, "libcu");
}

/* Where a place leads that the loader fills at its first call only: as it would find it. */
static void *resolve(void *handle, const char *name)
{
	void *of_all = dlsym(RTLD_DEFAULT, name), *of_its_own = dlsym(handle, name);

	/* Something that stands before CUDA for all; else of two runtimes its own. */
	return of_all && (!of_its_own || !is_of_cuda(of_all)) ? of_all : of_its_own;
}

static bool lead_import(const struct object *object, void **place, const char *name, void *handle)
{
	uint16_t function = wanted(name);
	void *target = function == NO_FUNCTION ? NULL : *place, *wrapper;

	if ((uintptr_t)target - object->begin < object->end - object->begin)
		target = resolve(handle, name);
	/* A weak one that nobody has stays so. */
	if (!target || unwrap(target) || place_count == MOST_PLACES)
		return true;
	wrapper = wrap(function, target);
	if (!wrapper || !import_set(object, place, wrapper))
		return true;
	places[place_count++] = (struct place){.at = place, .object = *object};
	return true;
}

/* Held, it can't go any more; it may have gone, and another one come, since it was found. */
static void patch_object(const struct found *found)
{
	void *handle = dlopen(found->path[0] ? found->path : NULL, RTLD_LAZY | RTLD_NOLOAD);
	struct object object;

	if (!handle)
		return;
	if (((struct link_map *)handle)->l_addr == found->base &&
	    object_read(&object, found->base, found->headers, found->header_count))
		object_visit_imports(&object, lead_import, handle);
	else
		dlclose(handle);
}

unsigned int patch_loaded(void)
{
	static struct found found;

	while (dl_iterate_phdr(find_object, &found))
		patch_object(&found);
	return place_count;
}

static int read_changes(struct dl_phdr_info *info, size_t size, void *context)
{
	unsigned long long *out = context;

	if (size >= offsetof(struct dl_phdr_info, dlpi_subs))
		*out = info->dlpi_adds;
	return 1;
}

bool patch_is_behind(void)
{
	unsigned long long now = changes;

	dl_iterate_phdr(read_changes, &now);
	return now != changes;
}

/* But for those that somebody has led elsewhere since. Calls that are under way return through their wrapper. */
void patch_undo(void)
{
	for (unsigned int i = 0; i < place_count; i++) {
		void *target = unwrap(*places[i].at);

		if (target)
			import_set(&places[i].object, places[i].at, target);
	}
	place_count = 0;
	/* Those of a recording that follows are looked at anew. */
	memset(seen, 0, sizeof(seen));
	seen_count = 0;
}

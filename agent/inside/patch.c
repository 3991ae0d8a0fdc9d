// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Without CUPTI: the imports of CUDA's functions in the objects that are loaded lead to wrappers (wrap.c), and back
 * once the capture has ended. Calls that take another way are not seen: pointers that were asked for by name, and
 * a CUDA runtime that is linked statically.
 */
#include <dlfcn.h>
#include <string.h>
#include "../src/probe/cuda/functions.h"
#include "inside.h"
#include "objects.h"
#include "patch.h"
#include "wrap.h"

#define MOST_PLACES 8192

static struct place {
	void **at;
	struct object object; /* for its seal alone */
} places[MOST_PLACES];
static unsigned int place_count;

static uint16_t wanted(const char *name)
{
	return name[0] == 'c' && name[1] == 'u' ? function_by_symbol(name) : NO_FUNCTION;
}

static bool is_wanted(const char *name)
{
	return wanted(name) != NO_FUNCTION;
}

static bool is_of_cuda(void *address)
{
	Dl_info info;
	const char *slash;

	if (!dladdr(address, &info) || !info.dli_fname)
		return false;
	slash = strrchr(info.dli_fname, '/');
	return !strncmp(slash ? slash + 1 : info.dli_fname, "libcu", 5);
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

static uint64_t seen[SEEN];
static struct objects users_of_cuda = {.wants = is_wanted, .lead = lead_import, .seen = seen};

unsigned int patch_loaded(void)
{
	objects_look(&users_of_cuda);
	return place_count;
}

bool patch_is_behind(void)
{
	return objects_changed(&users_of_cuda);
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
	objects_forget(&users_of_cuda);
}

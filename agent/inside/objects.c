// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * An object is held before its imports are changed. That waits until the loader is done with it, which would put its
 * own addresses over ours, and it stays loaded as long as they may have to be changed back.
 */
#include <dlfcn.h>
#include <string.h>
#include "objects.h"

#define PATH_BYTES 4096

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
	struct objects *objects;
	uintptr_t base;
	const ElfW(Phdr) * headers;
	size_t header_count;
	char path[PATH_BYTES];
};

/* False where it was seen before, or too many were. */
static bool see(struct objects *objects, uintptr_t base, const char *path)
{
	uint64_t key = base * 0x9e3779b97f4a7c15ull + 1;
	size_t at;

	for (const char *c = path; *c; c++)
		key = (key ^ (unsigned char)*c) * 0xff51afd7ed558ccdull;
	key = key ? key : 1;
	for (at = key & (SEEN - 1); objects->seen[at]; at = (at + 1) & (SEEN - 1))
		if (objects->seen[at] == key)
			return false;
	if (objects->seen_count >= SEEN / 2)
		return false;
	objects->seen[at] = key;
	objects->seen_count++;
	return true;
}

/* Ends at the first. */
static bool is_unwanted(const struct object *object, void **place, const char *name, void *context)
{
	const struct objects *objects = context;

	(void)object, (void)place;
	return !objects->wants(name);
}

static int find_object(struct dl_phdr_info *info, size_t size, void *context)
{
	const char *path = info->dlpi_name ? info->dlpi_name : "";
	struct found *found = context;
	struct objects *objects = found->objects;
	struct object object;

	if (size >= offsetof(struct dl_phdr_info, dlpi_subs))
		objects->changes = info->dlpi_adds;
	if (!see(objects, info->dlpi_addr, path) || is_left_alone(path) ||
	    strlen(path) >= sizeof(found->path) ||
	    !object_read(&object, info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum) ||
	    object_visit_imports(&object, is_unwanted, objects))
		return 0;
	found->base = info->dlpi_addr;
	found->headers = info->dlpi_phdr;
	found->header_count = info->dlpi_phnum;
	memcpy(found->path, path, strlen(path) + 1);
	return 1;
}

/* Held, it can't go any more; it may have gone, and another one come, since it was found. */
static void lead_object(const struct found *found)
{
	void *handle = dlopen(found->path[0] ? found->path : NULL, RTLD_LAZY | RTLD_NOLOAD);
	struct object object;

	if (!handle)
		return;
	if (((struct link_map *)handle)->l_addr == found->base &&
	    object_read(&object, found->base, found->headers, found->header_count))
		object_visit_imports(&object, found->objects->lead, handle);
	else
		dlclose(handle);
}

void objects_look(struct objects *objects)
{
	struct found found = {.objects = objects};

	while (dl_iterate_phdr(find_object, &found))
		lead_object(&found);
}

static int read_changes(struct dl_phdr_info *info, size_t size, void *context)
{
	unsigned long long *out = context;

	if (size >= offsetof(struct dl_phdr_info, dlpi_subs))
		*out = info->dlpi_adds;
	return 1;
}

bool objects_changed(const struct objects *objects)
{
	unsigned long long now = objects->changes;

	dl_iterate_phdr(read_changes, &now);
	return now != objects->changes;
}

void objects_forget(struct objects *objects)
{
	memset(objects->seen, 0, SEEN * sizeof(*objects->seen));
	objects->seen_count = 0;
}

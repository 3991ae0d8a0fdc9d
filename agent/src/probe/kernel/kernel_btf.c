/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include "kernel_btf.h"
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct btf *kept;

/* The linker has libbpf call the first for its btf__load_vmlinux_btf(), which is then the second. */
struct btf *__wrap_btf__load_vmlinux_btf(void);
struct btf *__real_btf__load_vmlinux_btf(void) __attribute__((weak));

struct btf *__wrap_btf__load_vmlinux_btf(void)
{
	struct btf *btf = kept;

	kept = NULL;
	return btf ? btf : __real_btf__load_vmlinux_btf();
}

const struct btf *kernel_btf(void)
{
	if (!kept)
		kept = btf__load_vmlinux_btf();
	return kept;
}

void kernel_btf_forget(void)
{
	btf__free(kept);
	kept = NULL;
}

struct copy {
	const struct btf *from;
	struct btf *to;
	uint32_t *made; /* ids in `to` by those in `from`; 0 = not copied */
	int pointer;    /* in `to` */
	char **wanted;  /* sorted */
	size_t wanted_count;
};

/* Without the ___ and what follows, by which CO-RE tells layouts of one type apart. */
static size_t essential_length(const char *name)
{
	const char *flavour = name[0] ? strstr(name + 1, "___") : NULL;

	return flavour ? (size_t)(flavour - name) : strlen(name);
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static bool is_named_kind(const struct btf_type *type)
{
	return btf_is_composite(type) || btf_is_any_enum(type);
}

static int want_names(struct copy *copy, const struct btf *programs)
{
	copy->wanted = calloc(btf__type_cnt(programs), sizeof(*copy->wanted));
	if (!copy->wanted)
		return -ENOMEM;
	for (uint32_t id = 1; id < btf__type_cnt(programs); id++) {
		const struct btf_type *type = btf__type_by_id(programs, id);
		const char *name = btf__name_by_offset(programs, type->name_off);

		if (!is_named_kind(type) || !name || !name[0])
			continue;
		copy->wanted[copy->wanted_count] = strndup(name, essential_length(name));
		if (!copy->wanted[copy->wanted_count])
			return -ENOMEM;
		copy->wanted_count++;
	}
	qsort(copy->wanted, copy->wanted_count, sizeof(*copy->wanted), compare_names);
	return 0;
}

static bool is_wanted(const struct copy *copy, const struct btf_type *type)
{
	const char *name;

	if (!is_named_kind(type) || !type->name_off)
		return false;
	name = btf__name_by_offset(copy->from, type->name_off);
	return name && bsearch(&name, copy->wanted, copy->wanted_count, sizeof(*copy->wanted),
			       compare_names);
}

static int copy_type(struct copy *copy, uint32_t id);

/* The id that stands for the type in the copy; what isn't needed and void are 0. */
static int copy_part(struct copy *copy, uint32_t id, uint32_t *part)
{
	int copied = copy_type(copy, id);

	if (copied >= 0)
		*part = copied;
	return copied < 0 ? copied : 0;
}

static struct btf_type *copied_type(const struct copy *copy, int id)
{
	return (struct btf_type *)btf__type_by_id(copy->to, id);
}

static int copy_members(struct copy *copy, const struct btf_type *type, int made)
{
	for (uint32_t i = 0; i < btf_vlen(type); i++) {
		uint32_t part = 0;
		int err = copy_part(copy, btf_members(type)[i].type, &part);

		if (err)
			return err;
		/* Each addition may have moved it. */
		btf_members(copied_type(copy, made))[i].type = part;
	}
	return 0;
}

static int copy_element(struct copy *copy, const struct btf_type *type, int made)
{
	uint32_t element = 0, index = 0;
	int err = copy_part(copy, btf_array(type)->type, &element);

	if (!err)
		err = copy_part(copy, btf_array(type)->index_type, &index);
	if (err)
		return err;
	btf_array(copied_type(copy, made))->type = element;
	btf_array(copied_type(copy, made))->index_type = index;
	return 0;
}

/* With all that lies inside it; its id in the copy. */
static int copy_type(struct copy *copy, uint32_t id)
{
	const struct btf_type *type = btf__type_by_id(copy->from, id);
	uint32_t part = 0;
	int made, err = 0;

	if (!id || !type)
		return 0;
	if (btf_is_ptr(type))
		return copy->pointer;
	if (copy->made[id])
		return copy->made[id];
	made = btf__add_type(copy->to, copy->from, type);
	if (made < 0)
		return made;
	copy->made[id] = made;
	if (btf_is_composite(type)) {
		err = copy_members(copy, type, made);
	} else if (btf_is_array(type)) {
		err = copy_element(copy, type, made);
	} else if (btf_is_mod(type) || btf_is_typedef(type)) {
		err = copy_part(copy, type->type, &part);
		copied_type(copy, made)->type = part;
	}
	return err ? err : made;
}

static int copy_wanted(struct copy *copy)
{
	copy->to = btf__new_empty();
	copy->made = calloc(btf__type_cnt(copy->from), sizeof(*copy->made));
	if (!copy->to || !copy->made)
		return -ENOMEM;
	copy->pointer = btf__add_ptr(copy->to, 0);
	if (copy->pointer < 0)
		return copy->pointer;
	for (uint32_t id = 1; id < btf__type_cnt(copy->from); id++) {
		int made = is_wanted(copy, btf__type_by_id(copy->from, id)) ? copy_type(copy, id) :
									      0;

		if (made < 0)
			return made;
	}
	return 0;
}

static int write_types(const struct btf *btf)
{
	uint32_t size;
	const char *bytes = btf__raw_data(btf, &size);
	int fd = bytes ? memfd_create("kernel types", MFD_CLOEXEC) : -ENOMEM;

	if (!bytes || fd < 0)
		return bytes ? -errno : -ENOMEM;
	for (uint32_t done = 0; done < size;) {
		ssize_t wrote = write(fd, bytes + done, size - done);

		if (wrote <= 0) {
			close(fd);
			return -EIO;
		}
		done += wrote;
	}
	return fd;
}

int kernel_btf_for(const struct btf *programs)
{
	struct copy copy = {.from = kernel_btf()};
	int result = copy.from ? want_names(&copy, programs) : -errno;

	if (!result)
		result = copy_wanted(&copy);
	if (!result)
		result = write_types(copy.to);
	for (size_t i = 0; i < copy.wanted_count; i++)
		free(copy.wanted[i]);
	free(copy.wanted);
	free(copy.made);
	btf__free(copy.to);
	return result;
}

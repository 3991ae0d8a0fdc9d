// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "imports.h"
#include <elf.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include "system.h"

#if defined(__x86_64__)
#define IMPORT_OF_FUNCTION R_X86_64_JUMP_SLOT
#define IMPORT_OF_ADDRESS R_X86_64_GLOB_DAT
#else
#define IMPORT_OF_FUNCTION R_AARCH64_JUMP_SLOT
#define IMPORT_OF_ADDRESS R_AARCH64_GLOB_DAT
#endif

/* The loader has put the object's base into these already, or not. */
static const void *address_in(const struct object *object, ElfW(Addr) value)
{
	return (const void *)(value < object->base ? object->base + value : value);
}

static void read_dynamic(struct object *object, const ElfW(Dyn) * entry)
{
	for (; entry->d_tag != DT_NULL; entry++) {
		switch (entry->d_tag) {
		case DT_SYMTAB:
			object->symbols = address_in(object, entry->d_un.d_ptr);
			break;
		case DT_STRTAB:
			object->texts = address_in(object, entry->d_un.d_ptr);
			break;
		case DT_JMPREL:
			object->relocations[0] = address_in(object, entry->d_un.d_ptr);
			break;
		case DT_PLTRELSZ:
			object->sizes[0] = entry->d_un.d_val;
			break;
		case DT_RELA:
			object->relocations[1] = address_in(object, entry->d_un.d_ptr);
			break;
		case DT_RELASZ:
			object->sizes[1] = entry->d_un.d_val;
			break;
		}
	}
}

static void add_segment(struct object *object, const ElfW(Phdr) * header)
{
	uintptr_t begin = object->base + header->p_vaddr;

	if (begin < object->begin)
		object->begin = begin;
	if (begin + header->p_memsz > object->end)
		object->end = begin + header->p_memsz;
}

bool object_read(struct object *out, uintptr_t base, const ElfW(Phdr) * headers, size_t count)
{
	const ElfW(Dyn) *dynamic = NULL;

	*out = (struct object){.base = base, .begin = UINTPTR_MAX};
	for (size_t i = 0; i < count; i++) {
		const ElfW(Phdr) *header = &headers[i];

		if (header->p_type == PT_LOAD)
			add_segment(out, header);
		if (header->p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)(base + header->p_vaddr);
		if (header->p_type == PT_GNU_RELRO) {
			out->relro = base + header->p_vaddr;
			out->relro_end = out->relro + header->p_memsz;
		}
	}
	if (dynamic)
		read_dynamic(out, dynamic);
	return out->symbols && out->texts;
}

static bool visit(const struct object *object, const ElfW(Rela) * relocations, size_t size,
		  import_visitor visitor, void *context)
{
	for (size_t i = 0; relocations && i < size / sizeof(*relocations); i++) {
		const ElfW(Rela) *relocation = &relocations[i];
		unsigned int type = (unsigned int)ELF64_R_TYPE(relocation->r_info);
		const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(relocation->r_info)];

		if ((type != IMPORT_OF_FUNCTION && type != IMPORT_OF_ADDRESS) || symbol->st_shndx)
			continue;
		if (!visitor(object, (void **)(object->base + relocation->r_offset),
			     object->texts + symbol->st_name, context))
			return false;
	}
	return true;
}

bool object_visit_imports(const struct object *object, import_visitor visitor, void *context)
{
	return visit(object, object->relocations[0], object->sizes[0], visitor, context) &&
	       visit(object, object->relocations[1], object->sizes[1], visitor, context);
}

bool import_set(const struct object *object, void **place, void *function)
{
	uintptr_t size = getauxval(AT_PAGESZ), page = (uintptr_t)place & ~(size - 1);
	/* As the loader rounds: the page in which it ends stays open. */
	bool sealed = page >= (object->relro & ~(size - 1)) &&
		      page < (object->relro_end & ~(size - 1));

	if (sealed && SYSTEM_CALL(SYS_mprotect, page, size, PROT_READ | PROT_WRITE) < 0)
		return false;
	__atomic_store_n(place, function, __ATOMIC_RELEASE);
	if (sealed)
		SYSTEM_CALL(SYS_mprotect, page, size, PROT_READ);
	return true;
}

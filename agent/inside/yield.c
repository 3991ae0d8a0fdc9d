// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * A profiler that begins while we are in (torch.profiler): CUPTI gives its buffers and its subscriber to one
 * tool, and to whoever came last without asking. So its calls of CUPTI are led through us, where the objects
 * that are loaded import them: at the first one all we have is flushed, we leave CUPTI, and it has its way.
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include "inside.h"

#if defined(__x86_64__)
#define IMPORT_OF_FUNCTION R_X86_64_JUMP_SLOT
#define IMPORT_OF_ADDRESS R_X86_64_GLOB_DAT
#else
#define IMPORT_OF_FUNCTION R_AARCH64_JUMP_SLOT
#define IMPORT_OF_ADDRESS R_AARCH64_GLOB_DAT
#endif
#define PAGE_BYTES 4096ull

static int (*subscribe_v2)(void *, void *, void *, void *);

static int pass_subscribe(cupti_subscriber *out, cupti_callback callback, void *context)
{
	yield_cupti();
	return inside.cupti.Subscribe(out, callback, context);
}

static int pass_subscribe_v2(void *out, void *callback, void *context, void *parameters)
{
	yield_cupti();
	return subscribe_v2(out, callback, context, parameters);
}

static int pass_register_callbacks(cupti_buffer_requested requested,
				   cupti_buffer_completed completed)
{
	yield_cupti();
	return inside.cupti.ActivityRegisterCallbacks(requested, completed);
}

static const struct {
	const char *name;
	void *function;
} passed[] = {
	{"cuptiSubscribe", pass_subscribe},
	{"cuptiSubscribe_v2", pass_subscribe_v2},
	{"cuptiActivityRegisterCallbacks", pass_register_callbacks},
};

/* What is read of an object that is loaded. */
struct object {
	uintptr_t base;
	const ElfW(Sym) * symbols;
	const char *texts;
	const ElfW(Rela) * relocations[2];
	size_t sizes[2];
	uintptr_t relro, relro_end;
};

static void set_import(const struct object *object, void **place, void *function)
{
	uintptr_t page = (uintptr_t)place & ~(PAGE_BYTES - 1);
	bool sealed = (uintptr_t)place >= object->relro && (uintptr_t)place < object->relro_end;

	if (sealed && SYSTEM_CALL(SYS_mprotect, page, PAGE_BYTES, PROT_READ | PROT_WRITE) < 0)
		return;
	__atomic_store_n(place, function, __ATOMIC_RELEASE);
	if (sealed)
		SYSTEM_CALL(SYS_mprotect, page, PAGE_BYTES, PROT_READ);
}

static void lead_imports(const struct object *object, const ElfW(Rela) * relocations, size_t size)
{
	for (size_t i = 0; relocations && i < size / sizeof(*relocations); i++) {
		const ElfW(Rela) *relocation = &relocations[i];
		unsigned int type = (unsigned int)ELF64_R_TYPE(relocation->r_info);
		const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(relocation->r_info)];

		if ((type != IMPORT_OF_FUNCTION && type != IMPORT_OF_ADDRESS) || symbol->st_shndx)
			continue;
		for (size_t j = 0; j < sizeof(passed) / sizeof(passed[0]); j++)
			if (!strcmp(object->texts + symbol->st_name, passed[j].name))
				set_import(object, (void **)(object->base + relocation->r_offset),
					   passed[j].function);
	}
}

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

static int look_at_object(struct dl_phdr_info *info, size_t size, void *context)
{
	const char *name = info->dlpi_name ? info->dlpi_name : "";
	struct object object = {.base = info->dlpi_addr};
	const ElfW(Dyn) *dynamic = NULL;

	(void)size;
	(void)context;
	/* CUPTI's own, ours, and what the kernel has put there. */
	if (strstr(name, "libcupti.so") || strstr(name, "libstalltrace-inside.so") ||
	    strstr(name, "linux-vdso") || strstr(name, "ld-linux"))
		return 0;
	for (unsigned int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + header->p_vaddr);
		if (header->p_type == PT_GNU_RELRO) {
			object.relro = info->dlpi_addr + header->p_vaddr;
			object.relro_end = object.relro + header->p_memsz;
		}
	}
	if (dynamic)
		read_dynamic(&object, dynamic);
	if (object.symbols && object.texts)
		for (int i = 0; i < 2; i++)
			lead_imports(&object, object.relocations[i], object.sizes[i]);
	return 0;
}

void yield_set_up(void *cupti)
{
	*(void **)&subscribe_v2 = dlsym(cupti, "cuptiSubscribe_v2");
	dl_iterate_phdr(look_at_object, NULL);
}

/* All up to now is ours, all from now on another's. */
void yield_cupti(void)
{
	uint32_t phase = PHASE_ON;

	if (!is_ours() || !atomic_compare_exchange_strong(&inside.phase, &phase, PHASE_YIELDING))
		return;
	atomic_store(&inside.header->yielded_ns, now_ns(CLOCK_MONOTONIC));
	/* Of a CUPTI that may hang nothing is asked on the job's own thread. */
	if (!is_flushing()) {
		inside.cupti.ActivityFlushAll(FLUSH_FORCED);
		atomic_store(&inside.header->flushed, INSIDE_FLUSHED);
		activity_disable();
		inside.cupti.Unsubscribe(inside.subscriber);
	}
	atomic_store(&inside.phase, PHASE_LEFT);
	atomic_store(&inside.header->state, INSIDE_YIELDED);
}

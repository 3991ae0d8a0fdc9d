/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The imports of an object that is loaded: where the addresses lie through which it calls others. */
#ifndef STALLTRACE_INSIDE_IMPORTS_H
#define STALLTRACE_INSIDE_IMPORTS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct object {
	uintptr_t base, begin, end;
	const ElfW(Sym) * symbols;
	const char *texts;
	const ElfW(Rela) * relocations[2];
	size_t sizes[2];
	uintptr_t relro, relro_end; /* sealed once the loader is done with it */
};

/* False where it imports nothing. It must stay loaded as long as it is looked at. */
bool object_read(struct object *out, uintptr_t base, const ElfW(Phdr) * headers, size_t count);

/* `place` holds the address of `name`. False ends it. */
typedef bool (*import_visitor)(const struct object *object, void **place, const char *name,
			       void *context);
/* False where a visitor has ended it. */
bool object_visit_imports(const struct object *object, import_visitor visitor, void *context);

/* Sealed memory is opened for it. False where that is refused: nothing has changed then. */
bool import_set(const struct object *object, void **place, void *function);

#endif /* STALLTRACE_INSIDE_IMPORTS_H */

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The objects that are loaded, now and later, for those of their imports that are to lead elsewhere. */
#ifndef STALLTRACE_INSIDE_OBJECTS_H
#define STALLTRACE_INSIDE_OBJECTS_H

#include "imports.h"

#define SEEN 16384 /* a power of two; objects, of which a program has a few hundred */

/* One thread at a time looks. */
struct objects {
	bool (*wants)(const char *name); /* this import is to lead elsewhere */
	import_visitor lead;             /* context: the object's handle */
	uint64_t *seen;                  /* so many as above */
	unsigned int seen_count;
	unsigned long long changes; /* of the list of objects, as of the last look */
};

/* Each that was not looked at yet, and imports something that is wanted. */
void objects_look(struct objects *objects);
/* Whether some were loaded since. */
bool objects_changed(const struct objects *objects);
/* Those that were looked at are looked at anew. */
void objects_forget(struct objects *objects);

#endif /* STALLTRACE_INSIDE_OBJECTS_H */

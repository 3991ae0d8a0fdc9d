// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Hands each record to the source that knows its kind. */
#include "bpf.h"

static void list_source(struct bpf_recorder *bpf, const struct event_source *source)
{
	const size_t room = sizeof(source->records) / sizeof(source->records[0]);

	for (size_t i = 0; i < room && source->records[i].kind; i++)
		bpf->types[source->records[i].kind] = &source->records[i];
}

void bpf_list_records(struct bpf_recorder *bpf)
{
	list_source(bpf, &targets_source);
	for (unsigned int i = 0; i < SOURCE_COUNT; i++)
		list_source(bpf, event_sources[i]);
	for (unsigned int kind = 0; kind < RECORD_KINDS; kind++) {
		if (bpf->types[kind])
			bpf->losses[kind] =
				session_loss_counter(bpf->session, bpf->types[kind]->name);
	}
}

int bpf_handle(void *context, const struct record_header *record)
{
	struct bpf_recorder *bpf = context;
	const struct record_type *type = record->kind < RECORD_KINDS ? bpf->types[record->kind] :
								       NULL;

	if (!type || record->size < type->least_bytes)
		return 0;
	type->add(bpf, record);
	bpf->session->progress.events++;
	return 0;
}

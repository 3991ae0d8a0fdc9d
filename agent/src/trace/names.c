// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "names.h"

#define SLOTS (1u << 17) /* > 2 × MAX_NAMES: probing stays short */
#define FIRST_STREAMS 16

struct name_entry {
	uint64_t hash;
	char *texts; /* source, NUL, text, NUL */
	size_t source_length, text_length;
};

struct name_table {
	uint32_t slots[SLOTS]; /* number of a name, 0 = free */
	struct name_entry entries[MAX_NAMES];
	unsigned int count, committed;
	size_t bytes;
};

struct name_table *names_new(void)
{
	return calloc(1, sizeof(struct name_table));
}

void names_free(struct name_table *names)
{
	if (!names)
		return;
	for (unsigned int index = 0; index < names->count; index++)
		free(names->entries[index].texts);
	free(names);
}

/* FNV-1a; the NUL between the texts counts. */
static uint64_t hash_of(const char *source, size_t source_length, const char *text,
			size_t text_length)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t index = 0; index <= source_length; index++)
		hash = (hash ^ (unsigned char)source[index]) * 0x100000001b3;
	for (size_t index = 0; index < text_length; index++)
		hash = (hash ^ (unsigned char)text[index]) * 0x100000001b3;
	return hash ^ (hash >> 32);
}

static bool is_entry(const struct name_entry *entry, uint64_t hash, const char *source,
		     size_t source_length, const char *text, size_t text_length)
{
	return entry->hash == hash && entry->source_length == source_length &&
	       entry->text_length == text_length &&
	       memcmp(entry->texts, source, source_length) == 0 &&
	       memcmp(entry->texts + source_length + 1, text, text_length) == 0;
}

/* The slot of a free number that `hash` leads to. */
static uint32_t *free_slot(struct name_table *names, uint64_t hash)
{
	uint32_t slot = (uint32_t)hash % SLOTS;

	while (names->slots[slot] != 0)
		slot = (slot + 1) % SLOTS;
	return &names->slots[slot];
}

static int64_t add_entry(struct name_table *names, uint64_t hash, const char *source,
			 size_t source_length, const char *text, size_t text_length)
{
	size_t bytes = source_length + text_length + 2;
	struct name_entry *entry = &names->entries[names->count];

	if (names->count == MAX_NAMES || names->bytes + bytes > MAX_NAME_BYTES)
		return -ENOSPC;
	entry->texts = malloc(bytes);
	if (!entry->texts)
		return -ENOMEM;
	memcpy(entry->texts, source, source_length + 1);
	memcpy(entry->texts + source_length + 1, text, text_length + 1);
	entry->hash = hash;
	entry->source_length = source_length;
	entry->text_length = text_length;
	names->bytes += bytes;
	*free_slot(names, hash) = ++names->count;
	return names->count;
}

int64_t names_intern(struct name_table *names, const char *source, const char *text, bool *is_new)
{
	size_t source_length = strlen(source), text_length = strlen(text);
	uint64_t hash = hash_of(source, source_length, text, text_length);
	int64_t number;

	*is_new = false;
	for (uint32_t slot = (uint32_t)hash % SLOTS; names->slots[slot] != 0;
	     slot = (slot + 1) % SLOTS)
		if (is_entry(&names->entries[names->slots[slot] - 1], hash, source, source_length,
			     text, text_length))
			return names->slots[slot];
	number = add_entry(names, hash, source, source_length, text, text_length);
	*is_new = number > 0;
	return number;
}

void names_commit(struct name_table *names)
{
	names->committed = names->count;
}

void names_rollback(struct name_table *names)
{
	while (names->count > names->committed) {
		struct name_entry *entry = &names->entries[--names->count];

		names->bytes -= entry->source_length + entry->text_length + 2;
		free(entry->texts);
		entry->texts = NULL;
	}
	memset(names->slots, 0, sizeof(names->slots));
	for (unsigned int index = 0; index < names->count; index++)
		*free_slot(names, names->entries[index].hash) = index + 1;
}

static bool grow_streams(struct stream_table *streams)
{
	unsigned int capacity = streams->capacity ? 2 * streams->capacity : FIRST_STREAMS;
	struct stream_key *keys = realloc(streams->keys, capacity * sizeof(*keys));

	if (!keys)
		return false;
	streams->keys = keys;
	streams->capacity = capacity;
	return true;
}

int64_t streams_intern(struct stream_table *streams, int64_t process_id, int64_t handle,
		       bool *is_new)
{
	int64_t ordinal = 1;

	*is_new = false;
	/* From the newest: streams are few, and the one asked for is mostly the last made. */
	for (unsigned int index = streams->count; index-- > 0;) {
		const struct stream_key *key = &streams->keys[index];

		if (key->process_id != process_id)
			continue;
		if (key->handle == handle)
			return index + 1;
		if (key->ordinal >= ordinal)
			ordinal = key->ordinal + 1;
	}
	if (streams->count == MAX_STREAMS)
		return -ENOSPC;
	if (streams->count == streams->capacity && !grow_streams(streams))
		return -ENOMEM;
	/* 1 is cudaStreamLegacy, 2 cudaStreamPerThread. */
	if (handle >= 0 && handle <= 2)
		ordinal = 0;
	streams->keys[streams->count++] = (struct stream_key){process_id, handle, ordinal};
	*is_new = true;
	return streams->count;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "python_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SPACE_BUCKETS 512
#define TEXT_BUCKETS 8192
/* A process may make code objects without end; what is beyond keeps its address alone. */
#define MAX_CODES (256u << 10)
#define MAX_BYTES (128u << 20)

struct text {
	struct text *next;
	char characters[];
};

/* A code object as the space saw it; several may have had the same address, newest first. */
struct sighting {
	struct sighting *next;
	uint64_t address;
	uint64_t sequence;
	struct python_code *code;
};

struct code_space {
	struct code_space *next; /* of the store's */
	const struct code_space *parent;
	uint64_t forked_at; /* sightings of the parent up to this sequence are the child's too */
	struct sighting *buckets[SPACE_BUCKETS];
};

struct owned_code {
	struct python_code code;
	struct owned_code *next;
};

struct code_store {
	struct code_space *spaces;
	struct owned_code *codes;
	struct text *texts[TEXT_BUCKETS];
	uint64_t sequence;
	size_t count, bytes;
};

struct code_store *code_store_new(void)
{
	return calloc(1, sizeof(struct code_store));
}

static void free_spaces(struct code_space *space)
{
	while (space) {
		struct code_space *next = space->next;

		for (int i = 0; i < SPACE_BUCKETS; i++) {
			while (space->buckets[i]) {
				struct sighting *sighting = space->buckets[i];

				space->buckets[i] = sighting->next;
				free(sighting);
			}
		}
		free(space);
		space = next;
	}
}

void code_store_free(struct code_store *store)
{
	if (!store)
		return;
	free_spaces(store->spaces);
	while (store->codes) {
		struct owned_code *owned = store->codes;

		store->codes = owned->next;
		free(owned->code.lines);
		free(owned);
	}
	for (int i = 0; i < TEXT_BUCKETS; i++) {
		while (store->texts[i]) {
			struct text *text = store->texts[i];

			store->texts[i] = text->next;
			free(text);
		}
	}
	free(store);
}

struct code_space *code_space_new(struct code_store *store)
{
	struct code_space *space = calloc(1, sizeof(*space));

	if (!space)
		return NULL;
	space->next = store->spaces;
	store->spaces = space;
	return space;
}

struct code_space *code_space_fork(struct code_store *store, const struct code_space *parent)
{
	struct code_space *space = code_space_new(store);

	if (!space)
		return NULL;
	space->parent = parent;
	space->forked_at = store->sequence;
	return space;
}

/* One copy of each text; NULL: no memory, or the store is full. */
static const char *keep_text(struct code_store *store, const char *characters)
{
	size_t length = strlen(characters), hash = 5381;
	struct text **bucket, *text;

	for (size_t i = 0; i < length; i++)
		hash = hash * 33 ^ (unsigned char)characters[i];
	bucket = &store->texts[hash % TEXT_BUCKETS];
	for (text = *bucket; text; text = text->next)
		if (!strcmp(text->characters, characters))
			return text->characters;
	if (store->bytes + length > MAX_BYTES)
		return NULL;
	text = malloc(sizeof(*text) + length + 1);
	if (!text)
		return NULL;
	memcpy(text->characters, characters, length + 1);
	text->next = *bucket;
	*bucket = text;
	store->bytes += sizeof(*text) + length + 1;
	return text->characters;
}

static struct sighting **bucket_of(const struct code_space *space, uint64_t address)
{
	/* Objects are aligned to 16 bytes. */
	return (struct sighting **)&space->buckets[(address >> 4) * 0x9e3779b97f4a7c15ull >> 55];
}

static struct sighting *find_own(const struct code_space *space, uint64_t address,
				 uint64_t sequence)
{
	struct sighting *sighting = *bucket_of(space, address);

	while (sighting && (sighting->address != address || sighting->sequence > sequence))
		sighting = sighting->next;
	return sighting;
}

/* What the space or one it was forked from saw at the address; words NULL: whatever it was. */
static struct sighting *find_seen(const struct code_space *space, uint64_t address,
				  const struct python_code_words *words)
{
	uint64_t until = UINT64_MAX;

	for (; space; space = space->parent) {
		struct sighting *seen = find_own(space, address, until);

		if (seen && (!words || !memcmp(&seen->code->words, words, sizeof(*words))))
			return seen;
		if (space->forked_at < until)
			until = space->forked_at;
	}
	return NULL;
}

static int add_sighting(struct code_store *store, struct code_space *space, uint64_t address,
			struct python_code *code)
{
	struct sighting **bucket = bucket_of(space, address);
	struct sighting *sighting = malloc(sizeof(*sighting));

	if (!sighting)
		return -ENOMEM;
	*sighting = (struct sighting){
		.next = *bucket, .address = address, .sequence = ++store->sequence, .code = code};
	*bucket = sighting;
	return 0;
}

static int read_texts(struct code_store *store, pid_t pid, const struct python_layout *layout,
		      struct python_code *code)
{
	char text[PYTHON_TEXT_SIZE];
	int error = python_read_text(pid, layout, code->words.filename, text);

	if (error)
		return error;
	code->file = keep_text(store, text);
	error = python_read_text(pid, layout, code->words.name, text);
	if (error)
		return error;
	code->function = keep_text(store, text);
	return code->file && code->function ? 0 : -EDQUOT;
}

/* Code objects are immutable but for their instructions, so one read after the other is sound. */
static int read_code(struct code_store *store, pid_t pid, const struct python_layout *layout,
		     uint64_t address, const struct python_code_words *words,
		     struct python_code **out)
{
	struct owned_code *owned;
	uint64_t instructions = 0;
	int error;

	if (store->count >= MAX_CODES || store->bytes >= MAX_BYTES)
		return -EDQUOT;
	owned = calloc(1, sizeof(*owned));
	if (!owned)
		return -ENOMEM;
	owned->code.words = *words;
	owned->code.line_table = layout->line_table;
	error = python_count_instructions(pid, layout, address, &instructions);
	owned->code.instruction_bytes = 2 * (int64_t)instructions;
	if (!error)
		error = read_texts(store, pid, layout, &owned->code);
	if (!error)
		error = python_read_bytes(pid, layout, words->line_table, &owned->code.lines,
					  &owned->code.lines_size);
	/* Too large a line table leaves the definition's line. */
	if (error && error != -E2BIG) {
		free(owned);
		return error;
	}
	owned->next = store->codes;
	store->codes = owned;
	store->count++;
	store->bytes += sizeof(*owned) + owned->code.lines_size;
	*out = &owned->code;
	return 0;
}

/*
 * Reads the object at the address, or takes over what is known of the same one. A program that starts
 * frees code objects and reuses their memory within milliseconds, so every look compares.
 */
static int look_again(struct code_store *store, struct code_space *space, pid_t pid,
		      const struct python_layout *layout, uint64_t code_type, uint64_t address,
		      struct python_code **out)
{
	struct python_code_words words;
	struct sighting *seen;
	int error = python_read_code_words(pid, layout, address, &words);

	if (error)
		return error;
	if (words.type != code_type)
		return -EINVAL;
	seen = find_seen(space, address, &words);
	if (seen)
		*out = seen->code;
	else
		error = read_code(store, pid, layout, address, &words, out);
	return error;
}

int code_space_find(struct code_store *store, struct code_space *space, pid_t pid,
		    const struct python_layout *layout, uint64_t code_type, uint64_t address,
		    const struct python_code **out)
{
	struct sighting *own = find_own(space, address, UINT64_MAX);
	struct python_code *code = NULL;
	int error = look_again(store, space, pid, layout, code_type, address, &code);

	if (error) {
		/* Gone, or freed: what was there when it was last seen. */
		struct sighting *seen = find_seen(space, address, NULL);

		if (seen)
			*out = seen->code;
		return seen ? 0 : error;
	}
	*out = code;
	return own && own->code == code ? 0 : add_sighting(store, space, address, code);
}

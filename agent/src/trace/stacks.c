// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Frames and stacks: those that are equal are written once. */
#include <stdlib.h>
#include "state.h"

/* Beyond so many, rows are written without being remembered: the same may then be there again. */
#define MOST_KNOWN (1u << 20)
#define FIRST_SLOTS 4096

static struct known_row *slot_of(const struct known_rows *known, const uint64_t key[2])
{
	uint64_t hash = (key[0] * 0x9e3779b97f4a7c15u ^ key[1]) * 0xbf58476d1ce4e5b9u;
	size_t slot = (hash >> 32) & (known->capacity - 1);

	while (known->slots[slot].id &&
	       (known->slots[slot].key[0] != key[0] || known->slots[slot].key[1] != key[1]))
		slot = (slot + 1) & (known->capacity - 1);
	return &known->slots[slot];
}

/* 0 = not known. */
static int64_t known_id(const struct known_rows *known, const uint64_t key[2])
{
	return known->capacity ? slot_of(known, key)->id : 0;
}

static bool grow(struct known_rows *known)
{
	struct known_rows larger = {.capacity = known->capacity ? 2 * known->capacity : FIRST_SLOTS,
				    .count = known->count};

	larger.slots = calloc(larger.capacity, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (size_t slot = 0; slot < known->capacity; slot++) {
		if (known->slots[slot].id)
			*slot_of(&larger, known->slots[slot].key) = known->slots[slot];
	}
	free(known->slots);
	*known = larger;
	return true;
}

static void remember(struct known_rows *known, const uint64_t key[2], int64_t id)
{
	if (known->count >= MOST_KNOWN)
		return;
	if (known->count * 2 >= known->capacity && !grow(known))
		return;
	*slot_of(known, key) = (struct known_row){{key[0], key[1]}, id};
	known->count++;
}

void stacks_forget(struct stack_table *stacks)
{
	free(stacks->frames.slots);
	free(stacks->stacks.slots);
	stacks->frames = stacks->stacks = (struct known_rows){0};
}

/* Rows of a transaction that was rolled back are not in the file. */
static struct stack_table *written_stacks(struct trace_writer *writer)
{
	struct stack_table *stacks = &writer->stacks;

	if (stacks->rollbacks != writer->rollbacks)
		stacks_forget(stacks);
	stacks->rollbacks = writer->rollbacks;
	return stacks;
}

/* Two hashes: 128 bits are the same for the same bytes alone. The first is FNV-1a. */
static void mix(uint64_t key[2], unsigned char byte)
{
	key[0] = (key[0] ^ byte) * 0x100000001b3;
	key[1] = (key[1] << 7 ^ key[1] >> 57 ^ byte) * 0x9e3779b97f4a7c15u;
}

static void mix_integer(uint64_t key[2], int64_t value)
{
	for (unsigned int shift = 0; shift < 64; shift += 8)
		mix(key, (unsigned char)((uint64_t)value >> shift));
}

static void mix_text(uint64_t key[2], const char *text)
{
	mix(key, text != NULL);
	for (; text && *text; text++)
		mix(key, (unsigned char)*text);
	mix(key, 0);
}

int64_t trace_frame(struct trace_writer *writer, const struct frame_row *row)
{
	struct stack_table *stacks = written_stacks(writer);
	uint64_t key[2] = {0xcbf29ce484222325, 0x6a09e667f3bcc909};
	sqlite3_stmt *out;
	int64_t id;

	mix_text(key, row->symbol);
	mix_text(key, row->file);
	mix_text(key, row->language);
	mix_integer(key, row->line);
	mix_integer(key, row->address);
	id = known_id(&stacks->frames, key);
	if (id)
		return id;
	id = ++stacks->last_frame;
	out = row_begin(writer, PUT_FRAME);
	row_integer(writer, out, 1, id);
	row_text(writer, out, 2, row->symbol, SYMBOL_CHARACTERS);
	row_text(writer, out, 3, row->file, NAME_CHARACTERS);
	row_integer(writer, out, 4, row->line);
	row_text(writer, out, 5, row->language, NAME_CHARACTERS);
	row_integer(writer, out, 6, row->address);
	if (!row_end(writer, out))
		return TRACE_NULL;
	remember(&stacks->frames, key, id);
	return id;
}

int64_t trace_stack_id(struct trace_writer *writer)
{
	return ++writer->stacks.last_stack;
}

bool trace_put_stack(struct trace_writer *writer, int64_t id, int64_t prefix_id, int64_t frame_id)
{
	sqlite3_stmt *out = row_begin(writer, PUT_STACK);

	row_integer(writer, out, 1, id);
	row_integer(writer, out, 2, prefix_id);
	row_integer(writer, out, 3, frame_id);
	return row_end(writer, out);
}

int64_t trace_stack(struct trace_writer *writer, int64_t prefix_id, int64_t frame_id)
{
	struct stack_table *stacks = written_stacks(writer);
	const uint64_t key[2] = {(uint64_t)prefix_id, (uint64_t)frame_id};
	int64_t id = known_id(&stacks->stacks, key);

	if (id)
		return id;
	id = trace_stack_id(writer);
	if (!trace_put_stack(writer, id, prefix_id, frame_id))
		return TRACE_NULL;
	remember(&stacks->stacks, key, id);
	return id;
}

void trace_clear_stacks(struct trace_writer *writer)
{
	/* A kill or a full disk in between must leave the old ones. */
	trace_commit(writer);
	writer->atomic = true;
	row_end(writer, row_begin(writer, CLEAR_FRAMES));
	row_end(writer, row_begin(writer, CLEAR_STACKS));
	stacks_forget(&writer->stacks);
}

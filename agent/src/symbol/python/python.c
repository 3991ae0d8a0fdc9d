// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "python.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "python_code.h"
#include "python_interpreter.h"
#include "python_layout.h"
#include "python_walk.h"

#define BUCKETS 1024

/* One address space of a process: exec makes a new one. */
struct python_process {
	struct python_process *next;     /* of the bucket */
	struct python_process *next_all; /* of all, those before an exec too */
	uint64_t process;
	bool proved;
	struct python_layout layout;
	uint64_t code_type;
	struct code_space *codes;
};

struct python_readers {
	struct symboliser *symboliser;
	struct code_store *store;
	struct python_process *all;
	struct python_process *buckets[BUCKETS];
};

struct python_readers *python_readers_new(struct symboliser *symboliser)
{
	struct python_readers *readers = calloc(1, sizeof(*readers));

	if (!readers)
		return NULL;
	readers->symboliser = symboliser;
	readers->store = code_store_new();
	if (!readers->store) {
		free(readers);
		return NULL;
	}
	return readers;
}

void python_readers_free(struct python_readers *readers)
{
	if (!readers)
		return;
	while (readers->all) {
		struct python_process *process = readers->all;

		readers->all = process->next_all;
		free(process);
	}
	code_store_free(readers->store);
	free(readers);
}

static struct python_process **bucket_of(const struct python_readers *readers, uint64_t process)
{
	return (struct python_process **)&readers->buckets[process * 0x9e3779b97f4a7c15ull >> 54];
}

static struct python_process *find_process(const struct python_readers *readers, uint64_t process)
{
	struct python_process *found = *bucket_of(readers, process);

	while (found && found->process != process)
		found = found->next;
	return found;
}

/* With a new space of code objects, or as a child that begins with its parent's. */
static struct python_process *add_process(struct python_readers *readers, uint64_t process,
					  const struct python_process *parent)
{
	struct python_process **bucket = bucket_of(readers, process);
	struct python_process *added = calloc(1, sizeof(*added));

	if (!added)
		return NULL;
	if (parent)
		*added = *parent;
	added->codes = parent ? code_space_fork(readers->store, parent->codes) :
				code_space_new(readers->store);
	if (!added->codes) {
		free(added);
		return NULL;
	}
	added->process = process;
	added->next = *bucket;
	added->next_all = readers->all;
	*bucket = readers->all = added;
	return added;
}

static void forget_process(struct python_readers *readers, uint64_t process)
{
	struct python_process **place = bucket_of(readers, process);

	while (*place && (*place)->process != process)
		place = &(*place)->next;
	if (*place)
		*place = (*place)->next;
}

int python_attach(struct python_readers *readers, uint64_t process, pid_t pid,
		  struct python_config *config, char *detail, size_t detail_size)
{
	struct python_process *known = find_process(readers, process);
	struct python_interpreter interpreter;
	int error;

	if (detail_size)
		detail[0] = '\0';
	error = python_find_interpreter(readers->symboliser, process, pid, &interpreter, detail,
					detail_size);
	if (error)
		return error;
	if (!known)
		known = add_process(readers, process, NULL);
	if (!known)
		return -ENOMEM;
	error = python_choose_layout(pid, &interpreter, &known->layout, &known->code_type, detail,
				     detail_size);
	if (error)
		return error;
	known->proved = true;
	*config = known->layout.walk;
	return 0;
}

int python_fork(struct python_readers *readers, uint64_t parent, uint64_t child)
{
	const struct python_process *known = find_process(readers, parent);

	if (!known || !known->proved || find_process(readers, child))
		return 0;
	return add_process(readers, child, known) ? 0 : -ENOMEM;
}

void python_exec(struct python_readers *readers, uint64_t process)
{
	forget_process(readers, process);
}

int python_resolve(struct python_readers *readers, uint64_t process, pid_t pid,
		   const struct python_frame *frame, struct python_line *out)
{
	struct python_process *known = find_process(readers, process);
	const struct python_code *code;
	int line, error;

	if (!known || !known->proved)
		return -ENOENT;
	error = code_space_find(readers->store, known->codes, pid, &known->layout, known->code_type,
				frame->code, &code);
	if (error)
		return error;
	line = python_line_at(code->line_table, code->lines, code->lines_size,
			      code->words.first_line, frame->instruction);
	*out = (struct python_line){.function = code->function,
				    .file = code->file,
				    .line = line > 0 ? line : code->words.first_line,
				    .misplaced = frame->instruction < -2 ||
						 frame->instruction >= code->instruction_bytes};
	return 0;
}

int python_read_threads(struct python_readers *readers, uint64_t process, pid_t pid,
			struct python_thread *out, unsigned int most)
{
	const struct python_process *known = find_process(readers, process);

	return known && known->proved ? python_walk_threads(pid, &known->layout, out, most) :
					-ENOENT;
}

int python_read_frames(struct python_readers *readers, uint64_t process, pid_t pid,
		       struct python_thread *thread, struct python_frame *out)
{
	const struct python_process *known = find_process(readers, process);

	return known && known->proved ? python_walk_frames(pid, &known->layout, thread, out) :
					-ENOENT;
}

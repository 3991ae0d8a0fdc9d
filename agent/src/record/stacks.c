// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <stdlib.h>
#include <string.h>
#include "../clock.h"
#include "../watchdog.h"
#include "stacks.h"

#define MAX_STACKS (1u << 18)
/* The file of the kernel's functions, and the name of those without one. */
#define KERNEL_FILE "[kernel]"
/*
 * Names longer than this are written whole only up to so many bytes of all of them: whoever names his
 * functions with 16 KiB must not fill the file with them.
 */
#define LONG_NAME_BYTES 1024
#define MOST_LONG_NAMES_BYTES (64u << 20)
#define MAX_FRAMES (KERNEL_FRAMES + USER_FRAMES + PYTHON_FRAMES)
/* How often a process's mappings are read again for an address nobody knows. */
#define REREAD_MAPPINGS_NS (200 * NS_PER_MS)
#define REREAD_MAPPINGS_MAX_NS (5 * NS_PER_SECOND)

struct stack {
	uint64_t id;
	int64_t row;
	uint64_t process; /* row id of the process; 0 = has no addresses of one */
	uint16_t kernel_frames, user_frames, python_frames;
	struct python_line *lines; /* python_frames of them */
	struct stack *next;        /* of `functions` */
	char *own_name; /* the kernel's function, where that was told by name; of the poller's stacks */
	uint64_t addresses[]; /* kernel, then user */
};

struct stacks {
	struct trace_writer *writer;
	struct symboliser *symbols;
	struct python_readers *python;
	struct stack **table;    /* open addressing by id */
	struct stack *functions; /* of one kernel function each, newest first */
	size_t capacity, count;
	uint64_t lost;
	uint64_t long_names_bytes; /* written so far */
	int64_t last_frame;        /* the newest */
};

struct stacks *stacks_new(struct trace_writer *writer, struct symboliser *symbols,
			  struct python_readers *python)
{
	struct stacks *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return NULL;
	stacks->writer = writer;
	stacks->symbols = symbols;
	stacks->python = python;
	stacks->capacity = 4096;
	stacks->table = calloc(stacks->capacity, sizeof(*stacks->table));
	if (!stacks->table) {
		free(stacks);
		return NULL;
	}
	return stacks;
}

void stacks_free(struct stacks *stacks)
{
	if (!stacks)
		return;
	for (size_t i = 0; i < stacks->capacity; i++) {
		if (stacks->table[i]) {
			free(stacks->table[i]->lines);
			free(stacks->table[i]->own_name);
		}
		free(stacks->table[i]);
	}
	free(stacks->table);
	free(stacks);
}

static size_t slot_of(const struct stacks *stacks, uint64_t id)
{
	size_t slot = (id ^ id >> 32) & (stacks->capacity - 1);

	while (stacks->table[slot] && stacks->table[slot]->id != id)
		slot = (slot + 1) & (stacks->capacity - 1);
	return slot;
}

static bool grow(struct stacks *stacks)
{
	struct stack **old = stacks->table;
	size_t old_capacity = stacks->capacity;

	if (stacks->count * 2 < old_capacity)
		return true;
	stacks->table = calloc(old_capacity * 2, sizeof(*old));
	if (!stacks->table) {
		stacks->table = old;
		return false;
	}
	stacks->capacity = old_capacity * 2;
	for (size_t i = 0; i < old_capacity; i++) {
		if (old[i])
			stacks->table[slot_of(stacks, old[i]->id)] = old[i];
	}
	free(old);
	return true;
}

int64_t stacks_row(const struct stacks *stacks, uint64_t id)
{
	const struct stack *stack = id ? stacks->table[slot_of(stacks, id)] : NULL;

	return stack ? stack->row : TRACE_NULL;
}

uint64_t stacks_lost(const struct stacks *stacks)
{
	return stacks->lost;
}

/* A new stack in its place, or NULL. */
static struct stack *insert(struct stacks *stacks, uint64_t id, unsigned int addresses,
			    unsigned int python_frames)
{
	struct stack *stack = NULL;

	if (stacks->count < MAX_STACKS && grow(stacks))
		stack = calloc(1, sizeof(*stack) + addresses * sizeof(uint64_t));
	if (stack && python_frames) {
		stack->lines = calloc(python_frames, sizeof(*stack->lines));
		if (!stack->lines) {
			free(stack);
			stack = NULL;
		}
	}
	if (!stack) {
		stacks->lost++;
		return NULL;
	}
	stack->id = id;
	stack->row = trace_stack_id(stacks->writer);
	stacks->count++;
	stacks->table[slot_of(stacks, id)] = stack;
	return stack;
}

/*
 * Mappings made since they were last read. An address that nobody maps is mostly no code at all, but
 * what a frame pointer held that served as something else: a process is asked less and less often.
 */
static void learn_mappings(struct stacks *stacks, struct process *process,
			   const struct stack *stack, uint64_t now_ns)
{
	if (process->ended || now_ns < process->mappings_next_read_ns)
		return;
	for (unsigned int i = 0; i < stack->user_frames; i++) {
		if (symboliser_find(stacks->symbols, stack->process,
				    stack->addresses[stack->kernel_frames + i]))
			continue;
		symboliser_read_process(stacks->symbols, stack->process, process->pid);
		symboliser_hold_files(stacks->symbols, stack->process, process->pid);
		process->mappings_pause_ns = process->mappings_pause_ns ?
						     2 * process->mappings_pause_ns :
						     REREAD_MAPPINGS_NS;
		if (process->mappings_pause_ns > REREAD_MAPPINGS_MAX_NS)
			process->mappings_pause_ns = REREAD_MAPPINGS_MAX_NS;
		process->mappings_next_read_ns = now_ns + process->mappings_pause_ns;
		return;
	}
}

/* Where the kernel lies is for nobody to know who reads a trace: such an address never leaves here. */
static bool is_kernel_address(uint64_t address)
{
	return address >> 63;
}

/* The frames of one stack while they are written, leaf first. */
struct frames {
	struct stacks *stacks;
	int64_t ids[MAX_FRAMES];
	unsigned int count;
};

static void put_frame(struct frames *frames, const struct frame_row *row)
{
	struct stacks *stacks = frames->stacks;
	int64_t id;

	if (frames->count == MAX_FRAMES)
		return;
	id = trace_frame(stacks->writer, row);
	if (id == TRACE_NULL)
		return;
	frames->ids[frames->count++] = id;
	if (id <= stacks->last_frame)
		return;
	stacks->last_frame = id;
	if (row->symbol && strlen(row->symbol) > LONG_NAME_BYTES)
		stacks->long_names_bytes += strlen(row->symbol);
}

/* Writes the stack of these frames: its callers are shared with other stacks. */
static void put_stack(struct frames *frames, int64_t row)
{
	struct trace_writer *writer = frames->stacks->writer;
	int64_t caller = TRACE_NULL;

	for (unsigned int i = frames->count; i > 1; i--)
		caller = trace_stack(writer, caller, frames->ids[i - 1]);
	trace_put_stack(writer, row, caller, frames->count ? frames->ids[0] : TRACE_NULL);
}

static void put_native(struct frames *frames, uint64_t address, const char *symbol,
		       const char *file)
{
	const struct frame_row row = {
		.line = TRACE_NULL,
		.address = !address || is_kernel_address(address) ? TRACE_NULL : (int64_t)address,
		.symbol = symbol && symbol[0] ? symbol : NULL,
		.file = file && file[0] ? file : NULL,
		.language = "native",
	};

	put_frame(frames, &row);
}

/* symbol "" or NULL: not known, or not yet. */
static void put_kernel(struct frames *frames, const char *symbol)
{
	/* Kernels without names of their own tell an address as the function. */
	bool named = symbol && symbol[0] && !(symbol[0] >= '0' && symbol[0] <= '9');

	put_native(frames, 0, named ? symbol : KERNEL_FILE, KERNEL_FILE);
}

static void put_python_frames(struct frames *frames, const struct stack *stack)
{
	for (unsigned int i = 0; i < stack->python_frames; i++) {
		const struct python_line *line = &stack->lines[i];
		const struct frame_row row = {
			.line = line->line > 0 ? line->line : TRACE_NULL,
			.address = TRACE_NULL,
			.symbol = line->function,
			.file = line->file,
			.language = "python",
		};

		put_frame(frames, &row);
	}
}

/* As it can be written at once: a recording that is killed keeps addresses and Python's lines. */
static void put_unresolved(struct stacks *stacks, const struct stack *stack)
{
	struct frames frames = {.stacks = stacks};

	for (unsigned int i = 0; i < stack->kernel_frames; i++)
		put_kernel(&frames, NULL);
	for (unsigned int i = 0; i < stack->user_frames; i++)
		put_native(&frames, stack->addresses[stack->kernel_frames + i], NULL, NULL);
	put_python_frames(&frames, stack);
	put_stack(&frames, stack->row);
}

static bool is_loop(const struct python_line *line, const char *function, const char *file)
{
	size_t length = line->file ? strlen(line->file) : 0, wanted = strlen(file);

	return line->function && strcmp(line->function, function) == 0 && length >= wanted &&
	       strcmp(line->file + length - wanted, file) == 0;
}

/* torch/utils/data/_utils: the loops that a worker and the pin-memory thread are in all their life. */
static unsigned int told_by(const struct stack *stack)
{
	unsigned int told = 0;

	for (unsigned int i = 0; i < stack->python_frames; i++) {
		/* Qualified from 3.11 on. */
		if (is_loop(&stack->lines[i], "BaseProcess.run", "/multiprocessing/process.py") ||
		    is_loop(&stack->lines[i], "run", "/multiprocessing/process.py"))
			told |= STACK_OF_PROCESS_RUN;
		if (is_loop(&stack->lines[i], "_worker_loop", "/data/_utils/worker.py"))
			told |= STACK_OF_WORKER_LOOP;
		if (is_loop(&stack->lines[i], "_pin_memory_loop", "/data/_utils/pin_memory.py"))
			told |= STACK_OF_PIN_LOOP;
	}
	return told;
}

unsigned int stacks_add(struct stacks *stacks, struct process *process,
			const struct stack_record *record, uint64_t now_ns)
{
	unsigned int addresses = record->kernel_frames + record->user_frames;
	const struct python_frame *frames = (const void *)&record->frames[addresses];
	struct stack *stack;

	/* The kernel forgets which stacks it has sent when there are many, and sends them again. */
	if (stacks_row(stacks, record->id) != TRACE_NULL)
		return 0;
	stack = insert(stacks, record->id, addresses, record->python_frames);
	if (!stack)
		return 0;
	stack->process = process->id;
	stack->kernel_frames = record->kernel_frames;
	stack->user_frames = record->user_frames;
	memcpy(stack->addresses, record->frames, addresses * sizeof(uint64_t));
	for (unsigned int i = 0; i < record->python_frames; i++) {
		if (python_resolve(stacks->python, process->id, process->pid, &frames[i],
				   &stack->lines[stack->python_frames]) == 0)
			stack->python_frames++;
	}
	learn_mappings(stacks, process, stack, now_ns);
	put_unresolved(stacks, stack);
	return told_by(stack);
}

static void put_named(struct stacks *stacks, const struct stack *stack)
{
	struct frames frames = {.stacks = stacks};

	if (stack->own_name)
		put_kernel(&frames, stack->own_name);
	put_python_frames(&frames, stack);
	put_stack(&frames, stack->row);
}

/* FNV-1a. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ at[i]) * 0x100000001b3ull;
	return hash;
}

static uint64_t hash_function(const char *function)
{
	return hash_bytes(0xcbf29ce484222325ull, function, strlen(function));
}

int64_t stacks_kernel_function(struct stacks *stacks, const char *function)
{
	uint64_t id = hash_function(function) | 1;
	struct stack *stack;

	if (stacks_row(stacks, id) != TRACE_NULL)
		return stacks_row(stacks, id);
	stack = insert(stacks, id, 0, 0);
	if (!stack)
		return TRACE_NULL;
	stack->own_name = strdup(function);
	stack->next = stacks->functions;
	stacks->functions = stack;
	put_named(stacks, stack);
	return stack->row;
}

/* NULL where the row is of no kernel function. */
static const char *function_of(const struct stacks *stacks, int64_t row)
{
	const struct stack *stack = row == TRACE_NULL ? NULL : stacks->functions;

	while (stack && stack->row != row)
		stack = stack->next;
	return stack ? stack->own_name : NULL;
}

/* Whether all of them are code of the process's: lines has room for each. */
static bool resolve_all(struct stacks *stacks, const struct process *process,
			const struct python_frame *frames, unsigned int count,
			struct python_line *lines)
{
	for (unsigned int i = 0; i < count; i++)
		if (python_resolve(stacks->python, (uint64_t)process->id, process->pid, &frames[i],
				   &lines[i]) ||
		    lines[i].misplaced)
			return false;
	return true;
}

int64_t stacks_python(struct stacks *stacks, struct process *process, int64_t below,
		      const struct python_frame *frames, unsigned int count, unsigned int *told)
{
	const char *function = function_of(stacks, below);
	uint64_t id = hash_function(function ? function : "");
	struct python_line lines[PYTHON_FRAMES];
	struct stack *stack;

	*told = 0;
	id = hash_bytes(id, &process->id, sizeof(process->id));
	id = hash_bytes(id, frames, count * sizeof(*frames)) | 1;
	if (stacks_row(stacks, id) != TRACE_NULL)
		return stacks_row(stacks, id);
	stack = count && count <= PYTHON_FRAMES &&
				resolve_all(stacks, process, frames, count, lines) ?
			insert(stacks, id, 0, count) :
			NULL;
	if (!stack)
		return TRACE_NULL;
	stack->python_frames = (uint16_t)count;
	memcpy(stack->lines, lines, count * sizeof(*lines));
	stack->own_name = function ? strdup(function) : NULL;
	put_named(stacks, stack);
	*told = told_by(stack);
	return stack->row;
}

static void limit_name(const struct stacks *stacks, char *name)
{
	size_t length = strlen(name);

	if (length > LONG_NAME_BYTES && stacks->long_names_bytes + length > MOST_LONG_NAMES_BYTES)
		symbol_cut_name(name, LONG_NAME_BYTES);
}

/* Python's own evaluation loop: below it, Python's frames say more than the interpreter's. */
static bool evaluates_python(const char *symbol)
{
	return strncmp(symbol, "_PyEval_EvalFrame", 17) == 0 ||
	       strncmp(symbol, "PyEval_EvalFrame", 16) == 0;
}

static void put_resolved(struct stacks *stacks, const struct stack *stack)
{
	struct frames frames = {.stacks = stacks};
	bool is_code, was_code = false;
	struct symbol symbol;

	for (unsigned int i = 0; i < stack->kernel_frames; i++) {
		symboliser_resolve_kernel(stacks->symbols, stack->addresses[i], &symbol);
		put_kernel(&frames, symbol.name);
	}
	for (unsigned int i = 0; i < stack->user_frames; i++) {
		uint64_t address = stack->addresses[stack->kernel_frames + i];
		/* A return address may be the next function's first byte; the leaf is no return. */
		uint64_t inside = i > 0 ? address - 1 : address;

		/* Code without frame pointers leaves data where the next frame is looked for. */
		is_code = symboliser_find(stacks->symbols, stack->process, inside) != NULL;
		if (i > 0 && was_code && !is_code)
			break;
		was_code = is_code;
		symboliser_resolve(stacks->symbols, stack->process, inside, &symbol);
		if (stack->python_frames && evaluates_python(symbol.name))
			break;
		limit_name(stacks, symbol.name);
		put_native(&frames, address, symbol.name, symbol.file);
	}
	put_python_frames(&frames, stack);
	put_stack(&frames, stack->row);
}

static void put_mapping(void *context, uint64_t process, const struct mapping *mapping)
{
	struct stacks *stacks = context;
	const struct mapping_row row = {
		.process_id = (int64_t)process,
		.start_ns = trace_time(stacks->writer, mapping->start_ns),
		.address = (int64_t)mapping->address,
		.size_bytes = (int64_t)mapping->size,
		.file_offset = (int64_t)mapping->offset,
		.file = mapping->file,
		.build_id = mapping->build_id[0] ? mapping->build_id : NULL,
	};

	watchdog_step(STEP_OF_WORK);
	/* [vsyscall] */
	if (is_kernel_address(mapping->address))
		return;
	trace_put_mapping(stacks->writer, &row);
}

void stacks_finish(struct stacks *stacks)
{
	trace_clear_stacks(stacks->writer);
	for (size_t i = 0; i < stacks->capacity; i++) {
		const struct stack *stack = stacks->table[i];

		watchdog_step(STEP_OF_WORK);
		if (stack && stack->process)
			put_resolved(stacks, stack);
		else if (stack)
			put_named(stacks, stack);
	}
	symboliser_each_mapping(stacks->symbols, put_mapping, stacks);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The memory that a job shares with the agent is the job's to write: whatever stands in it, the agent goes
 * on, and what is right in it is recorded. With a seed: `inside_ring_test SEED ROUNDS`.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../src/record/inside/inside.h"

static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

static void ignore_notice(void *context, const char *level, const char *text)
{
}

static const struct record_options options;
static const struct record_callbacks callbacks = {.notice = ignore_notice};
static struct record_result result;
static struct session session = {
	.options = &options,
	.callbacks = &callbacks,
	.result = &result,
};
static struct inside_recorder inside = {.session = &session};
static struct inside_process process;

static void begin(const char *path)
{
	const struct trace_options trace = {
		.path = path,
		.begin_monotonic_ns = clock_ns(CLOCK_MONOTONIC),
		.begin_unix_ns = clock_ns(CLOCK_REALTIME),
		.owner = (uid_t)-1,
		.group = (gid_t)-1,
	};
	char message[512];

	unlink(path);
	assert(!trace_create(&trace, &session.writer, message, sizeof(message)));
	session.begin_ns = trace.begin_monotonic_ns;
	session.tasks = tasks_new(session.writer);
	session.symbols = symboliser_new();
	session.python = python_readers_new(session.symbols);
	session.stacks = stacks_new(session.writer, session.symbols, session.python);
	inside.ranges = host_ranges_new();
	inside.call_losses = session_loss_counter(&session, "inside_call");
	inside.work_losses = session_loss_counter(&session, "gpu_work");
	host_ranges_add_process(inside.ranges, (uint32_t)getpid(), true);
	process.pid = getpid();
	process.calls = calloc(REMEMBERED_CALLS, sizeof(*process.calls));
	process.waiting = calloc(MOST_WAITING_WORK, sizeof(*process.waiting));
	process.ring = mmap(NULL, INSIDE_RING_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert(process.ring != MAP_FAILED && process.calls && process.waiting);
}

static void end(void)
{
	char message[512];

	assert(!trace_finish(session.writer, clock_ns(CLOCK_MONOTONIC), message, sizeof(message)));
	stacks_free(session.stacks);
	python_readers_free(session.python);
	symboliser_free(session.symbols);
	tasks_free(session.tasks);
	host_ranges_free(inside.ranges);
	munmap(process.ring, INSIDE_RING_BYTES);
	free(process.calls);
	free(process.waiting);
}

static void start_ring(void)
{
	struct inside_header *header = process.ring;

	madvise(process.ring, INSIDE_RING_BYTES, MADV_DONTNEED);
	memset(process.defined, 0, sizeof(process.defined));
	memset(process.consumed, 0, sizeof(process.consumed));
	memset(process.lost, 0, sizeof(process.lost));
	process.cupti_lost = 0;
	atomic_store(&header->free_blocks, INSIDE_BLOCKS);
}

/* One record of the kind, as the library writes it, at the end of a block. */
static void put_record(unsigned int index, uint8_t kind, size_t size, uint64_t at_ns)
{
	struct inside_block *block = inside_block(process.ring, index);
	struct inside_header *header = process.ring;
	uint32_t filled = atomic_load(&block->filled);
	union {
		struct record_header header;
		struct inside_call call;
		struct inside_work work;
		char room[256];
	} record = {0};

	record.header = (struct record_header){
		.kind = kind, .size = (uint16_t)size, .tid = (uint32_t)getpid()};
	if (kind == INSIDE_CALL) {
		record.call.start_ns = at_ns;
		record.call.duration_ns = 1000;
		record.call.correlation = (uint32_t)filled + 1;
		record.call.function = (uint16_t)random_below(cuda_function_count);
	} else if (kind == INSIDE_WORK) {
		record.work.start_ns = at_ns;
		record.work.end_ns = at_ns + 10;
		record.work.kind = (uint8_t)(1 + random_below(4));
		record.work.correlation = (uint32_t)random_below(1000);
	} else {
		for (size_t i = sizeof(record.header); i < size; i++)
			record.room[i] = (char)random_below(256);
	}
	assert(filled + size <= INSIDE_BLOCK_BYTES);
	memcpy(inside_data(process.ring, index) + filled, &record, size);
	atomic_store(&block->state, INSIDE_BLOCK_TAKEN);
	atomic_store(&block->filled, filled + (uint32_t)size);
	if (atomic_load(&header->blocks_used) <= index)
		atomic_store(&header->blocks_used, index + 1);
}

static uint64_t calls_written(void)
{
	return trace_rows(session.writer, TABLE_CUDA_CALL);
}

static void what_is_right_is_recorded(void)
{
	struct inside_header *header = process.ring;
	uint64_t before;

	start_ring();
	before = calls_written();
	for (unsigned int i = 0; i < 100; i++) {
		put_record(i % 3, INSIDE_CALL, sizeof(struct inside_call), session.begin_ns + i);
		put_record(i % 3, INSIDE_WORK, sizeof(struct inside_work), session.begin_ns + i);
	}
	inside_drain(&inside, &process);
	assert(calls_written() == before + 100 && !process.damaged);
	/* Nothing is taken twice, and a full block is given back once it is closed. */
	inside_drain(&inside, &process);
	assert(calls_written() == before + 100);
	atomic_store(&header->free_blocks, INSIDE_BLOCKS - 3);
	atomic_store(&inside_block(process.ring, 1)->state, INSIDE_BLOCK_CLOSED);
	inside_drain(&inside, &process);
	assert(atomic_load(&inside_block(process.ring, 1)->state) == INSIDE_BLOCK_FREE);
	assert(atomic_load(&header->free_blocks) == INSIDE_BLOCKS - 2);
}

/* A call may be on its way that ended before those that are there: they wait for it. */
static void calls_keep_their_order(void)
{
	struct inside_header *header = process.ring;
	struct inside_slot *slot = inside_slot(process.ring, 4);
	uint64_t before;

	start_ring();
	before = calls_written();
	put_record(0, INSIDE_CALL, sizeof(struct inside_call), session.begin_ns + 10);
	put_record(0, INSIDE_CALL, sizeof(struct inside_call), session.begin_ns + 50000);
	slot->tid = (uint32_t)getpid();
	slot->start_ns = session.begin_ns + 20000;
	slot->open = 1;
	atomic_store(&slot->state, INSIDE_SLOT_LIVE);
	atomic_store(&slot->leaving, 1);
	atomic_store(&header->slots_used, 5);
	inside_drain(&inside, &process);
	assert(calls_written() == before + 1);
	/* Its process is killed: what it was in has not returned, and the rest is there. */
	inside_drain_rest(&inside, &process, clock_ns(CLOCK_MONOTONIC));
	assert(calls_written() == before + 3);
}

/* nvidia-smi and CUDA write one bus differently; a number that nobody explains stays what it is. */
static void devices_are_known_by_their_bus(void)
{
	struct inside_device device = {
		.header = {.kind = INSIDE_DEVICE, .size = sizeof(device)},
		.pci_bus_id = "0000:65:00.0",
	};
	struct inside_work work = {.kind = INSIDE_WORK_FILL, .start_ns = 1, .end_ns = 2};

	trace_put_gpu(session.writer, 3, "GPU", 1, NULL, "00000000:65:00.0", NULL, TRACE_NULL);
	inside_define(&inside, &process, &device.header);
	assert(process.gpus[0] == 3 + 1);
	device.device = 1;
	strcpy(device.pci_bus_id, "0000:66:00.0");
	inside_define(&inside, &process, &device.header);
	assert(process.gpus[1] == 1 + 1);
	work.device = 2;
	inside_add_work(&inside, &process, &work);
	assert(process.gpus[2] == 2 + 1);
}

static void damage(void)
{
	static const size_t parts[] = {sizeof(struct inside_header), INSIDE_DATA_AT,
				       INSIDE_DATA_AT + 4 * INSIDE_BLOCK_BYTES};
	size_t within = parts[random_below(3)];
	unsigned int bytes = 1 + (unsigned int)random_below(64);

	for (unsigned int i = 0; i < bytes; i++)
		((char *)process.ring)[random_below(within)] = (char)random_below(256);
}

static void whatever_stands_there_is_survived(uint64_t rounds)
{
	for (uint64_t round = 0; round < rounds; round++) {
		session.now_ns = clock_ns(CLOCK_MONOTONIC);
		start_ring();
		for (unsigned int i = 0; i < 40; i++) {
			uint8_t kind = (uint8_t)(1 + random_below(INSIDE_KINDS));

			put_record((unsigned int)random_below(4), kind,
				   kind == INSIDE_CALL ? sizeof(struct inside_call) :
				   kind == INSIDE_WORK ? sizeof(struct inside_work) :
							 8 + 8 * random_below(24),
				   session.begin_ns + random_below(1u << 30));
		}
		damage();
		inside_drain(&inside, &process);
		damage();
		inside_drain(&inside, &process);
		inside_note_losses(&inside, &process);
		inside_drain_rest(&inside, &process, session.now_ns);
	}
}

int main(int argc, char **argv)
{
	char path[] = "/tmp/inside-ring-XXXXXX";
	int fd = mkstemp(path);

	random_state = argc > 1 ? strtoull(argv[1], NULL, 10) : 20261123;
	close(fd);
	begin(path);
	session.now_ns = clock_ns(CLOCK_MONOTONIC);
	what_is_right_is_recorded();
	calls_keep_their_order();
	devices_are_known_by_their_bus();
	whatever_stands_there_is_survived(argc > 2 ? strtoull(argv[2], NULL, 10) : 200);
	assert(process.damaged);
	end();
	unlink(path);
	return 0;
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Requests to block devices, whoever made them. */
#include "../../host/block_device.h"
#include "../bpf/bpf.h"

/* The kernel's own dev_t: include/linux/kdev_t.h. */
#define MINOR_BITS 20
#define MAJOR(device) ((device) >> MINOR_BITS)
#define MINOR(device) ((device) & ((1u << MINOR_BITS) - 1))

/* Name id: "nvme0n1", else "259:0". */
static int64_t device_name(struct trace_writer *writer, uint32_t device)
{
	/* Requests come in runs on one device. */
	static struct {
		const struct trace_writer *writer;
		uint32_t device;
		int64_t name;
	} last;
	char text[256];

	if (last.writer == writer && last.device == device)
		return last.name;
	block_device_name(MAJOR(device), MINOR(device), text, sizeof(text));
	last.writer = writer;
	last.device = device;
	last.name = trace_name(writer, "", text);
	return last.name;
}

static const char *block_operation(unsigned int operation)
{
	/* include/linux/blk_types.h, enum req_op */
	switch (operation) {
	case 0:
		return "read";
	case 1:
		return "write";
	case 2:
		return "flush";
	case 3:
		return "discard";
	default:
		return "other";
	}
}

static void add_block_io(struct bpf_recorder *bpf, const void *data)
{
	const struct block_io_record *record = data;
	struct session *session = bpf->session;
	int64_t operation = trace_name(session->writer, "IO", block_operation(record->operation));
	int64_t device = device_name(session->writer, record->device);
	int64_t *row = trace_append(session->writer, TABLE_BLOCK_IO);

	row[BLOCK_IO_START_NS] = trace_time(session->writer, record->start_ns);
	row[BLOCK_IO_DURATION_NS] =
		trace_duration(session->writer, record->start_ns, record->duration_ns);
	row[BLOCK_IO_THREAD_ID] = tasks_row(session->tasks, (pid_t)record->header.tid);
	row[BLOCK_IO_OP_ID] = operation;
	row[BLOCK_IO_BYTES] = record->bytes;
	/* A flush has none: all bits set. */
	row[BLOCK_IO_SECTOR] = record->sector >> 53 ? TRACE_NULL : row_value(record->sector);
	row[BLOCK_IO_DEVICE_ID] = device;
	row[BLOCK_IO_QUEUE_NS] = row_value(record->queue_ns);
}

static void configure(struct agent_config *config, const struct tracepoint *found)
{
	config->block_has_queue = tracepoint_named(found, "block_rq_issue")->arguments >= 2;
}

const struct event_source block_io_source = {
	.probe.name = "block_io",
	.probe.programs =
		{
			{"block_rq_insert", "block_rq_insert", BETTER},
			{"block_rq_issue", "block_rq_issue", NEEDED},
			{"block_rq_complete", "block_rq_complete", NEEDED},
		},
	.probe.configure = configure,
	.label = "Block I/O",
	.sees = "Disk requests",
	.records = {{
		.kind = RECORD_BLOCK_IO,
		.name = "block_io",
		.least_bytes = sizeof(struct block_io_record),
		.table = "block_io",
		.add = add_block_io,
	}},
	.provenance = {{
		.table = "block_io",
		.kind = "exact",
		.note = "Every request to a block device of the machine, from issue to completion. Network file systems have none.",
	}},
};

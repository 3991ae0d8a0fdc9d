/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Requests to block devices, whoever makes them: a neighbour's delay the targets' too. */
#ifndef STALLTRACE_BLOCK_BPF_H
#define STALLTRACE_BLOCK_BPF_H

#include "tasks.bpf.h"

#define REQ_OP_MASK 0xff /* include/linux/blk_types.h */

/* A request between its insertion and its completion. */
struct block_request {
	__u64 insert_ns; /* 0 = was not queued */
	__u64 issue_ns;  /* 0 = not yet */
	__u64 sector;
	__u32 bytes;
	__u32 tid; /* who inserted it; else who issued it */
	__u32 operation;
	__u32 device;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, struct block_request);
} block_requests SEC(".maps");

static __always_inline __u32 request_device(struct request *request)
{
	struct gendisk *disk;

	if (bpf_core_field_exists(((struct request___old *)request)->rq_disk))
		disk = BPF_CORE_READ((struct request___old *)request, rq_disk);
	else
		disk = BPF_CORE_READ(request, q, disk);
	if (!disk)
		return 0;
	return BPF_CORE_READ(disk, major) << 20 | BPF_CORE_READ(disk, first_minor);
}

static __always_inline __u32 announce_current(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

	announce_task(task, target_thread(task));
	return bpf_get_current_pid_tgid();
}

static __always_inline int insert_request(struct request *request)
{
	__u64 key = (__u64)request;
	struct block_request kept = {};

	if (!recording)
		return 0;
	kept.insert_ns = bpf_ktime_get_ns();
	kept.tid = announce_current();
	bpf_map_update_elem(&block_requests, &key, &kept, BPF_ANY);
	return 0;
}

static __always_inline int issue_request(struct request *request)
{
	__u64 key = (__u64)request;
	struct block_request *inserted, kept = {};

	if (!recording)
		return 0;
	inserted = bpf_map_lookup_elem(&block_requests, &key);
	/* What was issued before without an end seen is another request in the same place. */
	if (inserted && !inserted->issue_ns) {
		kept.insert_ns = inserted->insert_ns;
		kept.tid = inserted->tid;
	} else {
		kept.tid = announce_current();
	}
	kept.sector = BPF_CORE_READ(request, __sector);
	kept.bytes = BPF_CORE_READ(request, __data_len);
	kept.operation = BPF_CORE_READ(request, cmd_flags) & REQ_OP_MASK;
	kept.device = request_device(request);
	kept.issue_ns = bpf_ktime_get_ns();
	bpf_map_update_elem(&block_requests, &key, &kept, BPF_ANY);
	return 0;
}

/* The first completion ends it, also where the device did only a part of it. */
static __always_inline int complete_request(struct request *request)
{
	__u64 key = (__u64)request;
	struct block_request *kept = bpf_map_lookup_elem(&block_requests, &key);
	struct block_io_record *record;

	if (!kept)
		return 0;
	if (!kept->issue_ns || !recording)
		goto forget;
	record = reserve_record(RECORD_BLOCK_IO, kept->tid, sizeof(*record));
	if (!record)
		goto forget;
	record->start_ns = kept->issue_ns;
	record->duration_ns = bpf_ktime_get_ns() - kept->issue_ns;
	if (kept->insert_ns)
		record->queue_ns = kept->issue_ns - kept->insert_ns;
	record->sector = kept->sector;
	record->bytes = kept->bytes;
	record->device = kept->device;
	record->operation = kept->operation;
	submit_record(record);
forget:
	bpf_map_delete_elem(&block_requests, &key);
	return 0;
}

/* Before 5.11 the queue is passed first. */
static __always_inline struct request *passed_request(__u64 *ctx)
{
	return (struct request *)(config.block_has_queue ? ctx[1] : ctx[0]);
}

SEC("tp_btf/block_rq_insert")
int block_rq_insert(__u64 *ctx)
{
	return insert_request(passed_request(ctx));
}

SEC("tp_btf/block_rq_issue")
int block_rq_issue(__u64 *ctx)
{
	return issue_request(passed_request(ctx));
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(block_rq_complete, struct request *request)
{
	return complete_request(request);
}

#endif /* STALLTRACE_BLOCK_BPF_H */

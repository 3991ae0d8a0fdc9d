// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "connection_rows.h"

#include <arpa/inet.h>

static bool has_changed(const struct tcp_reading *a, const struct tcp_reading *b)
{
	return a->bytes_received != b->bytes_received || a->bytes_sent != b->bytes_sent ||
	       a->segments_received != b->segments_received ||
	       a->segments_sent != b->segments_sent || a->retransmits != b->retransmits;
}

static int64_t address_name(struct trace_writer *writer, uint8_t family, const __be32 address[4])
{
	char text[TCP_ADDRESS];

	tcp_address_text(family, address, text);
	return trace_name(writer, "", text);
}

static void put_ends(struct trace_writer *writer, int64_t *row, const struct connection *entry)
{
	row[CONNECTION_PROCESS_ID] = entry->process;
	row[CONNECTION_SOCKET] = (int64_t)entry->inode;
	row[CONNECTION_OWN_ADDRESS_ID] = entry->own_address;
	row[CONNECTION_OWN_PORT] = ntohs(entry->last.id.idiag_sport);
	row[CONNECTION_PEER_ADDRESS_ID] = entry->peer_address;
	row[CONNECTION_PEER_PORT] = ntohs(entry->last.id.idiag_dport);
}

static void put_counts(int64_t *row, const struct tcp_reading *reading)
{
	row[CONNECTION_BYTES_RECEIVED] = reading->bytes_received;
	row[CONNECTION_BYTES_SENT] = reading->bytes_sent;
	row[CONNECTION_SEGMENTS_RECEIVED] = reading->segments_received;
	row[CONNECTION_SEGMENTS_SENT] = reading->segments_sent;
	row[CONNECTION_RETRANSMITS] = reading->retransmits;
	row[CONNECTION_RTT_NS] = reading->rtt_ns;
	row[CONNECTION_MIN_RTT_NS] = reading->min_rtt_ns;
}

void connection_put_row(struct trace_writer *writer, uint64_t at_ns, struct connection *entry,
			const struct tcp_reading *reading)
{
	bool is_first = !entry->last.told;
	int64_t *row;

	if (!is_first && !has_changed(&entry->last, reading))
		return;
	entry->last = *reading;
	if (is_first) {
		entry->own_address = address_name(writer, reading->family, reading->id.idiag_src);
		entry->peer_address = address_name(writer, reading->family, reading->id.idiag_dst);
	}
	row = trace_append(writer, TABLE_CONNECTION);
	row[CONNECTION_START_NS] = trace_time(writer, at_ns);
	put_ends(writer, row, entry);
	put_counts(row, reading);
	if (is_first && entry->absent_ns)
		row[CONNECTION_NEW_NS] = (int64_t)(at_ns - entry->absent_ns);
}

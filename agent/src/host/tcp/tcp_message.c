// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "tcp_diag.h"

#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <linux/tcp.h>
#include <string.h>
#include "../../trace/writer.h"

#define STATE_LISTEN 10 /* include/net/tcp_states.h */
#define UNKNOWN_RTT UINT32_MAX
#define NS_PER_US 1000

/* Whether struct tcp_info of `size` bytes, as this kernel has it, has that member. */
#define HAS(size, member) \
	((size) >= offsetof(struct tcp_info, member) + sizeof(((struct tcp_info *)0)->member))

static int64_t count_of(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

/* What was sent, without what was sent again. Before Linux 4.19: what was acknowledged, and the begin counts as a byte. */
static int64_t sent(const struct tcp_info *info, size_t size)
{
	if (HAS(size, tcpi_bytes_retrans))
		return count_of(info->tcpi_bytes_sent >= info->tcpi_bytes_retrans ?
					info->tcpi_bytes_sent - info->tcpi_bytes_retrans :
					0);
	return HAS(size, tcpi_bytes_acked) ? count_of(info->tcpi_bytes_acked) : TRACE_NULL;
}

static void read_info(const void *data, size_t size, struct tcp_reading *out)
{
	struct tcp_info info = {0};

	memcpy(&info, data, size < sizeof(info) ? size : sizeof(info));
	out->bytes_sent = sent(&info, size);
	if (HAS(size, tcpi_bytes_received))
		out->bytes_received = count_of(info.tcpi_bytes_received);
	if (HAS(size, tcpi_data_segs_out)) {
		out->segments_received = info.tcpi_data_segs_in;
		out->segments_sent = info.tcpi_data_segs_out;
	}
	if (HAS(size, tcpi_total_retrans))
		out->retransmits = info.tcpi_total_retrans;
	/* 0 = nothing was acknowledged yet. */
	if (HAS(size, tcpi_rtt) && info.tcpi_rtt)
		out->rtt_ns = (int64_t)info.tcpi_rtt * NS_PER_US;
	if (HAS(size, tcpi_min_rtt) && info.tcpi_min_rtt && info.tcpi_min_rtt != UNKNOWN_RTT)
		out->min_rtt_ns = (int64_t)info.tcpi_min_rtt * NS_PER_US;
	out->told = true;
}

bool tcp_parse_message(const void *message, size_t length, struct tcp_reading *out)
{
	const char *bytes = message;
	size_t at = NLMSG_ALIGN(sizeof(struct inet_diag_msg));
	struct inet_diag_msg head;

	if (length < sizeof(head))
		return false;
	memcpy(&head, message, sizeof(head));
	*out = (struct tcp_reading){
		.inode = head.idiag_inode,
		.family = head.idiag_family,
		.listens = head.idiag_state == STATE_LISTEN,
		.id = head.id,
		.bytes_received = TRACE_NULL,
		.bytes_sent = TRACE_NULL,
		.segments_received = TRACE_NULL,
		.segments_sent = TRACE_NULL,
		.retransmits = TRACE_NULL,
		.rtt_ns = TRACE_NULL,
		.min_rtt_ns = TRACE_NULL,
	};
	while (at < length && length - at >= sizeof(struct rtattr)) {
		struct rtattr attribute;

		memcpy(&attribute, bytes + at, sizeof(attribute));
		if (attribute.rta_len < sizeof(attribute) || attribute.rta_len > length - at)
			break;
		if (attribute.rta_type == INET_DIAG_INFO)
			read_info(bytes + at + RTA_LENGTH(0), attribute.rta_len - RTA_LENGTH(0),
				  out);
		at += RTA_ALIGN((size_t)attribute.rta_len);
	}
	return true;
}

void tcp_address_text(uint8_t family, const uint32_t address[4], char out[TCP_ADDRESS])
{
	bool is_mapped = family == AF_INET6 && !address[0] && !address[1] &&
			 address[2] == htonl(0xffff);

	if (is_mapped)
		inet_ntop(AF_INET, &address[3], out, TCP_ADDRESS);
	else
		inet_ntop(family == AF_INET6 ? AF_INET6 : AF_INET, address, out, TCP_ADDRESS);
}

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What the kernel counts of TCP connections: its messages, cut short and lying, and its own answers about real ones. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include "../src/host/tcp/process_sockets.h"
#include "../src/host/tcp/tcp_diag.h"
#include "../src/record/connection_list.h"
#include "trace_file.h"

struct message {
	struct inet_diag_msg head;
	struct rtattr before; /* an attribute that nobody knows, of one byte */
	char padding[4];
	struct rtattr attribute;
	struct tcp_info info;
} __attribute__((packed));

static struct message full_message(void)
{
	return (struct message){
		.head = {.idiag_family = AF_INET, .idiag_state = 1, .idiag_inode = 4711},
		.before = {.rta_len = RTA_LENGTH(1), .rta_type = 99},
		.attribute = {.rta_len = RTA_LENGTH(sizeof(struct tcp_info)),
			      .rta_type = INET_DIAG_INFO},
		.info = {.tcpi_bytes_received = 5000,
			 .tcpi_bytes_sent = 300,
			 .tcpi_bytes_retrans = 100,
			 .tcpi_bytes_acked = 201,
			 .tcpi_data_segs_in = 4,
			 .tcpi_data_segs_out = 3,
			 .tcpi_total_retrans = 1,
			 .tcpi_rtt = 40000,
			 .tcpi_min_rtt = 200},
	};
}

static void test_parse(void)
{
	struct message message = full_message();
	struct tcp_reading reading;

	CHECK(tcp_parse_message(&message, sizeof(message), &reading));
	CHECK(reading.told && reading.inode == 4711 && !reading.listens);
	CHECK(reading.bytes_received == 5000 && reading.bytes_sent == 200);
	CHECK(reading.segments_received == 4 && reading.segments_sent == 3);
	CHECK(reading.retransmits == 1);
	CHECK(reading.rtt_ns == 40000000 && reading.min_rtt_ns == 200000);
	message.head.idiag_state = 10;
	message.info.tcpi_rtt = 0;
	message.info.tcpi_min_rtt = UINT32_MAX;
	message.info.tcpi_bytes_received = UINT64_MAX;
	message.info.tcpi_bytes_retrans = 400;
	CHECK(tcp_parse_message(&message, sizeof(message), &reading) && reading.listens);
	CHECK(reading.rtt_ns == TRACE_NULL && reading.min_rtt_ns == TRACE_NULL);
	CHECK(reading.bytes_received == INT64_MAX && reading.bytes_sent == 0);
}

/* An older kernel tells less: what it lacks is not known. */
static void test_older_kernels(void)
{
	struct message message = full_message();
	struct tcp_reading reading;

	message.attribute.rta_len = RTA_LENGTH(offsetof(struct tcp_info, tcpi_bytes_sent));
	CHECK(tcp_parse_message(&message, sizeof(message), &reading));
	CHECK(reading.bytes_sent == 201 && reading.bytes_received == 5000);
	message.attribute.rta_len = RTA_LENGTH(offsetof(struct tcp_info, tcpi_bytes_acked));
	CHECK(tcp_parse_message(&message, sizeof(message), &reading) && reading.told);
	CHECK(reading.bytes_sent == TRACE_NULL && reading.bytes_received == TRACE_NULL);
	CHECK(reading.segments_sent == TRACE_NULL && reading.min_rtt_ns == TRACE_NULL);
	CHECK(reading.retransmits == 1 && reading.rtt_ns == 40000000);
	message.attribute.rta_len = RTA_LENGTH(0);
	CHECK(tcp_parse_message(&message, sizeof(message), &reading));
	CHECK(reading.retransmits == TRACE_NULL && reading.rtt_ns == TRACE_NULL);
}

/* Never read beyond what is there: each length stands at the end of its own memory, where a sanitizer sees it. */
static void test_hostile_lengths(void)
{
	const unsigned short lengths[] = {0, 1, 3, 4, 5, 7, 8, 300, 65535};
	struct message message = full_message();
	struct tcp_reading reading;

	for (size_t length = 0; length <= sizeof(message); length++) {
		for (size_t at = 0; at < sizeof(lengths) / sizeof(lengths[0]); at++) {
			char *copy = malloc(length ? length : 1);

			message.before.rta_len = RTA_LENGTH(1);
			message.attribute.rta_len = lengths[at];
			if (at & 1)
				message.before.rta_len = lengths[at];
			CHECK(copy);
			memcpy(copy, &message, length);
			CHECK(tcp_parse_message(copy, length, &reading) ==
			      (length >= sizeof(message.head)));
			free(copy);
		}
	}
}

static void test_addresses(void)
{
	const uint32_t four[4] = {htonl(0x0a000002)};
	const uint32_t mapped[4] = {0, 0, htonl(0xffff), htonl(0x0a000002)};
	const uint32_t six[4] = {htonl(0x20010db8), 0, 0, htonl(1)};
	char text[TCP_ADDRESS];

	tcp_address_text(AF_INET, four, text);
	CHECK(strcmp(text, "10.0.0.2") == 0);
	tcp_address_text(AF_INET6, mapped, text);
	CHECK(strcmp(text, "10.0.0.2") == 0);
	tcp_address_text(AF_INET6, six, text);
	CHECK(strcmp(text, "2001:db8::1") == 0);
	CHECK(process_socket_inode("socket:[4711]") == 4711);
	CHECK(process_socket_inode("socket:[") == 0 && process_socket_inode("pipe:[4711]") == 0);
}

/* ::ffff:127.0.0.1 */
static const struct in6_addr mapped_loopback = {
	.s6_addr = {[10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1}};

struct pair {
	int listener, client, server;
};

/* A client that is connected; false where the machine lacks IPv6. */
static bool connect_pair(struct pair *pair, const struct in6_addr *address)
{
	struct sockaddr_in four = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_in6 six = {.sin6_family = AF_INET6};
	struct sockaddr *name = address ? (void *)&six : (void *)&four;
	socklen_t size = address ? sizeof(six) : sizeof(four);

	if (address)
		six.sin6_addr = *address;
	pair->listener = socket(name->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (pair->listener < 0 || bind(pair->listener, name, size))
		return false;
	CHECK(!listen(pair->listener, 8) && !getsockname(pair->listener, name, &size));
	pair->client = socket(name->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CHECK(pair->client >= 0 && !connect(pair->client, name, size));
	pair->server = accept4(pair->listener, NULL, NULL, SOCK_CLOEXEC);
	CHECK(pair->server >= 0);
	return true;
}

static void send_bytes(int from, int to, size_t count)
{
	char bytes[8192] = "";

	CHECK(count <= sizeof(bytes) && send(from, bytes, count, 0) == (ssize_t)count);
	CHECK(recv(to, bytes, count, MSG_WAITALL) == (ssize_t)count);
}

struct search {
	uint64_t inode;
	int fd;
	struct tcp_reading found;
};

static void find_descriptor(void *context, int fd, uint64_t inode)
{
	struct search *search = context;

	if (fd == search->fd)
		search->inode = inode;
}

static void find_listed(void *context, const struct tcp_reading *reading)
{
	struct search *search = context;

	if (reading->inode == search->inode)
		search->found = *reading;
}

/* As the list has it, without counts. */
static struct tcp_reading find(struct tcp_diag *diag, int fd)
{
	struct search search = {.fd = fd};

	CHECK(process_sockets_each(getpid(), 1000, find_descriptor, &search) > 0);
	CHECK(search.inode && process_socket_may_be_tcp(getpid(), fd));
	CHECK(!tcp_diag_list(diag, find_listed, &search));
	CHECK(search.found.inode == search.inode && !search.found.told);
	return search.found;
}

static void test_connection(const struct in6_addr *address, const char *text)
{
	char told[TCP_ADDRESS];
	struct tcp_reading readings[3];
	struct tcp_diag diag;
	struct pair pair;

	if (!connect_pair(&pair, address))
		return;
	send_bytes(pair.client, pair.server, 100);
	send_bytes(pair.server, pair.client, 5000);
	CHECK(!tcp_diag_open(&diag, 0));
	readings[0] = find(&diag, pair.client);
	readings[1] = find(&diag, pair.server);
	CHECK(find(&diag, pair.listener).listens);
	/* Somebody else's now. */
	readings[2] = readings[0];
	readings[2].inode++;
	CHECK(!tcp_diag_read(&diag, readings, 3));
	CHECK(readings[0].told && readings[1].told && !readings[2].told);
	CHECK(readings[0].bytes_sent == 100 && readings[0].bytes_received == 5000);
	CHECK(readings[1].bytes_sent == 5000 && readings[1].bytes_received == 100);
	CHECK(readings[0].segments_sent == 1 && readings[0].segments_received >= 1);
	CHECK(readings[0].retransmits == 0 && readings[0].min_rtt_ns > 0);
	tcp_address_text(readings[0].family, readings[0].id.idiag_dst, told);
	CHECK(strcmp(told, text) == 0);
	CHECK(readings[0].id.idiag_dport == readings[1].id.idiag_sport);
	/* It goes, and others are told all the same. */
	close(pair.client);
	close(pair.server);
	readings[1] = readings[0];
	CHECK(!tcp_diag_read(&diag, readings, 2));
	CHECK(!readings[0].told && !readings[1].told);
	close(pair.listener);
	tcp_diag_close(&diag);
}

/* More than are asked about at a time. */
static void test_many(void)
{
	struct tcp_reading readings[100], one;
	struct tcp_diag diag;
	struct pair pair;

	CHECK(connect_pair(&pair, NULL) && !tcp_diag_open(&diag, 0));
	one = find(&diag, pair.client);
	for (size_t at = 0; at < 100; at++)
		readings[at] = one;
	CHECK(!tcp_diag_read(&diag, readings, 100));
	for (size_t at = 0; at < 100; at++)
		CHECK(readings[at].told && readings[at].inode == one.inode);
	close(pair.client);
	close(pair.server);
	close(pair.listener);
	tcp_diag_close(&diag);
}

static void test_refusals(void)
{
	struct tcp_diag diag;

	CHECK(tcp_diag_open(&diag, 1 << 23) == -ENOENT && diag.fd == -1);
	CHECK(process_sockets_each(1 << 23, 10, find_descriptor, NULL) == -ENOENT);
	CHECK(!process_socket_may_be_tcp(getpid(), socket(AF_UNIX, SOCK_STREAM, 0)));
}

static void test_list(void)
{
	static struct connection_list now, before;

	before.entries[0] = (struct connection){.inode = 5, .state = SOCKET_LISTENS, .fd = 1};
	before.entries[1] = (struct connection){.inode = 7, .state = SOCKET_CONNECTED, .looks = 3};
	before.count = 2;
	now.entries[0] = (struct connection){.inode = 9, .process = 2, .absent_ns = 50};
	now.entries[1] = (struct connection){.inode = 7, .process = 2, .fd = 4, .absent_ns = 50};
	now.entries[2] = (struct connection){.inode = 9, .process = 1, .absent_ns = 0};
	now.entries[3] = (struct connection){.inode = 3, .process = 1, .absent_ns = 50};
	now.count = 4;
	connection_list_settle(&now, &before);
	CHECK(now.count == 3);
	CHECK(now.entries[0].inode == 3 && now.entries[0].absent_ns == 50);
	CHECK(now.entries[1].state == SOCKET_CONNECTED && now.entries[1].looks == 3);
	CHECK(now.entries[1].fd == 4 && now.entries[1].absent_ns == 0);
	/* Of one of those that have it, what it had before is not known. */
	CHECK(now.entries[2].process == 1 && now.entries[2].absent_ns == 0);
	CHECK(connection_list_find(&now, 7) == &now.entries[1]);
	CHECK(!connection_list_find(&now, 8) && !connection_list_find(&now, 10));
}

int main(void)
{
	test_parse();
	test_older_kernels();
	test_hostile_lengths();
	test_addresses();
	test_connection(NULL, "127.0.0.1");
	test_connection(&in6addr_loopback, "::1");
	test_connection(&mapped_loopback, "127.0.0.1");
	test_many();
	test_refusals();
	test_list();
	return 0;
}

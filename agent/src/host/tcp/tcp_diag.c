// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "tcp_diag.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* include/net/tcp_states.h: established, connecting, the four that one end has closed, and listening. */
#define STATES (1u << 1 | 1u << 2 | 1u << 4 | 1u << 5 | 1u << 8 | 1u << 9 | 1u << 10 | 1u << 11)
/* A machine may have a million connections, a microsecond each: what lies behind is not looked at. */
#define MOST_LISTED 100000
/* Questions at a time: their answers fit the buffer of a netlink socket. */
#define BATCH 32u

struct question {
	struct nlmsghdr header;
	struct inet_diag_req_v2 request;
};

static struct question ask(uint8_t family, uint16_t flags, uint32_t sequence)
{
	return (struct question){
		.header = {.nlmsg_len = sizeof(struct question),
			   .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			   .nlmsg_flags = NLM_F_REQUEST | flags,
			   .nlmsg_seq = sequence},
		.request = {.sdiag_family = family,
			    .sdiag_protocol = IPPROTO_TCP,
			    .idiag_states = STATES},
	};
}

static int send_all(struct tcp_diag *diag, const struct question *questions, size_t count)
{
	size_t size = count * sizeof(*questions);

	return send(diag->fd, questions, size, 0) == (ssize_t)size ? 0 : errno ? -errno : -EIO;
}

/* -errno; 0 bytes never come. */
static ssize_t receive(struct tcp_diag *diag, void *buffer, size_t size)
{
	ssize_t length;

	do
		length = recv(diag->fd, buffer, size, 0);
	while (length < 0 && errno == EINTR);
	return length > 0 ? length : length < 0 ? -errno : -EIO;
}

/* 0 = goes on; 1 = that was all; -errno. */
static int list_some(struct tcp_diag *diag, unsigned int *listed,
		     void (*visit)(void *context, const struct tcp_reading *reading), void *context)
{
	_Alignas(struct nlmsghdr) char buffer[32768];
	struct nlmsghdr *header = (struct nlmsghdr *)buffer;
	ssize_t length = receive(diag, buffer, sizeof(buffer));
	struct tcp_reading reading;

	if (length < 0)
		return (int)length;
	for (; NLMSG_OK(header, length); header = NLMSG_NEXT(header, length)) {
		if (header->nlmsg_seq != diag->sequence)
			continue;
		if (header->nlmsg_type == NLMSG_DONE)
			return 1;
		if (header->nlmsg_type == NLMSG_ERROR)
			return header->nlmsg_len < NLMSG_LENGTH(sizeof(int)) ?
				       -EIO :
				       *(int *)NLMSG_DATA(header);
		if (tcp_parse_message(NLMSG_DATA(header), NLMSG_PAYLOAD(header, 0), &reading))
			visit(context, &reading);
		if (++*listed > MOST_LISTED)
			return -E2BIG;
	}
	return 0;
}

static int list_family(struct tcp_diag *diag, uint8_t family, unsigned int *listed,
		       void (*visit)(void *context, const struct tcp_reading *reading),
		       void *context)
{
	struct question question = ask(family, NLM_F_DUMP, ++diag->sequence);
	int err = send_all(diag, &question, 1);

	while (!err)
		err = list_some(diag, listed, visit, context);
	return err > 0 ? 0 : err;
}

int tcp_diag_list(struct tcp_diag *diag,
		  void (*visit)(void *context, const struct tcp_reading *reading), void *context)
{
	unsigned int listed = 0;
	int err = list_family(diag, AF_INET, &listed, visit, context);

	if (!err)
		err = list_family(diag, AF_INET6, &listed, visit, context);
	/* A list that was not read to its end stands in the way of the next question. */
	if (err)
		tcp_diag_close(diag);
	return err;
}

/* How many of these questions the messages answer; -errno. */
static ssize_t take_answers(struct tcp_diag *diag, uint32_t first, struct tcp_reading *readings,
			    size_t count)
{
	_Alignas(struct nlmsghdr) char buffer[32768];
	struct nlmsghdr *header = (struct nlmsghdr *)buffer;
	ssize_t length = receive(diag, buffer, sizeof(buffer)), answered = 0;

	if (length < 0)
		return length;
	for (; NLMSG_OK(header, length); header = NLMSG_NEXT(header, length)) {
		size_t at = header->nlmsg_seq - first;
		struct tcp_reading reading;

		if (at >= count)
			continue;
		answered++;
		if (header->nlmsg_type == SOCK_DIAG_BY_FAMILY &&
		    tcp_parse_message(NLMSG_DATA(header), NLMSG_PAYLOAD(header, 0), &reading) &&
		    reading.inode == readings[at].inode)
			readings[at] = reading;
	}
	return answered;
}

static int read_batch(struct tcp_diag *diag, struct tcp_reading *readings, size_t count)
{
	struct question questions[BATCH] = {0};
	uint32_t first = diag->sequence + 1;
	size_t answered = 0;
	int err;

	diag->sequence += (uint32_t)count;
	for (size_t at = 0; at < count; at++) {
		questions[at] = ask(readings[at].family, 0, first + (uint32_t)at);
		questions[at].request.idiag_ext = 1u << (INET_DIAG_INFO - 1);
		questions[at].request.id = readings[at].id;
		readings[at].told = false;
	}
	err = send_all(diag, questions, count);
	while (!err && answered < count) {
		ssize_t more = take_answers(diag, first, readings, count);

		if (more < 0)
			err = (int)more;
		else
			answered += (size_t)more;
	}
	return err;
}

int tcp_diag_read(struct tcp_diag *diag, struct tcp_reading *readings, size_t count)
{
	int err = 0;

	for (size_t at = 0; !err && at < count; at += BATCH)
		err = read_batch(diag, readings + at, count - at < BATCH ? count - at : BATCH);
	if (err)
		tcp_diag_close(diag);
	return err;
}

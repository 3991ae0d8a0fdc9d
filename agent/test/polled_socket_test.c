// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What an epoll instance waits for: the one server that it is connected with, else nobody. */
#undef NDEBUG
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include "../src/record/bpf/file_names.h"
#include "../src/record/bpf/polled_socket.h"
#include "trace_file.h"

static int epoll;

static int listen_on(int family, unsigned int *port)
{
	struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	struct sockaddr_in four = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr *address = family == AF_INET ? (void *)&four : (void *)&six;
	socklen_t length = family == AF_INET ? sizeof(four) : sizeof(six);
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert(fd >= 0 && !bind(fd, address, length) && !listen(fd, 8));
	assert(!getsockname(fd, address, &length));
	*port = ntohs(family == AF_INET ? four.sin_port : six.sin6_port);
	return fd;
}

static int connect_to(int listener)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	int fd;

	assert(!getsockname(listener, (void *)&address, &length));
	fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert(fd >= 0 && !connect(fd, (void *)&address, length));
	return fd;
}

static int watch(int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	assert(fd >= 0 && !epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
	return fd;
}

static int look(union file_identity *out)
{
	return polled_socket(getpid(), epoll, out);
}

static void finds_the_one_server(void)
{
	unsigned int port, other;
	int server = listen_on(AF_INET, &port), another = listen_on(AF_INET, &other), fd;
	union file_identity found;

	/* As an event loop has one, to be woken by its own threads. */
	watch(eventfd(0, EFD_CLOEXEC));
	assert(look(&found) == -ENOENT);
	watch(connect_to(server));
	watch(connect_to(server));
	assert(!look(&found));
	assert(found.family == SOCKET_INET && found.peer_port == port);
	assert(found.peer_address == htonl(INADDR_LOOPBACK));
	fd = watch(connect_to(another));
	assert(look(&found) == -ENOENT);
	close(fd);
	assert(!look(&found));
	fd = watch(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
	assert(!look(&found)); /* nothing can come over it as long as it has no port */
	assert(!bind(fd, (void *)&(struct sockaddr_in){.sin_family = AF_INET},
		     sizeof(struct sockaddr_in)));
	assert(look(&found) == -ENOENT);
	close(fd);
	fd = watch(another);
	assert(look(&found) == -ENOENT); /* whoever listens waits for clients */
	close(fd);
	close(server);
}

static void finds_it_by_another_protocol(void)
{
	unsigned int port;
	int server = listen_on(AF_INET6, &port);
	union file_identity found;

	epoll = epoll_create1(EPOLL_CLOEXEC);
	watch(connect_to(server));
	assert(!look(&found));
	assert(found.family == SOCKET_INET6_LOOPBACK && found.peer_port == port);
	close(server);
}

static void names_the_server_where_the_network_woke_the_thread(void)
{
	struct trace_writer *writer = begin_trace(in_folder("trace"), 0);
	struct file_names *names = file_names_new(writer);
	struct off_cpu_record wait = {
		.start_ns = NS_PER_SECOND,
		.duration_ns = NS_PER_SECOND,
		.tgid = getpid(),
		.file_type = FILE_ANONYMOUS,
		.syscall = SYS_epoll_pwait,
		.waker_context = WAKE_TASK,
	};
	char name[128], comm[16] = "", message[512];
	unsigned int port;
	/* As the agent reads it: under an emulator the two files name two programs. */
	FILE *file = fopen("/proc/self/stat", "re");
	int server = listen_on(AF_INET, &port);

	assert(file && fscanf(file, "%*d (%15[^)]", comm) == 1);
	fclose(file);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	wait.syscall_arguments[0] = (uint64_t)epoll;
	memcpy(wait.file.name, "[eventpoll]", sizeof("[eventpoll]"));
	watch(connect_to(server));
	assert(file_name(names, &wait) == trace_name(writer, "", "eventpoll"));
	wait.waker_context = WAKE_SOFTIRQ;
	snprintf(name, sizeof(name), "socket to 127.0.0.1:%u (%s, pid %d)", port, comm, getpid());
	assert(file_name(names, &wait) == trace_name(writer, "", name));
	/* What it watched says nothing for long: it may be closed. */
	close(epoll);
	wait.start_ns += 60 * NS_PER_SECOND;
	assert(file_name(names, &wait) == trace_name(writer, "", "eventpoll"));
	close(server);
	file_names_free(names);
	assert(!trace_finish(writer, now_ns(), message, sizeof(message)));
}

int main(void)
{
	make_folder();
	epoll = epoll_create1(EPOLL_CLOEXEC);
	finds_the_one_server();
	finds_it_by_another_protocol();
	names_the_server_where_the_network_woke_the_thread();
	remove_folder();
	printf("polled_socket: ok\n");
	return EXIT_SUCCESS;
}

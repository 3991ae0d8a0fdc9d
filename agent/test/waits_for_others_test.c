// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Who is at the other end of a socket, and which memory holds a lock that processes share. */
#undef NDEBUG
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include "../src/record/bpf/local_peers.h"
#include "../src/record/bpf/shared_futexes.h"
#include "../src/record/bpf/socket_names.h"
#include "trace_file.h"

#define LONG_NS 5000000ull

static struct trace_writer *writer;

static bool is_name(int64_t id, const char *name)
{
	return id == trace_name(writer, "", name);
}

static void parses_lines_of_tcp(void)
{
	static const char four[] =
		"   1: 0100007F:18EB 0200000A:C350 01 00000000:00000000 02:0000 00000000  1000        0 4711 2 ffff 20\n";
	static const char six[] =
		"   0: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 812 1 ffff\n";
	struct tcp_line line;

	assert(!tcp_parse_line(four, &line));
	assert(line.local[0] == 0x0100007f && line.local_port == 6379 && !line.local[3]);
	assert(line.remote_port == 50000 && line.state == 1 && line.inode == 4711);
	assert(!tcp_parse_line(six, &line));
	assert(line.local[3] == 0x01000000 && line.local_port == 8080 && line.inode == 812);
	assert(tcp_parse_line("  sl  local_address rem_address   st", &line) == -EBADMSG);
	assert(tcp_parse_line("   1: 0100007F:18EB", &line) == -EBADMSG);
	assert(tcp_parse_line("   1: 01:18EB 02:C350 01", &line) == -EBADMSG);
	assert(tcp_parse_line("", &line) == -EBADMSG);
}

static struct off_cpu_record wait_on(uint32_t address, unsigned int own, unsigned int peer)
{
	struct off_cpu_record record = {
		.tgid = getpid(), .file_type = FILE_SOCKET, .duration_ns = LONG_NS};

	record.file.socket_inode = 1;
	record.file.family = SOCKET_INET;
	record.file.own_port = (uint16_t)own;
	record.file.peer_port = (uint16_t)peer;
	record.file.peer_address = htonl(address);
	return record;
}

static unsigned int listen_somewhere(int fd)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);

	assert(!bind(fd, (struct sockaddr *)&address, length) && !listen(fd, 1));
	assert(!getsockname(fd, (struct sockaddr *)&address, &length));
	return ntohs(address.sin_port);
}

static void names_sockets_by_their_other_end(void)
{
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	unsigned int port = listen_somewhere(listener);
	struct off_cpu_record local = wait_on(INADDR_LOOPBACK, 40000, port);
	struct off_cpu_record elsewhere = wait_on(0xc0000201, 40000, 443); /* 192.0.2.1 */
	struct off_cpu_record client = wait_on(0xc0000201, 443, 40000);
	struct off_cpu_record brief = wait_on(INADDR_LOOPBACK, 40001, 1);
	struct off_cpu_record six = local;
	struct socket_names *names = socket_names_new(writer);
	char expected[160];

	assert(names && listener >= 0);
	snprintf(expected, sizeof(expected), "socket to 127.0.0.1:%u (%.15s, pid %d)", port,
		 program_invocation_short_name, getpid());
	assert(is_name(socket_name(names, &local), expected));
	close(listener);
	/* Not at each wait. */
	assert(is_name(socket_name(names, &local), expected));
	assert(is_name(socket_name(names, &elsewhere), "socket to 192.0.2.1:443"));
	assert(is_name(socket_name(names, &client), "socket from 192.0.2.1"));
	brief.duration_ns = 1000;
	assert(is_name(socket_name(names, &brief), "socket to 127.0.0.1:1"));
	six.file.family = SOCKET_INET6_LOOPBACK;
	six.duration_ns = 1000;
	snprintf(expected, sizeof(expected), "socket to [::1]:%u", port);
	assert(is_name(socket_name(names, &six), expected));
	socket_names_free(names);
}

static void finds_nobody_where_nobody_listens(void)
{
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	unsigned int port = listen_somewhere(listener);
	struct off_cpu_record there = wait_on(INADDR_LOOPBACK, 40000, port);
	struct off_cpu_record elsewhere = wait_on(0xc0000201, 40000, port);
	struct local_peer peer;

	local_peer_find(getpid(), &there.file, &peer);
	assert(peer.pid == getpid() && peer.port == port);
	/* Its number is that of a port of ours. */
	local_peer_find(getpid(), &elsewhere.file, &peer);
	assert(!peer.pid);
	close(listener);
	local_peer_find(getpid(), &there.file, &peer);
	assert(!peer.pid);
}

static struct off_cpu_record futex_wait(const void *address, int operation)
{
	struct off_cpu_record record = {.header.flags = OFF_CPU_IN_SYSCALL,
					.tgid = getpid(),
					.state = 1,
					.syscall = SYS_futex,
					.duration_ns = LONG_NS};

	record.syscall_arguments[0] = (uintptr_t)address;
	record.syscall_arguments[1] = (unsigned int)operation;
	return record;
}

static void names_the_memory_of_shared_locks(void)
{
	const char *path = "/dev/shm/stalltrace-test-lock";
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	char *shared, *own = malloc(64);
	struct shared_futexes *futexes = shared_futexes_new(writer);
	struct off_cpu_record first, second, private, brief;

	assert(futexes && fd >= 0 && !ftruncate(fd, 4096));
	shared = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	assert(shared != MAP_FAILED);
	assert(!unlink(path));
	close(fd);
	first = futex_wait(shared, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME);
	second = futex_wait(shared + 64, FUTEX_WAIT);
	brief = futex_wait(shared + 128, FUTEX_WAIT);
	private = futex_wait(own, FUTEX_WAIT);
	brief.duration_ns = 1000;
	/* The next look waits some times as long as one takes. */
	second.start_ns += NS_PER_SECOND;
	private.start_ns += 2 * NS_PER_SECOND;
	brief.start_ns += 3 * NS_PER_SECOND;
	assert(is_name(shared_futex_name(futexes, &first),
		       "shared memory /dev/shm/stalltrace-test-lock"));
	assert(is_name(shared_futex_name(futexes, &second),
		       "shared memory /dev/shm/stalltrace-test-lock at 0x40"));
	assert(shared_futex_name(futexes, &private) == TRACE_NULL);
	assert(shared_futex_name(futexes, &brief) == TRACE_NULL);
	munmap(shared, 4096);
	/* A lock stays where it is: not looked at again at once. */
	assert(shared_futex_name(futexes, &first) != TRACE_NULL);
	first.start_ns += 20 * NS_PER_SECOND;
	assert(shared_futex_name(futexes, &first) == TRACE_NULL);
	private = futex_wait(own, FUTEX_WAIT | FUTEX_PRIVATE_FLAG);
	assert(is_shared_futex(&first) && !is_shared_futex(&private));
	free(own);
	shared_futexes_free(futexes);
}

int main(void)
{
	char message[512];

	make_folder();
	writer = begin_trace(in_folder("trace"), 0);
	parses_lines_of_tcp();
	names_sockets_by_their_other_end();
	finds_nobody_where_nobody_listens();
	names_the_memory_of_shared_locks();
	assert(!trace_finish(writer, now_ns(), message, sizeof(message)));
	remove_folder();
	printf("waits_for_others: ok\n");
	return EXIT_SUCCESS;
}

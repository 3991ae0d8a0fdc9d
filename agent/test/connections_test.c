// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Which connections of a process are told, with real ones of this process. `connections_test N` says instead what a look costs
 * with N connected sockets.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "../src/host/tcp/tcp_diag.h"
#include "../src/record/connection_spaces.h"
#include "said_notices.h"
#include "trace_file.h"

#define MOST_PAIRS 2000

static struct session session;
static struct record_options options;
static struct process here = {.id = 1, .target = true};
static int listener;
/* Of the job too, each in a network namespace of its own. */
static struct process other[MOST_SPACES];
static size_t others;

/* In place of the recording's own. */
void tasks_each_living(struct tasks *tasks, void (*each)(void *context, struct process *process),
		       void *context)
{
	struct process gone = {.id = 2, .pid = 1 << 23, .target = true};
	struct process stranger = {.id = 3, .pid = getpid()};

	each(context, &gone);
	each(context, &stranger);
	each(context, &here);
	for (size_t at = 0; at < others; at++)
		each(context, &other[at]);
}

static int refused;

int tcp_diag_open(struct tcp_diag *diag, pid_t pid)
{
	*diag = (struct tcp_diag){.fd = -1};
	if (refused)
		return refused;
	diag->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	CHECK(diag->fd >= 0);
	return 0;
}

void tcp_diag_close(struct tcp_diag *diag)
{
	if (diag->fd >= 0)
		close(diag->fd);
	diag->fd = -1;
}

struct pair {
	int client, server;
};

static struct sockaddr_in listen_here(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);

	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CHECK(listener >= 0 && !bind(listener, (void *)&address, size) && !listen(listener, 8));
	CHECK(!getsockname(listener, (void *)&address, &size));
	return address;
}

static struct pair connect_pair(int client, const struct sockaddr_in *address)
{
	struct pair pair = {.client = client};

	CHECK(client >= 0 && !connect(client, (const void *)address, sizeof(*address)));
	pair.server = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	CHECK(pair.server >= 0);
	return pair;
}

static int new_socket(void)
{
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static void send_bytes(struct pair pair, size_t count)
{
	char bytes[8192] = "";

	CHECK(count <= sizeof(bytes) && send(pair.client, bytes, count, 0) == (ssize_t)count);
	CHECK(recv(pair.server, bytes, count, MSG_WAITALL) == (ssize_t)count);
}

static void begin(const char *path)
{
	session = (struct session){.options = &options};
	here.pid = getpid();
	here.connections_look = 0;
	notices = 0;
	session.writer = begin_trace(path, 0);
	connections_begin(&session);
}

/* It is time for one. */
static void look(void)
{
	session.now_ns = UINT64_MAX;
	connections_read(&session);
}

static void finish(void)
{
	connections_free(&session);
	CHECK(!trace_finish(session.writer, now_ns(), NULL, 0));
	check_whole(paths[path_count - 1]);
}

static uint64_t rows(void)
{
	return trace_rows(session.writer, TABLE_CONNECTION);
}

static void test_looks(const struct sockaddr_in *address)
{
	const char *path = in_folder("looks.db");
	struct pair old = connect_pair(new_socket(), address), new;
	int later = new_socket();

	begin(path);
	look();
	CHECK(rows() == 2);
	session.now_ns = now_ns();
	connections_read(&session); /* a second is not over */
	new = connect_pair(new_socket(), address);
	send_bytes(new, 4711);
	look();
	CHECK(rows() == 4);
	look();
	CHECK(rows() == 4); /* nothing came or went */
	send_bytes(old, 10);
	look();
	CHECK(rows() == 6);
	/* A socket that was there is connected at last; another one ends. */
	connect_pair(later, address);
	close(old.client);
	close(old.server);
	for (int i = 0; i < 4; i++)
		look();
	CHECK(rows() == 8);
	/* At the end. */
	send_bytes(new, 100);
	connections_read_last(&session, now_ns());
	CHECK(rows() == 10 && notices == 0);
	finish();
	CHECK(number(path, "SELECT count(*) FROM connection WHERE new_ns > 0") == 4);
	CHECK(number(path, "SELECT count(DISTINCT socket) FROM connection") == 6);
	CHECK(number(path, "SELECT count(*) FROM connection WHERE process_id <> 1") == 0);
	CHECK(number(path, "SELECT max(bytes_sent) FROM connection") == 4811);
	CHECK(number(path, "SELECT new_ns > 0 FROM connection WHERE bytes_received = 4711") == 1);
	CHECK(number(path, "SELECT new_ns IS NULL FROM connection WHERE bytes_received = 10") == 1);
	CHECK(strcmp(text(path, "SELECT kind FROM provenance WHERE table_name = 'connection'"),
		     "sampled") == 0);
	close(new.client);
	close(new.server);
	close(later);
}

static void test_all(void)
{
	const char *path = in_folder("all.db");

	options.target = TARGET_ALL;
	begin(path);
	look();
	connections_read_last(&session, now_ns());
	CHECK(rows() == 0);
	finish();
	options.target = TARGET_PIDS;
	CHECK(strcmp(text(path, "SELECT kind FROM provenance WHERE table_name = 'connection'"),
		     "absent") == 0);
}

static void test_refused(const struct sockaddr_in *address)
{
	const char *path = in_folder("refused.db");
	struct pair pair = connect_pair(new_socket(), address);

	refused = -EPERM;
	begin(path);
	look();
	look();
	CHECK(rows() == 0 && notices == 1);
	CHECK(strstr(said, "can't be read: Operation not permitted"));
	finish();
	refused = 0;
	CHECK(strcmp(text(path, "SELECT note FROM provenance WHERE table_name = 'connection' "
				"AND kind = 'partial'"),
		     said) == 0);
	close(pair.client);
	close(pair.server);
}

/* The process by which a namespace was to be entered has ended just then: another one is found at the next look. */
static void test_ended(const struct sockaddr_in *address)
{
	struct pair pair = connect_pair(new_socket(), address);

	refused = -ENOENT;
	begin(in_folder("ended.db"));
	look();
	CHECK(rows() == 0 && notices == 0);
	refused = 0;
	look();
	look();
	CHECK(rows() >= 2 && notices == 0);
	finish();
	close(pair.client);
	close(pair.server);
}

static pid_t start_apart(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	CHECK(!pipe(ready));
	pid = fork();
	if (pid == 0) {
		CHECK(!unshare(CLONE_NEWNET) && write(ready[1], "", 1) == 1);
		pause();
	}
	CHECK(pid > 0 && read(ready[0], &byte, 1) == 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void test_many_spaces(void)
{
	others = MOST_SPACES;
	for (size_t at = 0; at < others; at++)
		other[at] = (struct process){
			.id = 10 + (int64_t)at, .pid = start_apart(), .target = true};
	begin(in_folder("spaces.db"));
	look();
	CHECK(notices == 1 && strstr(said, "more network namespaces than are looked at"));
	finish();
	for (size_t at = 0; at < others; at++)
		CHECK(!kill(other[at].pid, SIGKILL) &&
		      waitpid(other[at].pid, NULL, 0) == other[at].pid);
	others = 0;
}

static uint64_t cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* The CPU time of a look: the first one, one where nothing came or went, one where something did everywhere. */
static void measure(const struct sockaddr_in *address, size_t pairs)
{
	static struct pair all[MOST_PAIRS];
	const struct rlimit files = {2 * MOST_PAIRS + 100, 2 * MOST_PAIRS + 100};
	uint64_t spent[3] = {0}, before;
	const int times = 100;

	CHECK(pairs <= MOST_PAIRS && !setrlimit(RLIMIT_NOFILE, &files));
	for (size_t at = 0; at < pairs; at++)
		all[at] = connect_pair(new_socket(), address);
	begin(in_folder("measure.db"));
	before = cpu_ns();
	look();
	spent[0] = cpu_ns() - before;
	for (int time = 0; time < times; time++) {
		before = cpu_ns();
		look();
		spent[1] += cpu_ns() - before;
		for (size_t at = 0; at < pairs; at++)
			send_bytes(all[at], 1);
		before = cpu_ns();
		look();
		spent[2] += cpu_ns() - before;
	}
	printf("%zu sockets: first look %.0f µs, quiet %.0f µs, busy %.0f µs\n", 2 * pairs,
	       (double)spent[0] / 1e3, (double)spent[1] / 1e3 / times,
	       (double)spent[2] / 1e3 / times);
	finish();
}

int main(int argc, char **argv)
{
	struct sockaddr_in address;

	make_folder();
	address = listen_here();
	if (argc > 1) {
		if (!atoi(argv[1]))
			close(listener);
		measure(&address, (size_t)atoi(argv[1]) / 2);
	} else {
		test_looks(&address);
		test_all();
		test_refused(&address);
		test_ended(&address);
		test_many_spaces();
	}
	remove_folder();
	return 0;
}

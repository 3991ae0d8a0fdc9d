// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Whose pinned memory is looked for, and how long. Machines that test this have one node: what is read stands here. */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <string.h>
#include "../src/host/numa.h"
#include "../src/record/session.h"
#include "said_notices.h"

#define PROCESSES 5

static struct process processes[PROCESSES];
static pid_t read_pids[32];
static unsigned int reads;
static uint64_t time_ns, read_takes_ns, resident_bytes;
static int read_result;
static struct session session;

/* In place of the kernel, and of the recording's own. */
int clock_gettime(clockid_t clock, struct timespec *out)
{
	*out = (struct timespec){(time_t)(time_ns / NS_PER_SECOND),
				 (long)(time_ns % NS_PER_SECOND)};
	return 0;
}

bool numa_has_several_nodes(const char *root)
{
	return true;
}

int numa_read_pinned(const char *root, pid_t pid, numa_pinned *pinned, void *context,
		     uint64_t bytes[NUMA_MOST_NODES])
{
	read_pids[reads++] = pid;
	time_ns += read_takes_ns;
	return read_result;
}

void numa_text(const uint64_t bytes[NUMA_MOST_NODES], char *out, size_t size)
{
	out[0] = '\0';
}

int proc_read_stat(pid_t pid, pid_t tid, struct proc_stat *out)
{
	out->rss_bytes = resident_bytes;
	return 0;
}

void tasks_each_living(struct tasks *tasks, void (*each)(void *context, struct process *process),
		       void *context)
{
	for (int i = 0; i < PROCESSES; i++)
		each(context, &processes[i]);
}

void tasks_set_pinned_nodes(struct tasks *tasks, struct process *process, const char *text)
{
}

uint64_t session_pinned_bytes(struct session *of, pid_t pid, uint64_t begin, uint64_t end)
{
	return 4096;
}

void watchdog_step(uint64_t allowance_ns)
{
}

static void begin(void)
{
	time_ns = 100 * NS_PER_SECOND;
	session = (struct session){.begin_ns = time_ns, .now_ns = time_ns};
	for (int i = 0; i < PROCESSES; i++)
		processes[i] = (struct process){.pid = i + 1, .target = true};
	reads = notices = 0;
	read_takes_ns = 0;
	read_result = 0;
	resident_bytes = 1 << 20;
	pinned_nodes_begin(&session);
}

static void go_on(uint64_t ns)
{
	time_ns += ns;
	session.now_ns = time_ns;
	pinned_nodes_read(&session);
}

/* Also where a round takes longer than the time after which the first is due again. */
static void each_has_its_turn(void)
{
	begin();
	read_takes_ns = 60 * NS_PER_MS;
	for (int i = 0; i < 2 * PROCESSES; i++)
		go_on(7 * NS_PER_SECOND);
	assert(reads == 2 * PROCESSES);
	for (int i = 0; i < 2 * PROCESSES; i++)
		assert(read_pids[i] == i % PROCESSES + 1);
}

static void the_last_look_ends(void)
{
	begin();
	read_takes_ns = 400 * NS_PER_MS;
	pinned_nodes_read_last(&session);
	assert(reads == 3);
	begin();
	pinned_nodes_read_last(&session);
	assert(reads == PROCESSES);
}

static void what_is_not_read_is_told_once(void)
{
	begin();
	read_result = -EACCES;
	for (int i = 0; i < PROCESSES; i++)
		go_on(3 * NS_PER_SECOND);
	assert(reads == PROCESSES && notices == 1 && strstr(said, strerror(EACCES)));
	begin();
	resident_bytes = 17ull << 30;
	go_on(3 * NS_PER_SECOND);
	assert(!reads && notices == 1 && strstr(said, "16 GiB"));
	begin();
	read_result = -ESRCH;
	go_on(3 * NS_PER_SECOND);
	assert(reads == 1 && !notices);
}

int main(void)
{
	each_has_its_turn();
	the_last_look_ends();
	what_is_not_read_is_told_once();
	return 0;
}

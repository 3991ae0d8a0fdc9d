// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What a call waited for, from the kernel's sums for its thread: on a machine whose clocks are made up. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include "../inside/inside.h"

#define US 1000ull
#define MS 1000000ull

static struct {
	uint64_t wall_ns, cpu_ns, run_delay_ns, switches;
	unsigned int asked; /* for what costs most */
	bool refuses;       /* to count */
} machine;

static uint64_t made_up_now(clockid_t clock)
{
	return clock == CLOCK_MONOTONIC ? machine.wall_ns : machine.cpu_ns;
}

static long answer(long number, long a, long b, long c)
{
	(void)a;
	if (number == SYS_getrusage && machine.refuses)
		return -EPERM;
	if (number == SYS_getrusage) {
		*(struct rusage *)b = (struct rusage){.ru_nvcsw = (long)machine.switches};
		return 0;
	}
	if (number == SYS_pread64) {
		machine.asked++;
		return snprintf((char *)b, (size_t)c, "%llu %llu %llu\n",
				(unsigned long long)machine.cpu_ns,
				(unsigned long long)machine.run_delay_ns,
				(unsigned long long)machine.switches + 1);
	}
	assert(!"a system call that is known");
	return -1;
}

#undef SYSTEM_CALL
#define SYSTEM_CALL(...) ANSWER(__VA_ARGS__, 0, 0, 0)
#define ANSWER(number, a, b, c, ...) answer(number, (long)(a), (long)(b), (long)(c))
#define now_ns made_up_now
#include "../inside/accounting.c"

static void run(uint64_t ns)
{
	machine.wall_ns += ns;
	machine.cpu_ns += ns;
}

/* By an interrupt or the hypervisor: nobody is charged, and nothing is switched. */
static void steal(uint64_t ns)
{
	machine.wall_ns += ns;
}

static void wait_for(uint64_t asleep_ns, uint64_t queued_ns)
{
	machine.wall_ns += asleep_ns + queued_ns;
	machine.run_delay_ns += queued_ns;
	machine.switches++;
}

static struct thread_state begin(void)
{
	struct thread_state thread = {.schedstat = 600};

	machine.wall_ns = 5000 * MS;
	machine.cpu_ns = 1000 * MS;
	machine.run_delay_ns = 300 * MS;
	machine.switches = 7;
	machine.asked = 0;
	account_entry(&thread);
	return thread;
}

static struct account leave(struct thread_state *thread)
{
	struct account account;

	account_return(thread, machine.wall_ns, &account);
	return account;
}

static void a_wait_is_off_the_cpu_and_partly_queued(void)
{
	struct thread_state thread = begin();
	struct account account;

	run(20 * US);
	wait_for(500 * US, 200 * US);
	run(30 * US);
	account = leave(&thread);
	assert(account.off_cpu_ns == 700 * US);
	assert(account.run_queue_ns == 200 * US && account.queue_known);
}

static void calls_that_stay_on_the_cpu_cost_little(void)
{
	struct thread_state thread = begin();
	struct account account = leave(&thread);
	unsigned int asked = machine.asked;

	for (int i = 0; i < 10; i++) {
		run(10 * US);
		account_entry(&thread);
		run(10 * US);
		account = leave(&thread);
		assert(!account.off_cpu_ns && !account.run_queue_ns && account.queue_known);
	}
	assert(machine.asked == asked);
}

/* What was stolen before the call can hide nothing of it, nor add more than itself. */
static void time_stolen_before_a_call_does_not_hide_its_wait(void)
{
	struct thread_state thread = begin();
	struct account account;

	leave(&thread);
	steal(400 * US);
	account_entry(&thread);
	run(20 * US);
	wait_for(500 * US, 200 * US);
	account = leave(&thread);
	assert(account.off_cpu_ns >= 700 * US && account.off_cpu_ns <= 720 * US);
	assert(account.run_queue_ns == 200 * US);
}

static void time_stolen_long_before_is_none_of_a_call(void)
{
	struct thread_state thread = begin();
	struct account account;

	leave(&thread);
	run(1 * MS);
	steal(6 * MS);
	account_entry(&thread);
	run(900 * US);
	wait_for(500 * US, 0);
	account = leave(&thread);
	assert(account.off_cpu_ns == 500 * US);
}

/* From the begin on, or only when the call returns. */
static void what_the_kernel_does_not_count_is_not_known(void)
{
	struct thread_state thread = begin();
	struct account account;

	machine.refuses = true;
	wait_for(500 * US, 200 * US);
	account = leave(&thread);
	assert(!account.known && !account.queue_known);
	account_set_up();
	machine.refuses = false;
	thread = begin();
	wait_for(500 * US, 200 * US);
	account = leave(&thread);
	assert(!account.known && thread.start_ns == 5000 * MS);
	account_set_up();
	thread = begin();
	account = leave(&thread);
	assert(account.known && account.queue_known);
}

int main(void)
{
	a_wait_is_off_the_cpu_and_partly_queued();
	calls_that_stay_on_the_cpu_cost_little();
	time_stolen_before_a_call_does_not_hide_its_wait();
	time_stolen_long_before_is_none_of_a_call();
	what_the_kernel_does_not_count_is_not_known();
	puts("accounting of calls from inside: ok");
	return 0;
}

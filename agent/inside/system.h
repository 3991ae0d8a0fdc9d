/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * System calls without libc: errno is the job's, and a symbol that libc has only lately must not keep
 * the library from being loaded. Each returns what the kernel does: -errno where it fails.
 */
#ifndef STALLTRACE_INSIDE_SYSTEM_H
#define STALLTRACE_INSIDE_SYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

static inline long system_call(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
#else
#error "no system calls for this architecture"
#endif
}

#define SYSTEM_CALL(...) SYSTEM_CALL_(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define SYSTEM_CALL_(number, a, b, c, d, e, f, ...) \
	system_call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* Through the vDSO, which leaves errno alone. */
static inline uint64_t now_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

static inline void sleep_ns(long wait_ns)
{
	struct timespec wait = {.tv_nsec = wait_ns};

	SYSTEM_CALL(SYS_nanosleep, &wait, NULL);
}

#endif /* STALLTRACE_INSIDE_SYSTEM_H */

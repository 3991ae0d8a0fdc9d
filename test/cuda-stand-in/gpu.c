/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The simulated GPU: work is a moment at which it will be done, a copy its bytes over a rate. */
#include "gpu.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define DEVICE_BYTES (1ULL << 36)
#define STAGING_BYTES (1u << 20)
/* Below this a pageable copy is staged without waiting for what was submitted before it. */
#define SMALL_COPY 65536
#define MAX_RANGES 65536
/* CUPTI's names of them. */
enum { MEMORY_PAGEABLE = 1, MEMORY_PINNED, MEMORY_DEVICE };

struct gpu_stream {
	_Atomic uint64_t done_ns;
};
struct gpu_event {
	_Atomic uint64_t done_ns;
};
struct host_range {
	uintptr_t begin;
	size_t size;
};

void (*gpu_wait_callback)(void);
const struct gpu_hook *gpu_hook;

static struct gpu_stream default_stream;
/* When the last work of any stream will be done. */
static _Atomic uint64_t all_done_ns;
static double pinned_rate = 24, pageable_rate = 12; /* bytes a ns */
static uint64_t kernel_ns = 10000;
static int wait_blocks;
static unsigned char *device;
static _Atomic uint64_t device_used;
static pthread_mutex_t ranges_lock = PTHREAD_MUTEX_INITIALIZER;
static struct host_range ranges[MAX_RANGES];
static unsigned int range_count;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static double setting(const char *name, double otherwise)
{
	const char *text = getenv(name);
	double value = text ? strtod(text, NULL) : 0;

	return value > 0 ? value : otherwise;
}

__attribute__((constructor)) static void read_settings(void)
{
	pinned_rate = setting("STALLTRACE_STAND_IN_GBPS", 24);
	pageable_rate = setting("STALLTRACE_STAND_IN_PAGEABLE_GBPS", 12);
	kernel_ns = (uint64_t)(1000 * setting("STALLTRACE_STAND_IN_KERNEL_US", 10));
	wait_blocks = setting("STALLTRACE_STAND_IN_BLOCK", 0) > 0;
	/* Addresses only: the memory of a GPU is not this process's to touch. */
	device = mmap(NULL, DEVICE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		      -1, 0);
}

static void raise_to(_Atomic uint64_t *moment, uint64_t value)
{
	uint64_t seen = atomic_load(moment);

	while (seen < value && !atomic_compare_exchange_weak(moment, &seen, value))
		;
}

static struct gpu_stream *stream_of(CUstream stream)
{
	/* 0 is the default stream, 1 the legacy one, 2 the thread's own. */
	return (uintptr_t)stream <= 2 ? &default_stream : stream;
}

static void tell(struct gpu_work work)
{
	const struct gpu_hook *hook = gpu_hook;

	if (hook)
		hook->work(&work);
}

/* Puts work of that length behind what the stream has. */
static void submit(CUstream stream, uint64_t duration_ns, struct gpu_work work)
{
	struct gpu_stream *queue = stream_of(stream);
	uint64_t seen = atomic_load(&queue->done_ns), begin, done, now = now_ns();

	do {
		begin = seen > now ? seen : now;
		done = begin + duration_ns;
	} while (!atomic_compare_exchange_weak(&queue->done_ns, &seen, done));
	raise_to(&all_done_ns, done);
	work.stream = stream;
	work.begin_ns = begin;
	work.end_ns = done;
	tell(work);
}

static void wait_until(uint64_t moment)
{
	struct timespec time = {.tv_sec = (time_t)(moment / 1000000000),
				.tv_nsec = (long)(moment % 1000000000)};

	if (gpu_wait_callback)
		gpu_wait_callback();
	if (wait_blocks)
		while (now_ns() < moment)
			clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
	else
		while (now_ns() < moment)
			;
}

static int add_range(void *pointer, size_t size)
{
	int result = OUT_OF_MEMORY;

	pthread_mutex_lock(&ranges_lock);
	if (range_count < MAX_RANGES) {
		ranges[range_count++] = (struct host_range){(uintptr_t)pointer, size};
		result = SUCCESS;
	}
	pthread_mutex_unlock(&ranges_lock);
	return result;
}

/* Bytes of the range that begins there, which is forgotten; 0 = there was none. */
static size_t remove_range(void *pointer)
{
	size_t size = 0;

	pthread_mutex_lock(&ranges_lock);
	for (unsigned int i = 0; i < range_count && size == 0; i++)
		if (ranges[i].begin == (uintptr_t)pointer) {
			size = ranges[i].size;
			ranges[i] = ranges[--range_count];
		}
	pthread_mutex_unlock(&ranges_lock);
	return size;
}

static int is_pinned(const void *pointer)
{
	int found = 0;

	pthread_mutex_lock(&ranges_lock);
	for (unsigned int i = 0; i < range_count && !found; i++)
		found = (uintptr_t)pointer - ranges[i].begin < ranges[i].size;
	pthread_mutex_unlock(&ranges_lock);
	return found;
}

int gpu_is_device_pointer(const void *pointer)
{
	return (uintptr_t)pointer - (uintptr_t)device < DEVICE_BYTES;
}

void gpu_occupy(uint64_t duration_ns)
{
	submit(NULL, duration_ns, (struct gpu_work){.kind = WORK_KERNEL, .name = "occupy"});
}

CUresult gpu_cuMemAlloc_v2(CUdeviceptr *out, size_t size)
{
	uint64_t place;

	if (!out || size == 0)
		return INVALID_VALUE;
	/* Never given back: 64 GiB of addresses outlast every test. */
	place = atomic_fetch_add(&device_used, (size + 511) & ~(size_t)511);
	if (size > DEVICE_BYTES || place > DEVICE_BYTES - size)
		return OUT_OF_MEMORY;
	*out = (CUdeviceptr)(uintptr_t)(device + place);
	return SUCCESS;
}

CUresult gpu_cuMemFree_v2(CUdeviceptr pointer)
{
	void *address = (void *)(uintptr_t)pointer;
	size_t managed;

	if (pointer == 0 || gpu_is_device_pointer(address))
		return SUCCESS;
	managed = remove_range(address);
	if (managed == 0)
		return INVALID_VALUE;
	munmap(address, managed);
	return SUCCESS;
}

static CUresult allocate_host(void **out, size_t size, int lock)
{
	void *pointer;

	if (!out || size == 0)
		return INVALID_VALUE;
	pointer = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | (lock ? MAP_POPULATE : 0), -1, 0);
	if (pointer == MAP_FAILED)
		return OUT_OF_MEMORY;
	if (add_range(pointer, size) != SUCCESS) {
		munmap(pointer, size);
		return OUT_OF_MEMORY;
	}
	/* Where the limit on locked memory forbids it the pages are at least there. */
	if (lock)
		(void)mlock(pointer, size);
	*out = pointer;
	return SUCCESS;
}

CUresult gpu_cuMemHostAlloc(void **out, size_t size, unsigned int flags)
{
	(void)flags;
	return allocate_host(out, size, 1);
}

CUresult gpu_cuMemFreeHost(void *pointer)
{
	size_t size = remove_range(pointer);

	if (size == 0)
		return INVALID_VALUE;
	munmap(pointer, size);
	return SUCCESS;
}

CUresult gpu_cuMemHostRegister_v2(void *pointer, size_t size, unsigned int flags)
{
	(void)flags;
	if (!pointer || size == 0)
		return INVALID_VALUE;
	(void)mlock(pointer, size);
	return add_range(pointer, size);
}

CUresult gpu_cuMemHostUnregister(void *pointer)
{
	size_t size = remove_range(pointer);

	if (size == 0)
		return INVALID_VALUE;
	(void)munlock(pointer, size);
	return SUCCESS;
}

CUresult gpu_cuMemAllocManaged(CUdeviceptr *out, size_t size, unsigned int flags)
{
	void *pointer;
	CUresult result = allocate_host(&pointer, size, 0);

	(void)flags;
	if (result == SUCCESS)
		*out = (CUdeviceptr)(uintptr_t)pointer;
	return result;
}

/* The CPU's share of a pageable copy: through a buffer, a piece at a time, at the set rate. */
static void stage(void *to, const void *from, size_t size)
{
	static _Thread_local unsigned char staging[STAGING_BYTES];
	uint64_t begin = now_ns();

	for (size_t done = 0; done < size;) {
		size_t piece = size - done < STAGING_BYTES ? size - done : STAGING_BYTES;

		if (from)
			memcpy(staging, (const unsigned char *)from + done, piece);
		else
			memset((unsigned char *)to + done, 0, piece);
		done += piece;
		while (now_ns() < begin + (uint64_t)((double)done / pageable_rate))
			;
	}
}

static CUresult copy(void *to, const void *from, const void *host, size_t size, CUstream stream,
		     int wait)
{
	int memory = is_pinned(host) ? MEMORY_PINNED : MEMORY_PAGEABLE, down = host == to;
	struct gpu_work work = {
		.kind = WORK_COPY,
		.copy_kind = down ? 2 : 1,
		.source_memory = down ? MEMORY_DEVICE : memory,
		.destination_memory = down ? memory : MEMORY_DEVICE,
		.bytes = size,
		.stream = stream,
	};

	if (size == 0)
		return SUCCESS;
	if (!to || !from)
		return INVALID_VALUE;
	if (is_pinned(host)) {
		submit(stream, (uint64_t)((double)size / pinned_rate), work);
	} else {
		if (size > SMALL_COPY)
			wait_until(atomic_load(&stream_of(stream)->done_ns));
		work.begin_ns = now_ns();
		stage(gpu_is_device_pointer(to) ? NULL : to,
		      gpu_is_device_pointer(from) ? NULL : from, size);
		work.end_ns = now_ns();
		tell(work);
	}
	if (wait)
		wait_until(atomic_load(&stream_of(stream)->done_ns));
	return SUCCESS;
}

CUresult gpu_cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size)
{
	return copy((void *)(uintptr_t)to, from, from, size, NULL, 1);
}

CUresult gpu_cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size)
{
	return copy(to, (const void *)(uintptr_t)from, to, size, NULL, 1);
}

CUresult gpu_cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
	return copy((void *)(uintptr_t)to, from, from, size, stream, 0);
}

CUresult gpu_cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size, CUstream stream)
{
	return copy(to, (const void *)(uintptr_t)from, to, size, stream, 0);
}

static CUresult inside_device(CUdeviceptr to, CUdeviceptr from, CUstream stream,
			      struct gpu_work work)
{
	if (work.bytes > 0 && (!to || !from))
		return INVALID_VALUE;
	submit(stream, (uint64_t)((double)work.bytes / (10 * pinned_rate)), work);
	return SUCCESS;
}

CUresult gpu_cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
	return inside_device(to, from, stream,
			     (struct gpu_work){.kind = WORK_COPY,
					       .copy_kind = 8,
					       .source_memory = MEMORY_DEVICE,
					       .destination_memory = MEMORY_DEVICE,
					       .bytes = size});
}

CUresult gpu_cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t size, CUstream stream)
{
	(void)value;
	return inside_device(to, to, stream, (struct gpu_work){.kind = WORK_FILL, .bytes = size});
}

CUresult gpu_cuLaunchKernel(void *function, unsigned int gx, unsigned int gy, unsigned int gz,
			    unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared,
			    CUstream stream, void **params, void **extra)
{
	(void)shared, (void)params, (void)extra;
	if (!function || !gx || !gy || !gz || !bx || !by || !bz)
		return INVALID_VALUE;
	submit(stream, kernel_ns,
	       (struct gpu_work){.kind = WORK_KERNEL,
				 .name = "_Z8stand_inPKfPfi",
				 .grid = {gx, gy, gz},
				 .block = {bx, by, bz}});
	return SUCCESS;
}

CUresult gpu_cuGraphLaunch(void *graph, CUstream stream)
{
	(void)graph;
	submit(stream, 10 * kernel_ns, (struct gpu_work){.kind = WORK_GRAPH});
	return SUCCESS;
}

CUresult gpu_cuStreamCreate(CUstream *out, unsigned int flags)
{
	(void)flags;
	if (!out)
		return INVALID_VALUE;
	*out = calloc(1, sizeof(**out));
	return *out ? SUCCESS : OUT_OF_MEMORY;
}

CUresult gpu_cuStreamDestroy_v2(CUstream stream)
{
	free(stream);
	return SUCCESS;
}

CUresult gpu_cuStreamSynchronize(CUstream stream)
{
	wait_until(atomic_load(&stream_of(stream)->done_ns));
	return SUCCESS;
}

CUresult gpu_cuEventCreate(CUevent *out, unsigned int flags)
{
	(void)flags;
	if (!out)
		return INVALID_VALUE;
	*out = calloc(1, sizeof(**out));
	return *out ? SUCCESS : OUT_OF_MEMORY;
}

CUresult gpu_cuEventDestroy_v2(CUevent event)
{
	free(event);
	return SUCCESS;
}

CUresult gpu_cuEventRecord(CUevent event, CUstream stream)
{
	if (!event)
		return INVALID_VALUE;
	atomic_store(&event->done_ns, atomic_load(&stream_of(stream)->done_ns));
	return SUCCESS;
}

CUresult gpu_cuEventSynchronize(CUevent event)
{
	if (!event)
		return INVALID_VALUE;
	wait_until(atomic_load(&event->done_ns));
	return SUCCESS;
}

CUresult gpu_cuCtxSynchronize(void)
{
	wait_until(atomic_load(&all_done_ns));
	return SUCCESS;
}

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A simulated GPU with the signatures of the CUDA driver API. Nothing is computed. */
#ifndef STAND_IN_GPU_H
#define STAND_IN_GPU_H

#include <stddef.h>
#include <stdint.h>

typedef unsigned long long CUdeviceptr;
typedef int CUresult; /* 0 = success, 1 = invalid value, 2 = out of memory */
typedef struct gpu_stream *CUstream;
typedef struct gpu_event *CUevent;

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2 };

/* Name, parameters, arguments, and the parameters as CUPTI hands them over. */
#define FOR_EACH_DRIVER_FUNCTION(X)                                                               \
	X(cuMemAlloc_v2, (CUdeviceptr * out, size_t size), (out, size), CUdeviceptr *out;         \
	  size_t size;)                                                                           \
	X(cuMemFree_v2, (CUdeviceptr pointer), (pointer), CUdeviceptr pointer;)                   \
	X(cuMemHostAlloc, (void **out, size_t size, unsigned int flags), (out, size, flags),      \
	  void **out;                                                                             \
	  size_t size; unsigned int flags;)                                                       \
	X(cuMemFreeHost, (void *pointer), (pointer), void *pointer;)                              \
	X(cuMemHostRegister_v2, (void *pointer, size_t size, unsigned int flags),                 \
	  (pointer, size, flags), void *pointer;                                                  \
	  size_t size; unsigned int flags;)                                                       \
	X(cuMemHostUnregister, (void *pointer), (pointer), void *pointer;)                        \
	X(cuMemAllocManaged, (CUdeviceptr * out, size_t size, unsigned int flags),                \
	  (out, size, flags), CUdeviceptr *out;                                                   \
	  size_t size; unsigned int flags;)                                                       \
	X(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t size), (to, from, size),     \
	  CUdeviceptr to;                                                                         \
	  const void *from; size_t size;)                                                         \
	X(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t size), (to, from, size), void *to; \
	  CUdeviceptr from; size_t size;)                                                         \
	X(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t size, CUstream stream), \
	  (to, from, size, stream), CUdeviceptr to;                                               \
	  const void *from; size_t size; CUstream stream;)                                        \
	X(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t size, CUstream stream),       \
	  (to, from, size, stream), void *to;                                                     \
	  CUdeviceptr from; size_t size; CUstream stream;)                                        \
	X(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream), \
	  (to, from, size, stream), CUdeviceptr to;                                               \
	  CUdeviceptr from; size_t size; CUstream stream;)                                        \
	X(cuMemsetD8Async, (CUdeviceptr to, unsigned char value, size_t size, CUstream stream),   \
	  (to, value, size, stream), CUdeviceptr to;                                              \
	  unsigned char value; size_t size; CUstream stream;)                                     \
	X(cuLaunchKernel,                                                                         \
	  (void *function, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,    \
	   unsigned int by, unsigned int bz, unsigned int shared, CUstream stream, void **params, \
	   void **extra),                                                                         \
	  (function, gx, gy, gz, bx, by, bz, shared, stream, params, extra), void *function;      \
	  unsigned int gx; unsigned int gy; unsigned int gz; unsigned int bx; unsigned int by;    \
	  unsigned int bz; unsigned int shared; CUstream stream; void **params; void **extra;)    \
	X(cuGraphLaunch, (void *graph, CUstream stream), (graph, stream), void *graph;            \
	  CUstream stream;)                                                                       \
	X(cuStreamCreate, (CUstream * out, unsigned int flags), (out, flags), CUstream *out;      \
	  unsigned int flags;)                                                                    \
	X(cuStreamDestroy_v2, (CUstream stream), (stream), CUstream stream;)                      \
	X(cuStreamSynchronize, (CUstream stream), (stream), CUstream stream;)                     \
	X(cuEventCreate, (CUevent * out, unsigned int flags), (out, flags), CUevent *out;         \
	  unsigned int flags;)                                                                    \
	X(cuEventDestroy_v2, (CUevent event), (event), CUevent event;)                            \
	X(cuEventRecord, (CUevent event, CUstream stream), (event, stream), CUevent event;        \
	  CUstream stream;)                                                                       \
	X(cuEventSynchronize, (CUevent event), (event), CUevent event;)                           \
	X(cuCtxSynchronize, (void), (), char none;)

#define DECLARE_FUNCTION(name, parameters, arguments, fields) CUresult gpu_##name parameters;
FOR_EACH_DRIVER_FUNCTION(DECLARE_FUNCTION)

/* The driver that the runtime talks to: this one, or the same names of a libcuda.so.1. */
struct driver {
#define DECLARE_POINTER(name, parameters, arguments, fields) CUresult(*name) parameters;
	FOR_EACH_DRIVER_FUNCTION(DECLARE_POINTER)
};

/* What the stand-in for CUPTI is told: calls at entry and return, and work as it is submitted. */
enum { HOOK_DRIVER = 1, HOOK_RUNTIME = 2 };
enum { WORK_KERNEL = 1, WORK_COPY, WORK_FILL, WORK_GRAPH };
struct gpu_work {
	int kind;
	int copy_kind;                         /* CUPTI's: 1 H2D, 2 D2H, 8 D2D */
	int source_memory, destination_memory; /* CUPTI's: 1 pageable, 2 pinned, 3 device */
	uint64_t begin_ns, end_ns, bytes;
	const char *name;
	CUstream stream;
	unsigned int grid[3], block[3];
};
struct gpu_hook {
	/* number: of the function in its list, from 1; result NULL = entry. */
	void (*call)(int domain, unsigned int number, const char *name, const void *parameters,
		     const int *result);
	void (*work)(const struct gpu_work *work);
};
extern const struct gpu_hook *gpu_hook;

/*
 * A function that is exported: `name` does what `implementation` does, and tells the hook. First comes
 * BEFORE_EXPORTED(), which the file defines.
 */
#define HOOK_UNWRAP(...) __VA_ARGS__
#define EXPORT_HOOKED(result_type, domain, name, implementation, parameters, arguments, fields) \
	EXPORT result_type name parameters                                                      \
	{                                                                                       \
		const struct gpu_hook *hook = (BEFORE_EXPORTED(), gpu_hook);                    \
		result_type result;                                                             \
		struct {                                                                        \
			fields                                                                  \
		} given = {HOOK_UNWRAP arguments};                                              \
		if (hook)                                                                       \
			hook->call(domain, NUMBER_##name, #name, &given, NULL);                 \
		result = implementation arguments;                                              \
		if (hook)                                                                       \
			hook->call(domain, NUMBER_##name, #name, &given, &result);              \
		return result;                                                                  \
	}

#define DRIVER_NUMBER(name, parameters, arguments, fields) NUMBER_##name,
enum { NO_DRIVER_FUNCTION, FOR_EACH_DRIVER_FUNCTION(DRIVER_NUMBER) DRIVER_FUNCTIONS };

/* As cuInit does: loads the library that CUDA_INJECTION64_PATH names, once, and calls it. */
void inject(void);

/* Called once inside each wait for the GPU while it is set; may leave it by longjmp. */
extern void (*gpu_wait_callback)(void);
/* Keeps the GPU busy for that long; what waits for it waits. */
void gpu_occupy(uint64_t duration_ns);
int gpu_is_device_pointer(const void *pointer);

#endif /* STAND_IN_GPU_H */

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

#define FOR_EACH_DRIVER_FUNCTION(X)                                                               \
	X(cuMemAlloc_v2, (CUdeviceptr * out, size_t size), (out, size))                           \
	X(cuMemFree_v2, (CUdeviceptr pointer), (pointer))                                         \
	X(cuMemHostAlloc, (void **out, size_t size, unsigned int flags), (out, size, flags))      \
	X(cuMemFreeHost, (void *pointer), (pointer))                                              \
	X(cuMemHostRegister_v2, (void *pointer, size_t size, unsigned int flags),                 \
	  (pointer, size, flags))                                                                 \
	X(cuMemHostUnregister, (void *pointer), (pointer))                                        \
	X(cuMemAllocManaged, (CUdeviceptr * out, size_t size, unsigned int flags),                \
	  (out, size, flags))                                                                     \
	X(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t size), (to, from, size))     \
	X(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t size), (to, from, size))           \
	X(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t size, CUstream stream), \
	  (to, from, size, stream))                                                               \
	X(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t size, CUstream stream),       \
	  (to, from, size, stream))                                                               \
	X(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream), \
	  (to, from, size, stream))                                                               \
	X(cuMemsetD8Async, (CUdeviceptr to, unsigned char value, size_t size, CUstream stream),   \
	  (to, value, size, stream))                                                              \
	X(cuLaunchKernel,                                                                         \
	  (void *function, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,    \
	   unsigned int by, unsigned int bz, unsigned int shared, CUstream stream, void **params, \
	   void **extra),                                                                         \
	  (function, gx, gy, gz, bx, by, bz, shared, stream, params, extra))                      \
	X(cuGraphLaunch, (void *graph, CUstream stream), (graph, stream))                         \
	X(cuStreamCreate, (CUstream * out, unsigned int flags), (out, flags))                     \
	X(cuStreamDestroy_v2, (CUstream stream), (stream))                                        \
	X(cuStreamSynchronize, (CUstream stream), (stream))                                       \
	X(cuEventCreate, (CUevent * out, unsigned int flags), (out, flags))                       \
	X(cuEventDestroy_v2, (CUevent event), (event))                                            \
	X(cuEventRecord, (CUevent event, CUstream stream), (event, stream))                       \
	X(cuEventSynchronize, (CUevent event), (event))                                           \
	X(cuCtxSynchronize, (void), ())

#define DECLARE_FUNCTION(name, parameters, arguments) CUresult gpu_##name parameters;
FOR_EACH_DRIVER_FUNCTION(DECLARE_FUNCTION)

/* The driver that the runtime talks to: this one, or the same names of a libcuda.so.1. */
struct driver {
#define DECLARE_POINTER(name, parameters, arguments) CUresult(*name) parameters;
	FOR_EACH_DRIVER_FUNCTION(DECLARE_POINTER)
};

/* Called once inside each wait for the GPU while it is set; may leave it by longjmp. */
extern void (*gpu_wait_callback)(void);
/* Keeps the GPU busy for that long; what waits for it waits. */
void gpu_occupy(uint64_t duration_ns);
int gpu_is_device_pointer(const void *pointer);

#endif /* STAND_IN_GPU_H */

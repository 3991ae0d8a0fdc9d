/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The part of the CUDA runtime API that the stand-in exports. */
#ifndef STAND_IN_RUNTIME_H
#define STAND_IN_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

typedef int cudaError_t;
typedef struct gpu_stream *cudaStream_t;
typedef struct gpu_event *cudaEvent_t;
typedef struct cuda_graph *cudaGraphExec_t;
typedef struct {
	unsigned int x, y, z;
} dim3;
typedef struct {
	dim3 gridDim, blockDim;
	size_t dynamicSmemBytes;
	cudaStream_t stream;
	void *attrs;
	unsigned int numAttrs;
} cudaLaunchConfig_t;
enum cudaMemcpyKind {
	cudaMemcpyHostToHost,
	cudaMemcpyHostToDevice,
	cudaMemcpyDeviceToHost,
	cudaMemcpyDeviceToDevice,
	cudaMemcpyDefault,
};

/* Name, parameters, arguments, and the parameters as CUPTI hands them over. */
#define FOR_EACH_RUNTIME_FUNCTION(X)                                                              \
	X(cudaMalloc, (void **out, size_t size), (out, size), void **out; size_t size;)           \
	X(cudaFree, (void *pointer), (pointer), void *pointer;)                                   \
	X(cudaMallocAsync, (void **out, size_t size, cudaStream_t stream), (out, size, stream),   \
	  void **out;                                                                             \
	  size_t size; cudaStream_t stream;)                                                      \
	X(cudaFreeAsync, (void *pointer, cudaStream_t stream), (pointer, stream), void *pointer;  \
	  cudaStream_t stream;)                                                                   \
	X(cudaMallocManaged, (void **out, size_t size, unsigned int flags), (out, size, flags),   \
	  void **out;                                                                             \
	  size_t size; unsigned int flags;)                                                       \
	X(cudaHostAlloc, (void **out, size_t size, unsigned int flags), (out, size, flags),       \
	  void **out;                                                                             \
	  size_t size; unsigned int flags;)                                                       \
	X(cudaMallocHost, (void **out, size_t size), (out, size), void **out; size_t size;)       \
	X(cudaFreeHost, (void *pointer), (pointer), void *pointer;)                               \
	X(cudaHostRegister, (void *pointer, size_t size, unsigned int flags),                     \
	  (pointer, size, flags), void *pointer;                                                  \
	  size_t size; unsigned int flags;)                                                       \
	X(cudaHostUnregister, (void *pointer), (pointer), void *pointer;)                         \
	X(cudaMemcpy, (void *to, const void *from, size_t size, enum cudaMemcpyKind kind),        \
	  (to, from, size, kind), void *to;                                                       \
	  const void *from; size_t size; enum cudaMemcpyKind kind;)                               \
	X(cudaMemcpyAsync,                                                                        \
	  (void *to, const void *from, size_t size, enum cudaMemcpyKind kind,                     \
	   cudaStream_t stream),                                                                  \
	  (to, from, size, kind, stream), void *to;                                               \
	  const void *from; size_t size; enum cudaMemcpyKind kind; cudaStream_t stream;)          \
	X(cudaMemcpyAsync_ptsz,                                                                   \
	  (void *to, const void *from, size_t size, enum cudaMemcpyKind kind,                     \
	   cudaStream_t stream),                                                                  \
	  (to, from, size, kind, stream), void *to;                                               \
	  const void *from; size_t size; enum cudaMemcpyKind kind; cudaStream_t stream;)          \
	X(cudaMemcpy2D,                                                                           \
	  (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,          \
	   size_t height, enum cudaMemcpyKind kind),                                              \
	  (to, to_pitch, from, from_pitch, width, height, kind), void *to;                        \
	  size_t to_pitch; const void *from; size_t from_pitch; size_t width; size_t height;      \
	  enum cudaMemcpyKind kind;)                                                              \
	X(cudaMemcpy2DAsync,                                                                      \
	  (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,          \
	   size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),                         \
	  (to, to_pitch, from, from_pitch, width, height, kind, stream), void *to;                \
	  size_t to_pitch; const void *from; size_t from_pitch; size_t width; size_t height;      \
	  enum cudaMemcpyKind kind; cudaStream_t stream;)                                         \
	X(cudaMemcpyPeerAsync,                                                                    \
	  (void *to, int to_device, const void *from, int from_device, size_t size,               \
	   cudaStream_t stream),                                                                  \
	  (to, to_device, from, from_device, size, stream), void *to;                             \
	  int to_device; const void *from; int from_device; size_t size; cudaStream_t stream;)    \
	X(cudaMemset, (void *to, int value, size_t size), (to, value, size), void *to; int value; \
	  size_t size;)                                                                           \
	X(cudaMemsetAsync, (void *to, int value, size_t size, cudaStream_t stream),               \
	  (to, value, size, stream), void *to;                                                    \
	  int value; size_t size; cudaStream_t stream;)                                           \
	X(cudaLaunchKernel,                                                                       \
	  (const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,          \
	   cudaStream_t stream),                                                                  \
	  (function, grid, block, arguments, shared, stream), const void *function;               \
	  dim3 grid; dim3 block; void **arguments; size_t shared; cudaStream_t stream;)           \
	X(cudaLaunchKernel_ptsz,                                                                  \
	  (const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,          \
	   cudaStream_t stream),                                                                  \
	  (function, grid, block, arguments, shared, stream), const void *function;               \
	  dim3 grid; dim3 block; void **arguments; size_t shared; cudaStream_t stream;)           \
	X(cudaLaunchKernelExC,                                                                    \
	  (const cudaLaunchConfig_t *config, const void *function, void **arguments),             \
	  (config, function, arguments), const cudaLaunchConfig_t *config;                        \
	  const void *function; void **arguments;)                                                \
	X(cudaGraphLaunch, (cudaGraphExec_t graph, cudaStream_t stream), (graph, stream),         \
	  cudaGraphExec_t graph;                                                                  \
	  cudaStream_t stream;)                                                                   \
	X(cudaStreamCreate, (cudaStream_t * out), (out), cudaStream_t *out;)                      \
	X(cudaStreamDestroy, (cudaStream_t stream), (stream), cudaStream_t stream;)               \
	X(cudaStreamSynchronize, (cudaStream_t stream), (stream), cudaStream_t stream;)           \
	X(cudaStreamSynchronize_ptsz, (cudaStream_t stream), (stream), cudaStream_t stream;)      \
	X(cudaEventCreate, (cudaEvent_t * out), (out), cudaEvent_t *out;)                         \
	X(cudaEventDestroy, (cudaEvent_t event), (event), cudaEvent_t event;)                     \
	X(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream),             \
	  cudaEvent_t event;                                                                      \
	  cudaStream_t stream;)                                                                   \
	X(cudaEventSynchronize, (cudaEvent_t event), (event), cudaEvent_t event;)                 \
	X(cudaDeviceSynchronize, (void), (), char none;)

#define DECLARE_RUNTIME(name, parameters, arguments, fields) cudaError_t name parameters;
FOR_EACH_RUNTIME_FUNCTION(DECLARE_RUNTIME)
#define RUNTIME_NUMBER(name, parameters, arguments, fields) NUMBER_##name,
enum { NO_RUNTIME_FUNCTION, FOR_EACH_RUNTIME_FUNCTION(RUNTIME_NUMBER) RUNTIME_FUNCTIONS };

/* Not CUDA's: see gpu.h. */
void standInOccupy(uint64_t duration_ns);
void standInCallInWait(void (*callback)(void));

#endif /* STAND_IN_RUNTIME_H */

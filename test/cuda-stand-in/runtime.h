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

cudaError_t cudaMalloc(void **out, size_t size);
cudaError_t cudaFree(void *pointer);
cudaError_t cudaMallocAsync(void **out, size_t size, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
cudaError_t cudaMallocManaged(void **out, size_t size, unsigned int flags);
cudaError_t cudaHostAlloc(void **out, size_t size, unsigned int flags);
cudaError_t cudaMallocHost(void **out, size_t size);
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned int flags);
cudaError_t cudaHostUnregister(void *pointer);
cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
			    cudaStream_t stream);
cudaError_t cudaMemcpyAsync_ptsz(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
				 cudaStream_t stream);
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
			 size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
			      size_t width, size_t height, enum cudaMemcpyKind kind,
			      cudaStream_t stream);
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
				size_t size, cudaStream_t stream);
cudaError_t cudaMemset(void *to, int value, size_t size);
cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream);
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
			     size_t shared, cudaStream_t stream);
cudaError_t cudaLaunchKernel_ptsz(const void *function, dim3 grid, dim3 block, void **arguments,
				  size_t shared, cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
				void **arguments);
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream);
cudaError_t cudaStreamCreate(cudaStream_t *out);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t *out);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaDeviceSynchronize(void);

/* Not CUDA's: see gpu.h. */
void standInOccupy(uint64_t duration_ns);
void standInCallInWait(void (*callback)(void));

#endif /* STAND_IN_RUNTIME_H */

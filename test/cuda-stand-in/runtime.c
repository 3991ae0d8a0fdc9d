/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* libcudart: the runtime API over the simulated GPU, or over a libcuda.so.1. */
#include "runtime.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gpu.h"

#define EXPORT __attribute__((visibility("default")))

#define OWN_FUNCTION(name, parameters, arguments, fields) .name = gpu_##name,
static struct driver driver = {FOR_EACH_DRIVER_FUNCTION(OWN_FUNCTION)};

static void *need(void *library, const char *path, const char *name)
{
	void *function = library ? dlsym(library, name) : NULL;

	if (!function) {
		fprintf(stderr, "stand-in: %s has no %s: %s\n", path, name, dlerror());
		abort();
	}
	return function;
}

__attribute__((constructor)) static void find_driver(void)
{
	const char *path = getenv("STALLTRACE_STAND_IN_DRIVER");
	void *library = path ? dlopen(path, RTLD_NOW) : NULL;

	if (!path)
		return;
#define FIND_FUNCTION(name, parameters, arguments, fields) driver.name = need(library, path, #name);
	FOR_EACH_DRIVER_FUNCTION(FIND_FUNCTION)
}

EXPORT void standInOccupy(uint64_t duration_ns)
{
	gpu_occupy(duration_ns);
}

EXPORT void standInCallInWait(void (*callback)(void))
{
	gpu_wait_callback = callback;
}

static cudaError_t do_cudaMalloc(void **out, size_t size)
{
	CUdeviceptr pointer = 0;
	CUresult result = driver.cuMemAlloc_v2(&pointer, size);

	if (result == SUCCESS)
		*out = (void *)(uintptr_t)pointer;
	return result;
}

static cudaError_t do_cudaFree(void *pointer)
{
	return driver.cuMemFree_v2((CUdeviceptr)(uintptr_t)pointer);
}

static cudaError_t do_cudaMallocAsync(void **out, size_t size, cudaStream_t stream)
{
	CUdeviceptr pointer = 0;
	CUresult result = driver.cuMemAlloc_v2(&pointer, size);

	(void)stream;
	if (result == SUCCESS)
		*out = (void *)(uintptr_t)pointer;
	return result;
}

static cudaError_t do_cudaFreeAsync(void *pointer, cudaStream_t stream)
{
	(void)stream;
	return driver.cuMemFree_v2((CUdeviceptr)(uintptr_t)pointer);
}

static cudaError_t do_cudaMallocManaged(void **out, size_t size, unsigned int flags)
{
	CUdeviceptr pointer = 0;
	CUresult result = driver.cuMemAllocManaged(&pointer, size, flags);

	if (result == SUCCESS)
		*out = (void *)(uintptr_t)pointer;
	return result;
}

static cudaError_t do_cudaHostAlloc(void **out, size_t size, unsigned int flags)
{
	return driver.cuMemHostAlloc(out, size, flags);
}

static cudaError_t do_cudaMallocHost(void **out, size_t size)
{
	return driver.cuMemHostAlloc(out, size, 0);
}

static cudaError_t do_cudaFreeHost(void *pointer)
{
	return driver.cuMemFreeHost(pointer);
}

static cudaError_t do_cudaHostRegister(void *pointer, size_t size, unsigned int flags)
{
	return driver.cuMemHostRegister_v2(pointer, size, flags);
}

static cudaError_t do_cudaHostUnregister(void *pointer)
{
	return driver.cuMemHostUnregister(pointer);
}

static enum cudaMemcpyKind kind_of(enum cudaMemcpyKind kind, const void *to, const void *from)
{
	static const enum cudaMemcpyKind kinds[2][2] = {
		{cudaMemcpyHostToHost, cudaMemcpyDeviceToHost},
		{cudaMemcpyHostToDevice, cudaMemcpyDeviceToDevice}};

	if (kind != cudaMemcpyDefault)
		return kind;
	return kinds[gpu_is_device_pointer(to)][gpu_is_device_pointer(from)];
}

static CUresult copy_async(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
			   cudaStream_t stream)
{
	switch (kind_of(kind, to, from)) {
	case cudaMemcpyHostToDevice:
		return driver.cuMemcpyHtoDAsync_v2((CUdeviceptr)(uintptr_t)to, from, size, stream);
	case cudaMemcpyDeviceToHost:
		return driver.cuMemcpyDtoHAsync_v2(to, (CUdeviceptr)(uintptr_t)from, size, stream);
	case cudaMemcpyDeviceToDevice:
		return driver.cuMemcpyDtoDAsync_v2((CUdeviceptr)(uintptr_t)to,
						   (CUdeviceptr)(uintptr_t)from, size, stream);
	default:
		if (size > 0 && (!to || !from))
			return INVALID_VALUE;
		memcpy(to, from, size);
		return SUCCESS;
	}
}

static CUresult copy_now(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
	switch (kind_of(kind, to, from)) {
	case cudaMemcpyHostToDevice:
		return driver.cuMemcpyHtoD_v2((CUdeviceptr)(uintptr_t)to, from, size);
	case cudaMemcpyDeviceToHost:
		return driver.cuMemcpyDtoH_v2(to, (CUdeviceptr)(uintptr_t)from, size);
	default:
		return copy_async(to, from, size, kind, NULL);
	}
}

static cudaError_t do_cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
	return copy_now(to, from, size, kind);
}

static cudaError_t do_cudaMemcpyAsync(void *to, const void *from, size_t size,
				      enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_async(to, from, size, kind, stream);
}

static cudaError_t do_cudaMemcpyAsync_ptsz(void *to, const void *from, size_t size,
					   enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_async(to, from, size, kind, stream);
}

static CUresult copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch,
			  size_t width, size_t height, enum cudaMemcpyKind kind,
			  cudaStream_t stream)
{
	CUresult result = SUCCESS;

	for (size_t row = 0; row < height && result == SUCCESS; row++)
		result = copy_async((char *)to + row * to_pitch,
				    (const char *)from + row * from_pitch, width, kind, stream);
	return result;
}

static cudaError_t do_cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
				   size_t width, size_t height, enum cudaMemcpyKind kind)
{
	CUresult result = copy_rows(to, to_pitch, from, from_pitch, width, height, kind, NULL);

	return result == SUCCESS ? driver.cuStreamSynchronize(NULL) : result;
}

static cudaError_t do_cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
					size_t from_pitch, size_t width, size_t height,
					enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, stream);
}

static cudaError_t do_cudaMemcpyPeerAsync(void *to, int to_device, const void *from,
					  int from_device, size_t size, cudaStream_t stream)
{
	(void)to_device, (void)from_device;
	return copy_async(to, from, size, cudaMemcpyDeviceToDevice, stream);
}

static cudaError_t do_cudaMemset(void *to, int value, size_t size)
{
	return driver.cuMemsetD8Async((CUdeviceptr)(uintptr_t)to, (unsigned char)value, size, NULL);
}

static cudaError_t do_cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream)
{
	return driver.cuMemsetD8Async((CUdeviceptr)(uintptr_t)to, (unsigned char)value, size,
				      stream);
}

static CUresult launch(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
		       cudaStream_t stream)
{
	return driver.cuLaunchKernel((void *)function, grid.x, grid.y, grid.z, block.x, block.y,
				     block.z, (unsigned int)shared, stream, arguments, NULL);
}

static cudaError_t do_cudaLaunchKernel(const void *function, dim3 grid, dim3 block,
				       void **arguments, size_t shared, cudaStream_t stream)
{
	return launch(function, grid, block, arguments, shared, stream);
}

static cudaError_t do_cudaLaunchKernel_ptsz(const void *function, dim3 grid, dim3 block,
					    void **arguments, size_t shared, cudaStream_t stream)
{
	return launch(function, grid, block, arguments, shared, stream);
}

static cudaError_t do_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
					  void **arguments)
{
	if (!config)
		return INVALID_VALUE;
	return launch(function, config->gridDim, config->blockDim, arguments,
		      config->dynamicSmemBytes, config->stream);
}

static cudaError_t do_cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream)
{
	return driver.cuGraphLaunch(graph, stream);
}

static cudaError_t do_cudaStreamCreate(cudaStream_t *out)
{
	return driver.cuStreamCreate(out, 0);
}

static cudaError_t do_cudaStreamDestroy(cudaStream_t stream)
{
	return driver.cuStreamDestroy_v2(stream);
}

static cudaError_t do_cudaStreamSynchronize(cudaStream_t stream)
{
	return driver.cuStreamSynchronize(stream);
}

static cudaError_t do_cudaStreamSynchronize_ptsz(cudaStream_t stream)
{
	return driver.cuStreamSynchronize(stream);
}

static cudaError_t do_cudaEventCreate(cudaEvent_t *out)
{
	return driver.cuEventCreate(out, 0);
}

static cudaError_t do_cudaEventDestroy(cudaEvent_t event)
{
	return driver.cuEventDestroy_v2(event);
}

static cudaError_t do_cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	return driver.cuEventRecord(event, stream);
}

static cudaError_t do_cudaEventSynchronize(cudaEvent_t event)
{
	return driver.cuEventSynchronize(event);
}

static cudaError_t do_cudaDeviceSynchronize(void)
{
	return driver.cuCtxSynchronize();
}

/* There is a context: a tool that comes later is not told of it. */
static bool is_up;

/* The first call of a process initialises CUDA, as the runtime does. */
static void initialise(void)
{
	const char *path = getenv("STALLTRACE_STAND_IN_DRIVER");
	int (*init)(unsigned int);

	if (!path) {
		inject();
		is_up = true;
		return;
	}
	*(void **)&init = need(dlopen(path, RTLD_NOW), path, "cuInit");
	init(0);
	is_up = true;
}

EXPORT bool standInIsUp(void)
{
	return is_up;
}

EXPORT void standInHook(const struct gpu_hook *hook)
{
	gpu_hook = hook;
}

static pthread_once_t initialised = PTHREAD_ONCE_INIT;
#define BEFORE_EXPORTED() pthread_once(&initialised, initialise)

#define EXPORT_RUNTIME(name, parameters, arguments, fields) \
	EXPORT_HOOKED(cudaError_t, HOOK_RUNTIME, name, do_##name, parameters, arguments, fields)
FOR_EACH_RUNTIME_FUNCTION(EXPORT_RUNTIME)

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The functions that are probed: those that copy, wait, allocate, launch, or load code. Signatures
 * are those of NVIDIA's CUDA Runtime API and CUDA Driver API reference manuals (11.0 to 13.0).
 * A library need not export all: older forms and newer ones stand side by side.
 */
#include "functions.h"

/* The nth argument, from 0, as call_shape counts; 6 and 7 are those that FUNCTION_* fetches. */
#define ARG(n) ((n) + 1)

#define ENTRY(symbol_, name_, layer_, flags_, ...)                                       \
	{                                                                                \
		.symbol = symbol_, .name = name_, .layer = layer_, .spec.flags = flags_, \
		__VA_ARGS__                                                              \
	}

#define RUNTIME(name, flags, ...) \
	ENTRY(#name, #name, LAYER_RUNTIME, FUNCTION_RUNTIME | (flags), __VA_ARGS__)
#define RUNTIME_VARIANT(name, suffix, flags, ...)                             \
	ENTRY(#name suffix, #name, LAYER_RUNTIME, FUNCTION_RUNTIME | (flags), \
	      .shape.per_thread = true, __VA_ARGS__)
/* Also exported in the form that --default-stream per-thread compiles calls into. */
#define RUNTIME_PTDS(name, ...) \
	RUNTIME(name, __VA_ARGS__), RUNTIME_VARIANT(name, "_ptds", __VA_ARGS__)
#define RUNTIME_PTSZ(name, ...) \
	RUNTIME(name, __VA_ARGS__), RUNTIME_VARIANT(name, "_ptsz", __VA_ARGS__)

#define DRIVER(name, version, flags, ...) \
	ENTRY(#name version, #name, LAYER_DRIVER, flags, __VA_ARGS__)
#define DRIVER_VARIANT(name, suffix, flags, ...) \
	ENTRY(#name suffix, #name, LAYER_DRIVER, flags, .shape.per_thread = true, __VA_ARGS__)
#define DRIVER_PTDS(name, version, ...) \
	DRIVER(name, version, __VA_ARGS__), DRIVER_VARIANT(name, version "_ptds", __VA_ARGS__)
#define DRIVER_PTSZ(name, version, ...) \
	DRIVER(name, version, __VA_ARGS__), DRIVER_VARIANT(name, version "_ptsz", __VA_ARGS__)

#define GRAPH(name, flags, ...)                                                      \
	ENTRY(#name, #name, LAYER_GRAPH, FUNCTION_RUNTIME | (flags), __VA_ARGS__),   \
		ENTRY(#name "_ptsz", #name, LAYER_GRAPH, FUNCTION_RUNTIME | (flags), \
		      .shape.per_thread = true, __VA_ARGS__)
#define DRIVER_GRAPH(name, version, flags, ...)                                                   \
	ENTRY(#name version, #name, LAYER_GRAPH, flags, __VA_ARGS__),                             \
		ENTRY(#name version "_ptsz", #name, LAYER_GRAPH, flags, .shape.per_thread = true, \
		      __VA_ARGS__)

#define COPY FUNCTION_STACK
#define WAIT FUNCTION_STACK
#define ALLOCATE (FUNCTION_STACK_ALWAYS | FUNCTION_OUT_POINTER)
#define FREE FUNCTION_STACK_ALWAYS

/* Argument words. */
#define TO(n) .shape.destination = ARG(n)
#define FROM(n) .shape.source = ARG(n)
#define SIZE(...) .shape.size = {__VA_ARGS__}
#define KIND(n) .shape.kind = ARG(n), .shape.direction = DIRECTION_UNKNOWN
#define DIRECTION(d) .shape.direction = DIRECTION_##d
#define STREAM(n) .shape.stream = ARG(n)
#define DEFAULT_STREAM .shape.default_stream = true
#define UNITS(bytes) .shape.scale = bytes
#define EFFECT(e) .shape.effect = EFFECT_##e
#define STACK_ARGUMENTS(n) .spec.argument = n
#define FIELDS(n, ...) .spec.fields = n, .spec.offset = {__VA_ARGS__}

/* struct cudaMemcpy3DParms: srcPtr.ptr, dstPtr.ptr, extent, kind → words 2 to 7. */
#define RUNTIME_3D \
	FIELDS(6, 32, 96, 128, 136, 144, 152), FROM(2), TO(3), SIZE(ARG(4), ARG(5), ARG(6)), KIND(7)
/* struct cudaMemcpy3DPeerParms: srcPtr.ptr, dstPtr.ptr, extent → words 3 to 7. */
#define RUNTIME_3D_PEER                                                                  \
	FIELDS(5, 32, 104, 144, 152, 160), FROM(3), TO(4), SIZE(ARG(5), ARG(6), ARG(7)), \
		DIRECTION(P2P)
#define DRIVER_MEMORY                                                                  \
	.shape.source_type = ARG(2), FROM(3), .shape.destination_type = ARG(4), TO(5), \
	DIRECTION(UNKNOWN)
/* CUDA_MEMCPY2D: src and dst memory type and host pointer, WidthInBytes, Height → words 2 to 7. */
#define DRIVER_2D FIELDS(6, 16, 24, 72, 80, 112, 120), DRIVER_MEMORY, SIZE(ARG(6), ARG(7))
/* CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER: Depth → word 0, the others as in 2D. */
#define DRIVER_3D \
	FIELDS(7, 192, 32, 40, 120, 128, 176, 184), DRIVER_MEMORY, SIZE(ARG(6), ARG(7), ARG(0))

#define ON_STACK (COPY | FUNCTION_STACK_ARGUMENTS)
#define BY_POINTER (COPY | FUNCTION_DEREFERENCE)
#define LAUNCH FUNCTION_LAUNCH
#define LAUNCH_ON_STACK (FUNCTION_LAUNCH | FUNCTION_STACK_ARGUMENTS)
#define LAUNCH_BY_POINTER (FUNCTION_LAUNCH | FUNCTION_DEREFERENCE)

const struct cuda_function cuda_functions[] = {
	/* Runtime: copies. */
	RUNTIME_PTDS(cudaMemcpy, COPY, TO(0), FROM(1), SIZE(ARG(2)), KIND(3), DEFAULT_STREAM),
	RUNTIME_PTSZ(cudaMemcpyAsync, COPY, TO(0), FROM(1), SIZE(ARG(2)), KIND(3), STREAM(4)),
	RUNTIME_PTDS(cudaMemcpy2D, ON_STACK, STACK_ARGUMENTS(6), TO(0), FROM(2),
		     SIZE(ARG(4), ARG(5)), KIND(6), DEFAULT_STREAM),
	RUNTIME_PTSZ(cudaMemcpy2DAsync, ON_STACK, STACK_ARGUMENTS(6), TO(0), FROM(2),
		     SIZE(ARG(4), ARG(5)), KIND(6), STREAM(7)),
	RUNTIME_PTDS(cudaMemcpy3D, BY_POINTER, RUNTIME_3D, DEFAULT_STREAM),
	RUNTIME_PTSZ(cudaMemcpy3DAsync, BY_POINTER, RUNTIME_3D, STREAM(1)),
	RUNTIME_PTDS(cudaMemcpy3DPeer, BY_POINTER, RUNTIME_3D_PEER, DEFAULT_STREAM),
	RUNTIME_PTSZ(cudaMemcpy3DPeerAsync, BY_POINTER, RUNTIME_3D_PEER, STREAM(1)),
	RUNTIME(cudaMemcpyPeer, COPY, TO(0), FROM(2), SIZE(ARG(4)), DIRECTION(P2P), DEFAULT_STREAM),
	RUNTIME(cudaMemcpyPeerAsync, COPY, TO(0), FROM(2), SIZE(ARG(4)), DIRECTION(P2P), STREAM(5)),
	RUNTIME_PTDS(cudaMemcpyToSymbol, COPY, FROM(1), SIZE(ARG(2)), KIND(4), DEFAULT_STREAM),
	RUNTIME_PTSZ(cudaMemcpyToSymbolAsync, COPY, FROM(1), SIZE(ARG(2)), KIND(4), STREAM(5)),
	RUNTIME_PTDS(cudaMemcpyFromSymbol, COPY, TO(0), SIZE(ARG(2)), KIND(4), DEFAULT_STREAM),
	RUNTIME_PTSZ(cudaMemcpyFromSymbolAsync, COPY, TO(0), SIZE(ARG(2)), KIND(4), STREAM(5)),
	RUNTIME_PTDS(cudaMemcpyToArray, COPY, FROM(3), SIZE(ARG(4)), KIND(5), DEFAULT_STREAM),
	RUNTIME_PTSZ(cudaMemcpyToArrayAsync, ON_STACK, STACK_ARGUMENTS(6), FROM(3), SIZE(ARG(4)),
		     KIND(5), STREAM(6)),
	RUNTIME_PTDS(cudaMemcpyFromArray, COPY, TO(0), SIZE(ARG(4)), KIND(5), DEFAULT_STREAM),
	RUNTIME_PTSZ(cudaMemcpyFromArrayAsync, ON_STACK, STACK_ARGUMENTS(6), TO(0), SIZE(ARG(4)),
		     KIND(5), STREAM(6)),
	RUNTIME_PTDS(cudaMemcpyArrayToArray, ON_STACK, STACK_ARGUMENTS(6), SIZE(ARG(6)),
		     DIRECTION(D2D), DEFAULT_STREAM),
	RUNTIME_PTDS(cudaMemcpy2DToArray, ON_STACK, STACK_ARGUMENTS(6), FROM(3),
		     SIZE(ARG(5), ARG(6)), KIND(7), DEFAULT_STREAM),
	/* The stream is the ninth argument, one more than is read. */
	RUNTIME_PTSZ(cudaMemcpy2DToArrayAsync, ON_STACK, STACK_ARGUMENTS(6), FROM(3),
		     SIZE(ARG(5), ARG(6)), KIND(7)),
	RUNTIME_PTDS(cudaMemcpy2DFromArray, ON_STACK, STACK_ARGUMENTS(6), TO(0),
		     SIZE(ARG(5), ARG(6)), KIND(7), DEFAULT_STREAM),
	RUNTIME_PTSZ(cudaMemcpy2DFromArrayAsync, ON_STACK, STACK_ARGUMENTS(6), TO(0),
		     SIZE(ARG(5), ARG(6)), KIND(7)),
	RUNTIME_PTDS(cudaMemcpy2DArrayToArray, ON_STACK, STACK_ARGUMENTS(6), SIZE(ARG(6), ARG(7)),
		     DIRECTION(D2D), DEFAULT_STREAM),
	RUNTIME_PTSZ(cudaMemcpyBatchAsync, COPY, DIRECTION(UNKNOWN)),
	RUNTIME_PTSZ(cudaMemcpy3DBatchAsync, COPY, DIRECTION(UNKNOWN)),
	/* CUDA 13 moved its stream argument without renaming it. */
	RUNTIME_PTSZ(cudaMemPrefetchAsync, COPY, SIZE(ARG(1)), DIRECTION(UNKNOWN)),

	/* Runtime: fills. 3D takes its sizes by value, on the stack. */
	RUNTIME_PTDS(cudaMemset, COPY, SIZE(ARG(2)), DEFAULT_STREAM),
	RUNTIME_PTSZ(cudaMemsetAsync, COPY, SIZE(ARG(2)), STREAM(3)),
	RUNTIME_PTDS(cudaMemset2D, COPY, SIZE(ARG(3), ARG(4)), DEFAULT_STREAM),
	RUNTIME_PTSZ(cudaMemset2DAsync, COPY, SIZE(ARG(3), ARG(4)), STREAM(5)),
	RUNTIME_PTDS(cudaMemset3D, COPY, DEFAULT_STREAM),
	RUNTIME_PTSZ(cudaMemset3DAsync, COPY),

	/* Runtime: memory. */
	RUNTIME(cudaMalloc, ALLOCATE, SIZE(ARG(1)), EFFECT(ALLOCATE_DEVICE)),
	RUNTIME_PTSZ(cudaMallocAsync, ALLOCATE, SIZE(ARG(1)), STREAM(2), EFFECT(ALLOCATE_DEVICE)),
	RUNTIME_PTSZ(cudaMallocFromPoolAsync, ALLOCATE, SIZE(ARG(1)), STREAM(3),
		     EFFECT(ALLOCATE_DEVICE)),
	RUNTIME(cudaMallocManaged, ALLOCATE, SIZE(ARG(1)), EFFECT(ALLOCATE_MANAGED)),
	RUNTIME(cudaMallocPitch, ALLOCATE, SIZE(ARG(2), ARG(3)), EFFECT(ALLOCATE_DEVICE)),
	RUNTIME(cudaMalloc3D, FUNCTION_STACK_ALWAYS),
	RUNTIME(cudaMallocArray, FUNCTION_STACK_ALWAYS),
	RUNTIME(cudaMalloc3DArray, FUNCTION_STACK_ALWAYS),
	RUNTIME(cudaMallocHost, ALLOCATE, SIZE(ARG(1)), EFFECT(ALLOCATE_PINNED)),
	RUNTIME(cudaHostAlloc, ALLOCATE, SIZE(ARG(1)), EFFECT(ALLOCATE_PINNED)),
	RUNTIME(cudaHostRegister, FUNCTION_STACK_ALWAYS, TO(0), SIZE(ARG(1)), EFFECT(REGISTER)),
	RUNTIME(cudaHostUnregister, FREE, TO(0), EFFECT(UNREGISTER)),
	RUNTIME(cudaFree, FREE, TO(0), EFFECT(FREE)),
	RUNTIME_PTSZ(cudaFreeAsync, FREE, TO(0), STREAM(1), EFFECT(FREE)),
	RUNTIME(cudaFreeHost, FREE, TO(0), EFFECT(FREE)),
	RUNTIME(cudaFreeArray, FREE),
	RUNTIME(cudaMemPoolTrimTo, FREE),
	RUNTIME(cudaIpcOpenMemHandle, FUNCTION_STACK_ALWAYS),
	RUNTIME(cudaIpcCloseMemHandle, FREE),

	/* Runtime: waits. */
	RUNTIME(cudaDeviceSynchronize, WAIT),
	RUNTIME(cudaThreadSynchronize, WAIT),
	RUNTIME_PTSZ(cudaStreamSynchronize, WAIT, STREAM(0)),
	RUNTIME(cudaEventSynchronize, WAIT),
	RUNTIME(cudaDeviceReset, WAIT),

	/* Runtime: launches. cudaLaunchConfig_t.stream is at 32. */
	RUNTIME_PTSZ(cudaLaunchKernel, LAUNCH_ON_STACK, STACK_ARGUMENTS(6), STREAM(7)),
	RUNTIME_PTSZ(cudaLaunchCooperativeKernel, LAUNCH_ON_STACK, STACK_ARGUMENTS(6), STREAM(7)),
	RUNTIME_PTSZ(cudaLaunchKernelExC, LAUNCH_BY_POINTER, FIELDS(1, 32), STREAM(7)),
	RUNTIME(cudaLaunchCooperativeKernelMultiDevice, LAUNCH),

	/* Runtime: graphs. */
	GRAPH(cudaGraphLaunch, LAUNCH, STREAM(1)),
	GRAPH(cudaGraphUpload, WAIT, STREAM(1)),
	GRAPH(cudaStreamBeginCapture, WAIT, STREAM(0)),
	GRAPH(cudaStreamEndCapture, WAIT, STREAM(0)),
	GRAPH(cudaGraphInstantiateWithParams, WAIT),
	ENTRY("cudaGraphInstantiate", "cudaGraphInstantiate", LAYER_GRAPH, FUNCTION_RUNTIME | WAIT),
	ENTRY("cudaGraphInstantiateWithFlags", "cudaGraphInstantiateWithFlags", LAYER_GRAPH,
	      FUNCTION_RUNTIME | WAIT),
	ENTRY("cudaGraphExecUpdate", "cudaGraphExecUpdate", LAYER_GRAPH, FUNCTION_RUNTIME | WAIT),

	/* Driver: copies. */
	DRIVER_PTDS(cuMemcpy, "", COPY, TO(0), FROM(1), SIZE(ARG(2)), DIRECTION(UNKNOWN),
		    DEFAULT_STREAM),
	DRIVER_PTSZ(cuMemcpyAsync, "", COPY, TO(0), FROM(1), SIZE(ARG(2)), DIRECTION(UNKNOWN),
		    STREAM(3)),
	DRIVER_PTDS(cuMemcpyHtoD, "_v2", COPY, FROM(1), SIZE(ARG(2)), DIRECTION(H2D),
		    DEFAULT_STREAM),
	DRIVER_PTSZ(cuMemcpyHtoDAsync, "_v2", COPY, FROM(1), SIZE(ARG(2)), DIRECTION(H2D),
		    STREAM(3)),
	DRIVER_PTDS(cuMemcpyDtoH, "_v2", COPY, TO(0), SIZE(ARG(2)), DIRECTION(D2H), DEFAULT_STREAM),
	DRIVER_PTSZ(cuMemcpyDtoHAsync, "_v2", COPY, TO(0), SIZE(ARG(2)), DIRECTION(D2H), STREAM(3)),
	DRIVER_PTDS(cuMemcpyDtoD, "_v2", COPY, SIZE(ARG(2)), DIRECTION(D2D), DEFAULT_STREAM),
	DRIVER_PTSZ(cuMemcpyDtoDAsync, "_v2", COPY, SIZE(ARG(2)), DIRECTION(D2D), STREAM(3)),
	DRIVER_PTDS(cuMemcpyHtoA, "_v2", COPY, FROM(2), SIZE(ARG(3)), DIRECTION(H2D),
		    DEFAULT_STREAM),
	DRIVER_PTSZ(cuMemcpyHtoAAsync, "_v2", COPY, FROM(2), SIZE(ARG(3)), DIRECTION(H2D),
		    STREAM(4)),
	DRIVER_PTDS(cuMemcpyAtoH, "_v2", COPY, TO(0), SIZE(ARG(3)), DIRECTION(D2H), DEFAULT_STREAM),
	DRIVER_PTSZ(cuMemcpyAtoHAsync, "_v2", COPY, TO(0), SIZE(ARG(3)), DIRECTION(D2H), STREAM(4)),
	DRIVER_PTDS(cuMemcpyDtoA, "_v2", COPY, SIZE(ARG(3)), DIRECTION(D2D), DEFAULT_STREAM),
	DRIVER_PTDS(cuMemcpyAtoD, "_v2", COPY, SIZE(ARG(3)), DIRECTION(D2D), DEFAULT_STREAM),
	DRIVER_PTDS(cuMemcpyAtoA, "_v2", COPY, SIZE(ARG(4)), DIRECTION(D2D), DEFAULT_STREAM),
	DRIVER_PTDS(cuMemcpyPeer, "", COPY, SIZE(ARG(4)), DIRECTION(P2P), DEFAULT_STREAM),
	DRIVER_PTSZ(cuMemcpyPeerAsync, "", COPY, SIZE(ARG(4)), DIRECTION(P2P), STREAM(5)),
	DRIVER_PTDS(cuMemcpy2D, "_v2", BY_POINTER, DRIVER_2D, DEFAULT_STREAM),
	DRIVER_PTDS(cuMemcpy2DUnaligned, "_v2", BY_POINTER, DRIVER_2D, DEFAULT_STREAM),
	DRIVER_PTSZ(cuMemcpy2DAsync, "_v2", BY_POINTER, DRIVER_2D, STREAM(1)),
	DRIVER_PTDS(cuMemcpy3D, "_v2", BY_POINTER, DRIVER_3D, DEFAULT_STREAM),
	DRIVER_PTSZ(cuMemcpy3DAsync, "_v2", BY_POINTER, DRIVER_3D, STREAM(1)),
	DRIVER_PTDS(cuMemcpy3DPeer, "", BY_POINTER, DRIVER_3D, DEFAULT_STREAM),
	DRIVER_PTSZ(cuMemcpy3DPeerAsync, "", BY_POINTER, DRIVER_3D, STREAM(1)),
	DRIVER_PTSZ(cuMemcpyBatchAsync, "", COPY, DIRECTION(UNKNOWN)),
	DRIVER_PTSZ(cuMemPrefetchAsync, "", COPY, SIZE(ARG(1)), DIRECTION(UNKNOWN), STREAM(3)),
	DRIVER_PTSZ(cuMemPrefetchAsync, "_v2", COPY, SIZE(ARG(1)), DIRECTION(UNKNOWN), STREAM(4)),

	/* Driver: fills. */
	DRIVER_PTDS(cuMemsetD8, "_v2", COPY, SIZE(ARG(2)), DEFAULT_STREAM),
	DRIVER_PTDS(cuMemsetD16, "_v2", COPY, SIZE(ARG(2)), UNITS(2), DEFAULT_STREAM),
	DRIVER_PTDS(cuMemsetD32, "_v2", COPY, SIZE(ARG(2)), UNITS(4), DEFAULT_STREAM),
	DRIVER_PTSZ(cuMemsetD8Async, "", COPY, SIZE(ARG(2)), STREAM(3)),
	DRIVER_PTSZ(cuMemsetD16Async, "", COPY, SIZE(ARG(2)), UNITS(2), STREAM(3)),
	DRIVER_PTSZ(cuMemsetD32Async, "", COPY, SIZE(ARG(2)), UNITS(4), STREAM(3)),
	DRIVER_PTDS(cuMemsetD2D8, "_v2", COPY, SIZE(ARG(3), ARG(4)), DEFAULT_STREAM),
	DRIVER_PTDS(cuMemsetD2D16, "_v2", COPY, SIZE(ARG(3), ARG(4)), UNITS(2), DEFAULT_STREAM),
	DRIVER_PTDS(cuMemsetD2D32, "_v2", COPY, SIZE(ARG(3), ARG(4)), UNITS(4), DEFAULT_STREAM),
	DRIVER_PTSZ(cuMemsetD2D8Async, "", COPY, SIZE(ARG(3), ARG(4)), STREAM(5)),
	DRIVER_PTSZ(cuMemsetD2D16Async, "", COPY, SIZE(ARG(3), ARG(4)), UNITS(2), STREAM(5)),
	DRIVER_PTSZ(cuMemsetD2D32Async, "", COPY, SIZE(ARG(3), ARG(4)), UNITS(4), STREAM(5)),

	/* Driver: memory. */
	DRIVER(cuMemAlloc, "_v2", ALLOCATE, SIZE(ARG(1)), EFFECT(ALLOCATE_DEVICE)),
	DRIVER(cuMemAllocPitch, "_v2", ALLOCATE, SIZE(ARG(2), ARG(3)), EFFECT(ALLOCATE_DEVICE)),
	DRIVER_PTSZ(cuMemAllocAsync, "", ALLOCATE, SIZE(ARG(1)), STREAM(2),
		    EFFECT(ALLOCATE_DEVICE)),
	DRIVER_PTSZ(cuMemAllocFromPoolAsync, "", ALLOCATE, SIZE(ARG(1)), STREAM(3),
		    EFFECT(ALLOCATE_DEVICE)),
	DRIVER(cuMemAllocManaged, "", ALLOCATE, SIZE(ARG(1)), EFFECT(ALLOCATE_MANAGED)),
	DRIVER(cuMemAllocHost, "_v2", ALLOCATE, SIZE(ARG(1)), EFFECT(ALLOCATE_PINNED)),
	DRIVER(cuMemHostAlloc, "", ALLOCATE, SIZE(ARG(1)), EFFECT(ALLOCATE_PINNED)),
	DRIVER(cuMemHostRegister, "_v2", FUNCTION_STACK_ALWAYS, TO(0), SIZE(ARG(1)),
	       EFFECT(REGISTER)),
	DRIVER(cuMemHostUnregister, "", FREE, TO(0), EFFECT(UNREGISTER)),
	DRIVER(cuMemFree, "_v2", FREE, TO(0), EFFECT(FREE)),
	DRIVER_PTSZ(cuMemFreeAsync, "", FREE, TO(0), STREAM(1), EFFECT(FREE)),
	DRIVER(cuMemFreeHost, "", FREE, TO(0), EFFECT(FREE)),
	/* The pieces that expandable segments are made of; which memory they are is not followed. */
	DRIVER(cuMemCreate, "", FUNCTION_STACK_ALWAYS, SIZE(ARG(1))),
	DRIVER(cuMemMap, "", FUNCTION_STACK_ALWAYS, SIZE(ARG(1))),
	DRIVER(cuMemUnmap, "", FREE, SIZE(ARG(1))),
	DRIVER(cuMemRelease, "", FREE),
	DRIVER(cuMemPoolTrimTo, "", FREE),
	DRIVER(cuIpcOpenMemHandle, "_v2", FUNCTION_STACK_ALWAYS),
	DRIVER(cuIpcCloseMemHandle, "", FREE),

	/* Driver: waits. */
	DRIVER(cuCtxSynchronize, "", WAIT),
	DRIVER(cuCtxSynchronize, "_v2", WAIT),
	DRIVER_PTSZ(cuStreamSynchronize, "", WAIT, STREAM(0)),
	DRIVER(cuEventSynchronize, "", WAIT),

	/* Driver: launches. CUlaunchConfig.hStream is at 32. */
	DRIVER_PTSZ(cuLaunchKernel, "", LAUNCH_ON_STACK, STACK_ARGUMENTS(8), STREAM(6)),
	DRIVER_PTSZ(cuLaunchCooperativeKernel, "", LAUNCH_ON_STACK, STACK_ARGUMENTS(8), STREAM(6)),
	DRIVER_PTSZ(cuLaunchKernelEx, "", LAUNCH_BY_POINTER, FIELDS(1, 32), STREAM(7)),

	/* Driver: graphs. */
	DRIVER_GRAPH(cuGraphLaunch, "", LAUNCH, STREAM(1)),
	DRIVER_GRAPH(cuGraphUpload, "", WAIT, STREAM(1)),
	DRIVER_GRAPH(cuStreamBeginCapture, "_v2", WAIT, STREAM(0)),
	DRIVER_GRAPH(cuStreamEndCapture, "", WAIT, STREAM(0)),
	DRIVER_GRAPH(cuGraphInstantiateWithParams, "", WAIT),
	ENTRY("cuGraphInstantiate_v2", "cuGraphInstantiate", LAYER_GRAPH, WAIT),
	ENTRY("cuGraphInstantiateWithFlags", "cuGraphInstantiateWithFlags", LAYER_GRAPH, WAIT),
	ENTRY("cuGraphExecUpdate_v2", "cuGraphExecUpdate", LAYER_GRAPH, WAIT),

	/* Driver: what makes the first calls of a process slow. */
	DRIVER(cuInit, "", WAIT),
	DRIVER(cuDevicePrimaryCtxRetain, "", WAIT),
	DRIVER(cuCtxCreate, "_v2", WAIT),
	DRIVER(cuModuleLoad, "", WAIT),
	DRIVER(cuModuleLoadData, "", WAIT),
	DRIVER(cuModuleLoadDataEx, "", WAIT),
	DRIVER(cuModuleLoadFatBinary, "", WAIT),
	DRIVER(cuLibraryLoadData, "", WAIT),
};

const unsigned int cuda_function_count = sizeof(cuda_functions) / sizeof(cuda_functions[0]);

_Static_assert(sizeof(cuda_functions) / sizeof(cuda_functions[0]) <= MAX_FUNCTIONS,
	       "a function's number must fit the BPF side's table");

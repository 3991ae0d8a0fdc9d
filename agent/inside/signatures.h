/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * How the arguments of a function lie behind each other in what CUPTI hands over, as far as any of them
 * is read: p 8 bytes, i 4, h 2, c 1, 3 a dim3, l a CUmemLocation (8 bytes, aligned to 4). From NVIDIA's
 * CUDA Runtime API and CUDA Driver API reference manuals.
 */
#ifndef STALLTRACE_INSIDE_SIGNATURES_H
#define STALLTRACE_INSIDE_SIGNATURES_H

struct signature {
	/* A symbol without _ptsz and _ptds; its name without version speaks for all versions. */
	const char *name;
	const char *arguments;
};

#define SIGNATURES                                                                                 \
	{"cudaMemcpy", "pppi"}, {"cudaMemcpyAsync", "pppip"}, {"cudaMemcpy2D", "ppppppi"},         \
		{"cudaMemcpy2DAsync", "ppppppip"}, {"cudaMemcpy3D", "p"},                          \
		{"cudaMemcpy3DAsync", "pp"}, {"cudaMemcpy3DPeer", "p"},                            \
		{"cudaMemcpy3DPeerAsync", "pp"}, {"cudaMemcpyPeer", "pipip"},                      \
		{"cudaMemcpyPeerAsync", "pipipp"}, {"cudaMemcpyToSymbol", "ppppi"},                \
		{"cudaMemcpyToSymbolAsync", "ppppip"}, {"cudaMemcpyFromSymbol", "ppppi"},          \
		{"cudaMemcpyFromSymbolAsync", "ppppip"}, {"cudaMemcpyToArray", "pppppi"},          \
		{"cudaMemcpyToArrayAsync", "pppppip"}, {"cudaMemcpyFromArray", "pppppi"},          \
		{"cudaMemcpyFromArrayAsync", "pppppip"}, {"cudaMemcpyArrayToArray", "pppppppi"},   \
		{"cudaMemcpy2DToArray", "pppppppi"}, {"cudaMemcpy2DToArrayAsync", "pppppppi"},     \
		{"cudaMemcpy2DFromArray", "pppppppi"}, {"cudaMemcpy2DFromArrayAsync", "pppppppi"}, \
		{"cudaMemcpy2DArrayToArray", "pppppppp"}, {"cudaMemPrefetchAsync", "pp"},          \
		{"cudaMemset", "pip"}, {"cudaMemsetAsync", "pipp"}, {"cudaMemset2D", "ppipp"},     \
		{"cudaMemset2DAsync", "ppippp"}, {"cudaMalloc", "pp"}, {"cudaMallocAsync", "ppp"}, \
		{"cudaMallocFromPoolAsync", "pppp"}, {"cudaMallocManaged", "ppi"},                 \
		{"cudaMallocPitch", "pppp"}, {"cudaMallocHost", "pp"}, {"cudaHostAlloc", "ppi"},   \
		{"cudaHostRegister", "ppi"}, {"cudaHostUnregister", "p"}, {"cudaFree", "p"},       \
		{"cudaFreeAsync", "pp"}, {"cudaFreeHost", "p"}, {"cudaStreamSynchronize", "p"},    \
		{"cudaLaunchKernel", "p33ppp"}, {"cudaLaunchCooperativeKernel", "p33ppp"},         \
		{"cudaLaunchKernelExC", "ppp"}, {"cudaGraphLaunch", "pp"},                         \
		{"cudaGraphUpload", "pp"}, {"cudaStreamBeginCapture", "pi"},                       \
		{"cudaStreamEndCapture", "pp"}, {"cuMemcpy", "ppp"}, {"cuMemcpyAsync", "pppp"},    \
		{"cuMemcpyHtoD", "ppp"}, {"cuMemcpyHtoDAsync", "pppp"}, {"cuMemcpyDtoH", "ppp"},   \
		{"cuMemcpyDtoHAsync", "pppp"}, {"cuMemcpyDtoD", "ppp"},                            \
		{"cuMemcpyDtoDAsync", "pppp"}, {"cuMemcpyHtoA", "pppp"},                           \
		{"cuMemcpyHtoAAsync", "ppppp"}, {"cuMemcpyAtoH", "pppp"},                          \
		{"cuMemcpyAtoHAsync", "ppppp"}, {"cuMemcpyDtoA", "pppp"},                          \
		{"cuMemcpyAtoD", "pppp"}, {"cuMemcpyAtoA", "ppppp"}, {"cuMemcpyPeer", "ppppp"},    \
		{"cuMemcpyPeerAsync", "pppppp"}, {"cuMemcpy2D", "p"},                              \
		{"cuMemcpy2DUnaligned", "p"}, {"cuMemcpy2DAsync", "pp"}, {"cuMemcpy3D", "p"},      \
		{"cuMemcpy3DAsync", "pp"}, {"cuMemcpy3DPeer", "p"}, {"cuMemcpy3DPeerAsync", "pp"}, \
		{"cuMemPrefetchAsync_v2", "pplip"}, {"cuMemPrefetchAsync", "ppip"},                \
		{"cuMemsetD8", "pcp"}, {"cuMemsetD16", "php"}, {"cuMemsetD32", "pip"},             \
		{"cuMemsetD8Async", "pcpp"}, {"cuMemsetD16Async", "phpp"},                         \
		{"cuMemsetD32Async", "pipp"}, {"cuMemsetD2D8", "ppcpp"},                           \
		{"cuMemsetD2D16", "pphpp"}, {"cuMemsetD2D32", "ppipp"},                            \
		{"cuMemsetD2D8Async", "ppcppp"}, {"cuMemsetD2D16Async", "pphppp"},                 \
		{"cuMemsetD2D32Async", "ppippp"}, {"cuMemAlloc", "pp"},                            \
		{"cuMemAllocPitch", "ppppi"}, {"cuMemAllocAsync", "ppp"},                          \
		{"cuMemAllocFromPoolAsync", "pppp"}, {"cuMemAllocManaged", "ppi"},                 \
		{"cuMemAllocHost", "pp"}, {"cuMemHostAlloc", "ppi"}, {"cuMemHostRegister", "ppi"}, \
		{"cuMemHostUnregister", "p"}, {"cuMemFree", "p"}, {"cuMemFreeAsync", "pp"},        \
		{"cuMemFreeHost", "p"}, {"cuMemCreate", "pp"}, {"cuMemMap", "pp"},                 \
		{"cuMemUnmap", "pp"}, {"cuStreamSynchronize", "p"},                                \
		{"cuLaunchKernel", "piiiiiiipp"}, {"cuLaunchCooperativeKernel", "piiiiiiipp"},     \
		{"cuLaunchKernelEx", "pppp"}, {"cuGraphLaunch", "pp"}, {"cuGraphUpload", "pp"},    \
		{"cuStreamBeginCapture", "pi"}, {"cuStreamEndCapture", "pp"},

#endif /* STALLTRACE_INSIDE_SIGNATURES_H */

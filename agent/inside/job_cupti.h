/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The CUPTI that a job brings: where it lies, which package has it, who may hold it. The library inside and the
 * agent, from outside, go by the same.
 */
#ifndef STALLTRACE_JOB_CUPTI_H
#define STALLTRACE_JOB_CUPTI_H

#include <string.h>

/* From the folder of the CUDA runtime: NVIDIA's wheels (13, before), a toolkit and its targets/. */
#define CUPTI_BESIDE_RUNTIME \
	"", "../../cuda_cupti/lib/", "../extras/CUPTI/lib64/", "../../../extras/CUPTI/lib64/"

/* pip's packages, by the major version of CUDA: from 13 on without a suffix. */
#define CUPTI_PACKAGE_11 "nvidia-cuda-cupti-cu11"
#define CUPTI_PACKAGE_12 "nvidia-cuda-cupti-cu12"
#define CUPTI_PACKAGE_13 "nvidia-cuda-cupti"

/* Who has CUPTI in a job that is not profiled: pytorch issues 117935 and 112389, until kineto's pull request 1250. */
#define CUPTI_HELD_BY_PYTORCH                                                                    \
	"Where the job has none, it is PyTorch's own: several releases take CUPTI at start-up, " \
	"newer ones do not."

/* Of a path of the CUDA runtime: "…/libcudart.so.12" → 12; 0 = not known. */
static inline unsigned int cuda_major(const char *runtime)
{
	static const char begin[] = "libcudart.so.";
	const char *slash = strrchr(runtime, '/'), *name = slash ? slash + 1 : runtime;
	unsigned int major = 0;

	if (strncmp(name, begin, sizeof(begin) - 1))
		return 0;
	for (name += sizeof(begin) - 1; *name >= '0' && *name <= '9' && major < 1000; name++)
		major = major * 10 + (unsigned int)(*name - '0');
	return major;
}

#endif /* STALLTRACE_JOB_CUPTI_H */

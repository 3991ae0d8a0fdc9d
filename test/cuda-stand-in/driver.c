/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* libcuda.so.1: the simulated GPU under the driver API's names. */
#include "gpu.h"

#define EXPORT __attribute__((visibility("default")))

#define EXPORT_FUNCTION(name, parameters, arguments) \
	EXPORT CUresult name parameters              \
	{                                            \
		return gpu_##name arguments;         \
	}
FOR_EACH_DRIVER_FUNCTION(EXPORT_FUNCTION)

EXPORT CUresult cuInit(unsigned int flags)
{
	return flags == 0 ? SUCCESS : INVALID_VALUE;
}

EXPORT CUresult cuDriverGetVersion(int *out)
{
	*out = 12000;
	return SUCCESS;
}

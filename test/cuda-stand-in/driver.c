/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* libcuda.so.1: the simulated GPU under the driver API's names. */
#include <stdio.h>
#include "gpu.h"

#define EXPORT __attribute__((visibility("default")))
#define BEFORE_EXPORTED() (void)0

#define EXPORT_FUNCTION(name, parameters, arguments, fields) \
	EXPORT_HOOKED(CUresult, HOOK_DRIVER, name, gpu_##name, parameters, arguments, fields)
FOR_EACH_DRIVER_FUNCTION(EXPORT_FUNCTION)

EXPORT CUresult cuInit(unsigned int flags)
{
	inject();
	return flags == 0 ? SUCCESS : INVALID_VALUE;
}

EXPORT CUresult cuDriverGetVersion(int *out)
{
	*out = 12000;
	return SUCCESS;
}

EXPORT CUresult cuDeviceGetCount(int *out)
{
	*out = 1;
	return SUCCESS;
}

EXPORT CUresult cuDeviceGetPCIBusId(char *out, int size, int device)
{
	return device == 0 && snprintf(out, (size_t)size, "0000:65:00.0") < size ? SUCCESS :
										   INVALID_VALUE;
}

EXPORT void standInHook(const struct gpu_hook *hook)
{
	gpu_hook = hook;
}

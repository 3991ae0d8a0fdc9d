// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Which of the machine's GPUs the process's device numbers are: CUDA_VISIBLE_DEVICES and containers change
 * them. The driver is asked by our own thread, as any thread of the job may ask it.
 */
#include <dlfcn.h>
#include <string.h>
#include "inside.h"

#define MOST_DEVICES 64

/* Again and again until CUDA is up; true once they are told, or nobody can. */
bool tell_devices(void)
{
	static int (*get_count)(int *);
	static int (*get_bus_id)(char *, int, int);
	struct thread_state *thread = thread_here();
	void *driver;
	int count = 0;

	if (!get_bus_id) {
		driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
		*(void **)&get_count = driver ? dlsym(driver, "cuDeviceGetCount") : NULL;
		*(void **)&get_bus_id = driver ? dlsym(driver, "cuDeviceGetPCIBusId") : NULL;
	}
	if (!thread || !get_count || !get_bus_id)
		return true;
	if (get_count(&count))
		return false;
	for (int i = 0; i < count && i < MOST_DEVICES; i++) {
		struct inside_device *record =
			record_reserve(thread, INSIDE_DEVICE, sizeof(*record));

		if (!record)
			return false;
		memset(record->pci_bus_id, 0, sizeof(record->pci_bus_id));
		record->device = (uint32_t)i;
		if (!get_bus_id(record->pci_bus_id, sizeof(record->pci_bus_id), i))
			record_publish(thread, record);
	}
	return true;
}

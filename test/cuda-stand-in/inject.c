/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What the driver does inside cuInit for a tool that wants to be inside the process. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include "gpu.h"

static void load(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_NOW) : NULL;
	int (*initialize)(void);

	*(void **)&initialize = library ? dlsym(library, "InitializeInjection") : NULL;
	if (initialize)
		initialize();
}

void inject(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
}

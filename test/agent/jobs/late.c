/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * late CALLS LIBRARY...: opens each library after a while, calls it at once, waits until anybody who
 * watches has had time to probe it, and makes CALLS copies in each. Reports when it opened them.
 */
#include <dlfcn.h>
#include "report.h"
#include "runtime.h"

typedef cudaError_t (*copy_function)(void *, const void *, size_t, enum cudaMemcpyKind,
				     cudaStream_t);

int main(int argc, char **argv)
{
	uint64_t opened_ns[8] = {0};
	copy_function copies[8];
	char from[256] = {0};
	FILE *out;

	if (argc < 3 || argc > 10)
		return 2;
	sleep_ns(300000000);
	for (int i = 2; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		copy_function copy = library ? (copy_function)dlsym(library, "cudaMemcpyAsync") :
					       NULL;

		if (!copy) {
			fprintf(stderr, "%s\n", dlerror());
			return 4;
		}
		opened_ns[i - 2] = now_ns();
		copies[i - 2] = copy;
		copy((void *)4096, from, sizeof(from), cudaMemcpyHostToDevice, NULL);
	}
	sleep_ns(1500000000);
	for (int i = 2; i < argc; i++)
		for (int call = 0; call < atoi(argv[1]); call++)
			copies[i - 2]((void *)4096, from, sizeof(from), cudaMemcpyHostToDevice,
				      NULL);
	out = report();
	fprintf(out, "{\"opened\":[");
	for (int i = 2; i < argc; i++)
		fprintf(out, "%s%llu", i > 2 ? "," : "", (unsigned long long)opened_ns[i - 2]);
	fprintf(out, "]}\n");
	return fclose(out) == 0 ? 0 : 3;
}

/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * late CALLS FILE LIBRARY...: opens each library after a while, calls it at once, waits for FILE, half
 * a minute at most, and makes CALLS copies in each. Reports when it opened them.
 */
#include <dlfcn.h>
#include <unistd.h>
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

	if (argc < 4 || argc > 11)
		return 2;
	sleep_ns(300000000);
	for (int i = 3; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		copy_function copy = library ? (copy_function)dlsym(library, "cudaMemcpyAsync") :
					       NULL;

		if (!copy) {
			fprintf(stderr, "%s\n", dlerror());
			return 4;
		}
		opened_ns[i - 3] = now_ns();
		copies[i - 3] = copy;
		copy((void *)4096, from, sizeof(from), cudaMemcpyHostToDevice, NULL);
	}
	for (int look = 0; look < 3000 && access(argv[2], F_OK) != 0; look++)
		sleep_ns(10000000);
	for (int i = 3; i < argc; i++)
		for (int call = 0; call < atoi(argv[1]); call++)
			copies[i - 3]((void *)4096, from, sizeof(from), cudaMemcpyHostToDevice,
				      NULL);
	out = report();
	fprintf(out, "{\"opened\":[");
	for (int i = 3; i < argc; i++)
		fprintf(out, "%s%llu", i > 3 ? "," : "", (unsigned long long)opened_ns[i - 3]);
	fprintf(out, "]}\n");
	return fclose(out) == 0 ? 0 : 3;
}

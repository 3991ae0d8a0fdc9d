/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* libimported.so: imported_X calls X of the runtime, which it imports as PyTorch's libraries do. For jobs that have no compiler. */
#include "runtime.h"

#define EXPORT __attribute__((visibility("default")))

#define FORWARD(name, parameters, arguments, ...)      \
	EXPORT cudaError_t imported_##name parameters; \
	EXPORT cudaError_t imported_##name parameters  \
	{                                              \
		return name arguments;                 \
	}
FOR_EACH_RUNTIME_FUNCTION(FORWARD)

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What the GPU did. No program sees it: it is recorded from inside the job. */
#include "../event_source.h"

const struct event_source gpu_work_source = {
	.probe.name = "gpu_work",
	.label = "What the GPU did",
	.sees = "What the GPU did: kernels, copies and fills (of a command that is launched)",
	.provenance =
		{
			{
				.table = "gpu_work",
				.kind = "exact",
				.note = "As the GPU ran it (CUPTI's records); CUPTI converts the GPU's clock.",
			},
		},
};

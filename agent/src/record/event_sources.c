// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "event_source.h"

_Static_assert(SOURCE_COUNT < 32, "bits of sources");

const struct event_source *const event_sources[SOURCE_COUNT] = {
#define ROW(number, name) &name##_source,
	EVENT_SOURCES(ROW)
#undef ROW
};

const struct probe_source *const probe_sources[SOURCE_COUNT] = {
#define PROBE(number, name) &name##_source.probe,
	EVENT_SOURCES(PROBE)
#undef PROBE
};

import { NOT_READ, RECORD, type Recognised } from './recognised.ts';

/** Tables are named as CUPTI's activities; unlike those of Nsight Systems, beside a `StringTable`. */
export const nvprof: Recognised = {
  is: 'a profile by nvprof',
  but: NOT_READ,
  instead: `look at it in the NVIDIA Visual Profiler, or ${RECORD}`,
  hasTables: (tables) =>
    tables.has('stringtable') &&
    [...tables].some((table) => table.startsWith('cupti_activity_kind_')),
};

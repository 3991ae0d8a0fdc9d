import { NOT_READ, RECORD, type Recognised } from './recognised.ts';

/** The database of rocprofv3, `rocpd_kernel_dispatch_…` among its tables. */
export const rocprof: Recognised = {
  is: 'a profile by ROCm’s rocprof',
  but: NOT_READ,
  instead: `look at it with ROCm’s tools, or ${RECORD}`,
  hasTables: (tables) => [...tables].some((table) => table.startsWith('rocpd_')),
};

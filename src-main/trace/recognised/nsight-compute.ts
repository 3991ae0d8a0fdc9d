import { RECORD, type Recognised } from './recognised.ts';

export const nsightCompute: Recognised = {
  is: 'an Nsight Compute report',
  but: "counters of single kernels, which Stalltrace can't read",
  instead: `look at it in Nsight Compute, or ${RECORD}`,
  isIn: ({ bytes }) => bytes.toString('latin1', 0, 4) === 'NVR\0',
};

import { packedTwice, tar, zip } from './archives.ts';
import { linuxPerf, traceCmd } from './linux-perf.ts';
import { noTraces } from './no-traces.ts';
import { nsightCompute } from './nsight-compute.ts';
import { nsightSystemsReport } from './nsight-systems.ts';
import { nvprof } from './nvprof.ts';
import { otherPackings } from './other-packings.ts';
import { perfetto } from './perfetto.ts';
import type { Recognised } from './recognised.ts';
import { rocprof } from './rocprof.ts';
import { speedscope } from './speedscope.ts';
import { traceml } from './traceml.ts';

/** Every format that is known and can't be opened, in the order in which they are tried. */
export const allRecognised: readonly Recognised[] = [
  nvprof,
  rocprof,
  nsightCompute,
  packedTwice,
  zip,
  tar,
  ...otherPackings,
  linuxPerf,
  traceCmd,
  traceml,
  speedscope,
  perfetto,
  nsightSystemsReport,
  ...noTraces,
];

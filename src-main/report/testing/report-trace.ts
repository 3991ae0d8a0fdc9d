import { explainCall } from '../../analysis/call/explain-call.ts';
import { buildTrace, type TracePlan } from '../../analysis/testing/build-trace.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { fakeSummary } from '../../timeline/testing/fake-summary.ts';
import type { ReportInput } from '../report-input.ts';

/** A training process whose thread 9 copies for 100 ns from 1000 on, off the CPU for 60 of them. */
export const copyPlan = {
  processes: [{ pid: 7, name: 'python', role: 'main' }],
  threads: [{ tid: 9, process: 0, name: 'python', role: 'main' }],
  names: [['CUDA', 'cudaMemcpyAsync']],
  stacks: [[{ symbol: 'copy_', file: '/home/alice/train.py', line: 3, language: 'python' }]],
  lengthNs: 5000,
  rows: {
    cuda_call: [
      {
        startNs: 1000,
        durationNs: 100,
        thread: 0,
        op: 0,
        layer: 1,
        bytes: 4096,
        direction: 1,
        stack: 0,
      },
    ],
    off_cpu: [
      { startNs: 900, durationNs: 10, thread: 0, state: 1, runQueueNs: 0 },
      { startNs: 1010, durationNs: 60, thread: 0, state: 0, runQueueNs: 60 },
      { startNs: 1200, durationNs: 10, thread: 0, state: 1, runQueueNs: 0 },
    ],
  },
} as const satisfies TracePlan;

/** A report of the first call of `trace`, with `changes`. */
export function reportInput(
  trace: Trace = buildTrace(copyPlan),
  changes: Partial<ReportInput> = {},
): ReportInput {
  return {
    name: 'run.db',
    summary: fakeSummary({ cuda_call: trace.tables.cuda_call.rows, gap: 0 }),
    facts: {
      explanation: explainCall(trace, 0),
      operations: [],
      losses: { gaps: 0, lostEvents: 0, uncounted: 0 },
    },
    isAboutCall: true,
    version: '0.1.0',
    hidden: false,
    long: true,
    ...changes,
  };
}

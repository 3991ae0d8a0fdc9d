import { expect, test } from 'vitest';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { gpuTrace } from '../testing/gpu-job.ts';
import { starved } from '../testing/gpu-jobs.ts';
import { runSummary } from './run-summary.ts';

/** Without stacks. */
function summaryOf(trace: Trace) {
  const tables = Object.fromEntries(
    Object.entries(trace.tables).map(([name, { provenance }]) => [name, { rows: 0, provenance }]),
  );
  return runSummary(trace, { beginUnixNs: '0', tables } as unknown as TraceSummary);
}

test('says which findings the trace could not show, and why', () => {
  const { unseen, findings } = summaryOf(gpuTrace([starved()]));
  expect(unseen.byFinding['cpu-quota']).toContain('agent with BPF');
  expect(unseen.byFinding).not.toHaveProperty('fewer-syncs');
  expect(unseen.windowNs).toBeGreaterThan(0);
  expect(findings.every(({ id }) => !(id in unseen.byFinding))).toBe(true);
  expect(summaryOf({ ...gpuTrace([starved()]), processes: [], threads: [] }).unseen.all).toBe(
    'No training process is in it.',
  );
});

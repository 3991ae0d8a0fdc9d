import { expect, test } from 'vitest';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { mean } from '../../shared/numbers/block-bootstrap.ts';
import { diagnose } from '../findings/diagnose.ts';
import { gpuTrace } from '../testing/gpu-job.ts';
import { overlapped, rankReadsSlowly, starved } from '../testing/gpu-jobs.ts';
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

test('of several ranks the one with the longest step is compared, and findings of all are told', () => {
  const { rank, ranks, steps, findings } = summaryOf(gpuTrace(rankReadsSlowly()));
  expect(ranks.map(({ label }) => label)).toEqual([
    ...['rank 0 · pid 100', 'rank 1 · pid 101', 'rank 2 · pid 102'],
  ]);
  const longest = ranks.reduce((one, other) =>
    (other.stepNs ?? 0) > (one.stepNs ?? 0) ? other : one,
  );
  expect(rank).toBe(longest.label);
  expect(steps && mean(steps.durationsNs)).toBe(longest.stepNs);
  const straggler = findings.find(({ id }) => id === 'input-straggler');
  expect(straggler?.ranks).toHaveLength(1);
});

test('that the input is fine is no finding of a run: gone or new, it would be no news', () => {
  const trace = gpuTrace([overlapped()], { gpus: 2 });
  expect(diagnose(trace).diagnosis.findings.map(({ id }) => id)).toEqual(['not-input']);
  expect(summaryOf(trace)).toMatchObject({ findings: [], judged: { verdict: 'compute-bound' } });
});

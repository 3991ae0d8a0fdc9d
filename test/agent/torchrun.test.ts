import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diagnose } from '../../src-main/analysis/findings/diagnose.ts';
import { jobsOf } from '../../src-main/analysis/jobs/job-index.ts';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import type { Trace } from '../../src-main/shared/model/trace.ts';
import { expectWhole, record, scratchFolder } from '../support/agent/agent.ts';
import { cudart } from '../support/agent/agent-run.ts';
import { root } from '../support/built.ts';
import { describeWith } from '../support/requirements.ts';

interface Report {
  readonly pid: number;
  readonly rank: number;
  /** In collectives. */
  readonly waited_s: number;
}

/**
 * PyTorch's own launcher. Without a choice for the ranks' output that of PyTorch 1.13 fails on Python 3.12: it looks for
 * "none" among the members of a Flag, where that is no longer listed.
 */
function torchrun(script: string, folder: string): string[] {
  const output = ['--redirects', '1', '--tee', '1', '--log_dir', join(folder, 'log')];
  const launcher = ['-m', 'torch.distributed.run', '--standalone', '--nproc_per_node', '2'];
  return ['/usr/bin/python3', ...launcher, ...output, join(root, script), cudart, folder];
}

const reportsIn = (folder: string) =>
  [0, 1].map(
    (rank) => JSON.parse(readFileSync(join(folder, `rank-${rank}.json`), 'utf8')) as Report,
  );

/** That each rank has calls of its own, and GPU work that they asked for. */
function expectOwnWork(trace: Trace, reports: readonly Report[]): void {
  const { cuda_call: calls, gpu_work: work } = trace.tables;
  const pidOfCall = (row: number) =>
    trace.processes[trace.threads[calls.columns.thread[row] ?? -1]?.process ?? -1]?.pid;
  for (const { pid } of reports) {
    const process = trace.processes.findIndex((each) => each.pid === pid);
    const callers = [...(work.columns.process ?? [])].flatMap((of, row) =>
      of === process ? [pidOfCall(work.columns.call?.[row] ?? -1)] : [],
    );
    expect(new Set(callers)).toEqual(new Set([pid]));
  }
}

describeWith(['agent', 'torch'], 'ranks that torchrun started, without rights', () => {
  test('each have their CUDA calls and what the GPU did for them', async () => {
    const folder = scratchFolder();
    const command = torchrun('test/agent/jobs/late_under_torchrun.py', folder);
    const recording = await record(command, { args: ['--no-bpf'] });
    expect(recording.code, recording.stderr).toBe(0);
    expectOwnWork(withRoles(expectWhole(recording)), reportsIn(folder));
  });
});

describeWith(['agent', 'bpf', 'torch'], 'ranks that torchrun started', () => {
  test('are one job without being told, and the late one is named with what it did', async () => {
    const folder = scratchFolder();
    const command = torchrun('test/agent/jobs/late_under_torchrun.py', folder);
    const recording = await record(command, { args: ['--library', cudart] });
    expect(recording.code, recording.stderr).toBe(0);
    const trace = withRoles(expectWhole(recording));
    const reports = reportsIn(folder);
    const [first, late] = reports;
    expectOwnWork(trace, reports);

    const jobs = jobsOf(trace);
    expect(jobs).toHaveLength(1);
    expect(jobs[0].ranks.map(({ rank, process }) => [rank, trace.processes[process].pid])).toEqual([
      [0, first.pid],
      [1, late.pid],
    ]);

    const { diagnosis } = diagnose(trace);
    const finding = diagnosis.findings.find(({ id }) => id === 'late-rank');
    const said = JSON.stringify({ first, late, headline: diagnosis.headline, finding });
    expect(diagnosis.ranks[finding?.rank ?? -1]?.rank.rank, said).toBe(0);
    expect(finding?.culprit, said).toBe('rank 1');
    expect(finding?.sentence, said).toContain(
      'sleeping on purpose in prepare (late_under_torchrun.py:',
    );
    expect((finding?.costNs ?? 0) / 1e9, said).toBeLessThanOrEqual(first.waited_s);
    expect((finding?.costNs ?? 0) / 1e9, said).toBeGreaterThan(first.waited_s / 4);
  });
});

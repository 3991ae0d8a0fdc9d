import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jobsOf, rankOfThread } from '../../src-main/analysis/jobs/job-index.ts';
import { labelThread } from '../../src-main/analysis/jobs/thread-label.ts';
import { processBreakdown } from '../../src-main/analysis/processes/process-breakdown.ts';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import type { Job, Rank } from '../../src-main/shared/answers/jobs.ts';
import type { Trace } from '../../src-main/shared/model/trace.ts';
import { expectWhole, record, scratchFolder } from '../support/agent/agent.ts';
import { cudart } from '../support/agent/agent-run.ts';
import { root } from '../support/built.ts';
import { describeWith } from '../support/requirements.ts';

interface RankReport {
  readonly pid: number;
  readonly rank: number;
  readonly train: readonly (readonly number[])[];
  readonly validation: readonly (readonly number[])[];
  /** tids */
  readonly autograd: readonly number[];
  readonly prefetch: readonly number[];
}

interface Report {
  readonly pid: number;
  readonly ranks: readonly RankReport[];
}

interface Recorded {
  readonly trace: Trace;
  readonly report: Report;
  readonly job: Job;
}

async function recordJob(): Promise<Recorded> {
  const script = join(root, 'test/agent/jobs/torchrun.py');
  const file = join(scratchFolder(), 'job.json');
  const command = ['/usr/bin/python3', script, '--library', cudart, '--report', file];
  const recording = await record(command, { args: ['--library', cudart] });
  expect(recording.code, recording.stderr).toBe(0);
  const trace = withRoles(expectWhole(recording));
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  const jobs = jobsOf(trace);
  expect(jobs).toHaveLength(1);
  return { trace, report, job: jobs[0] };
}

/** The first test that asks records it, for all. */
let recording: Promise<Recorded> | undefined;
const recorded = () => (recording ??= recordJob());

const pidsOf = ({ processes }: Trace, indices: readonly number[]) =>
  indices.map((index) => processes[index].pid);
const threadOf = ({ threads }: Trace, tid: number) =>
  threads.findIndex((thread) => thread.tid === tid);

function rankOf({ ranks }: Job, { rank }: RankReport): Rank {
  const found = ranks.find((each) => each.rank === rank);
  if (found === undefined) throw new Error(`rank ${rank} was not found`);
  return found;
}

/** Two ranks under one launcher, each with two loaders and CUDA calls off its main thread. */
describeWith(['agent', 'bpf', 'torch'], 'a job of two ranks', () => {
  test('is one job: its ranks by number, and the launcher beside them', async () => {
    const { trace, report, job } = await recorded();
    expect(job.ranks.map(({ rank, process }) => [rank, trace.processes[process].pid])).toEqual(
      report.ranks.map(({ rank, pid }) => [rank, pid]),
    );
    expect(pidsOf(trace, job.others)).toContain(report.pid);
    const launcher = trace.processes.find(({ pid }) => pid === report.pid);
    expect(launcher).toMatchObject({ role: 'launcher' });
  });

  test('has every worker at its rank, by loader and in order of birth', async () => {
    const { trace, report, job } = await recorded();
    for (const expected of report.ranks) {
      const { generations } = rankOf(job, expected);
      const found = generations.map(({ workers, loader }) => [loader, pidsOf(trace, workers)]);
      expect(found).toEqual([
        [0, expected.validation[0]],
        [1, expected.train[0]],
        [1, expected.train[1]],
      ]);
    }
  });

  test('tells the training thread from others that call CUDA', async () => {
    const { trace, report, job } = await recorded();
    for (const expected of report.ranks) {
      const rank = rankOf(job, expected);
      expect(trace.threads[rank.mainThread].tid).toBe(expected.pid);
      const tids = rank.cudaThreads.map((thread) => trace.threads[thread].tid);
      expect(tids[0]).toBe(expected.pid);
      expect([...tids].sort()).toEqual(
        [expected.pid, ...new Set([...expected.autograd, ...expected.prefetch])].sort(),
      );
      const roles = expected.autograd.map((tid) => trace.threads[threadOf(trace, tid)].role);
      expect(new Set(roles)).toEqual(new Set(['autograd']));
    }
  });

  test('names each thread beside the rank that is explained', async () => {
    const { trace, report, job } = await recorded();
    const [own, other] = report.ranks;
    const from = rankOf(job, own);
    const label = (tid: number) => labelThread(trace, threadOf(trace, tid), from);
    expect(label(own.train[1][1])).toMatchObject({
      name: 'DataLoader worker 1',
      lineage: `of loader 2 of rank ${own.rank} · pid ${own.pid}`,
      relation: 'own-rank',
    });
    expect(label(other.train[0][0])).toMatchObject({
      name: 'DataLoader worker 0',
      relation: 'own-job',
    });
    expect(label(other.pid).relation).toBe('own-job');
    expect(label(report.pid)).toMatchObject({ role: 'launcher', relation: 'own-job' });
    expect(label(own.pid)).toMatchObject({ name: 'Training process', relation: 'self' });
    expect(rankOfThread(trace, threadOf(trace, other.train[0][0]))?.rank).toBe(other.rank);
  });

  test('counts of each process what its own events say', async () => {
    const { trace, report } = await recorded();
    const { thread, parent } = trace.tables.cuda_call.columns;
    const rows = processBreakdown(trace).processes.filter(({ pid }) =>
      report.ranks.some((rank) => rank.pid === pid),
    );
    expect(rows).toHaveLength(2);
    for (const { process, cudaCalls, switches } of rows) {
      const isOwn = (at: number) => trace.threads[at]?.process === process;
      const outermost = thread.filter((at, row) => isOwn(at) && (parent?.[row] ?? -1) < 0);
      expect(cudaCalls).toBe(outermost.length);
      expect(switches).toBe(trace.tables.off_cpu.columns.thread.filter(isOwn).length);
    }
  });
});

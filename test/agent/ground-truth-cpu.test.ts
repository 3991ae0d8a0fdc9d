import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { explainCall } from '../../src-main/analysis/call/explain-call.ts';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import { accountTime } from '../../src-main/analysis/threads/account-time.ts';
import { contentionOf } from '../../src-main/analysis/threads/contention.ts';
import type { Trace } from '../../src-main/shared/model/trace.ts';
import { expectWhole, record } from '../support/agent/agent.ts';
import { cudart, standIn } from '../support/agent/agent-run.ts';
import { told, trainUndisturbed } from '../support/agent/diagnosed.ts';
import { cpuGroup, mayGroup } from '../support/cpu-group.ts';
import { describeWith } from '../support/requirements.ts';

/** Jobs that compete for CPUs in a known way: what the analysis says is what was done to them. */

describeWith(['agent', 'bpf'], 'a CPU shared with a busy neighbour', () => {
  test('is accounted for as the kernel does, and the neighbour is named', async () => {
    // So the two have that CPU nearly to themselves: with others their turns would be few, and long.
    const group = mayGroup() ? cpuGroup() : undefined;
    onTestFinished(() => group?.remove());
    const through = group?.through ?? [];
    const [shell = standIn('spin'), ...spin] = [...through, standIn('spin'), '30', '0', 'rival'];
    const rival = spawn(shell, spin, { stdio: 'ignore' });
    const hasEnded = once(rival, 'exit');
    onTestFinished(async () => {
      rival.kill('SIGKILL');
      await hasEnded;
    });
    const job = [standIn('contend'), cudart, '30', String(256 * 2 ** 20), String(rival.pid)];
    const recording = await record(job, { through, args: ['--library', cudart] });
    expect(recording.code, recording.stderr).toBe(0);
    const trace = withRoles(expectWhole(recording));
    const copies = copiesOf(trace);
    let [runnableNs, othersRanNs, rivalNs] = [0, 0, 0];
    for (const row of copies) {
      const { accounting, contention } = explainCall(trace, row);
      const parts = accounting.filter(({ kind }) => kind === 'runnable');
      runnableNs += parts.reduce((sum, { ns }) => sum + ns, 0);
      othersRanNs += contention.othersRanNs;
      rivalNs += contention.contenders
        .filter(({ pid }) => pid === rival.pid)
        .reduce((sum, { ns }) => sum + ns, 0);
    }
    const kernel = recording.report() as Record<'runDelayNs' | 'rivalNs' | 'stolenNs', number>;
    // The kernel is asked before and after each call: a turn of the neighbour that falls between is in
    // its figures, and in no call. It takes what the hypervisor did with the CPU out of who ran.
    const betweenNs = offCpuBetween(trace, copies);
    const said = JSON.stringify({ runnableNs, othersRanNs, rivalNs, betweenNs, kernel });
    // As much as a neighbour that never sleeps takes of a CPU: something was measured.
    expect(kernel.runDelayNs, said).toBeGreaterThan(100e6);
    expect(runnableNs, said).toBeGreaterThan(0.98 * (kernel.runDelayNs - betweenNs));
    expect(runnableNs, said).toBeLessThan(1.02 * kernel.runDelayNs);
    expect(othersRanNs / runnableNs, said).toBeGreaterThan(0.98);
    expect(kernel.rivalNs, said).toBeGreaterThan(50e6);
    expect(rivalNs, said).toBeGreaterThan(0.98 * (kernel.rivalNs - betweenNs));
    expect(rivalNs, said).toBeLessThan(1.02 * kernel.rivalNs + kernel.stolenNs + TICK_NS);
  });
});

/** As finely as the kernel counts stolen time. */
const TICK_NS = 10e6;

function copiesOf(trace: Trace): number[] {
  const { op } = trace.tables.cuda_call.columns;
  return [...op.keys()].filter((row) => trace.names[op[row]] === 'cudaMemcpyAsync');
}

/** How long their thread was off a CPU between the calls `rows`, which are in order of time. */
function offCpuBetween(trace: Trace, rows: readonly number[]): number {
  const { thread, startNs, durationNs } = trace.tables.cuda_call.columns;
  const waits = trace.tables.off_cpu.columns;
  let sumNs = 0;
  rows.slice(1).forEach((row, at) => {
    const before = rows[at] ?? row;
    const fromNs = startNs[before] + durationNs[before];
    waits.startNs.forEach((beganNs, wait) => {
      if (waits.thread[wait] !== thread[row]) return;
      const endNs = Math.min(beganNs + waits.durationNs[wait], startNs[row]);
      sumNs += Math.max(0, endNs - Math.max(beganNs, fromNs));
    });
  });
  return sumNs;
}

describeWith(['agent', 'bpf', 'torch'], 'DataLoader workers', () => {
  test('beyond the CPUs are what costs most', async () => {
    // Four a CPU, each of which waits three times as long as it runs: no draw between the two.
    const options = ['--workers', '8', '--persistent', '--epochs', '2'];
    const load = ['--item-cpu-us', '300', '--items', '1536', '--batch', '64'];
    const job = await trainUndisturbed([...options, ...load, '--features', '2048']);
    expect(job.ids[0], told(job)).toBe('workers-to-cores');
    expect(job.diagnosis.verdict).toBe('input-bound');
  });

  test('that wait beside free CPUs are not blamed', async () => {
    const options = ['--workers', '4', '--persistent', '--items', '1024', '--features', '64'];
    const job = await trainUndisturbed(options, { env: { STALLTRACE_STAND_IN_KERNEL_US: '1000' } });
    expect(job.ids, told(job)).not.toContain('workers-to-cores');
    expect(job.ids, told(job)).not.toContain('more-workers');
  });
});

describeWith(
  ['agent', 'bpf', 'torch', 'cpuQuota'],
  'a job with a CPU quota below its demand',
  () => {
    test('is throttled, and no neighbour is named', async () => {
      const group = cpuGroup(0.6);
      onTestFinished(() => group.remove());
      const options = ['--workers', '2', '--persistent', '--item-cpu-us', '1000', '--items', '512'];
      const job = await trainUndisturbed([...options, '--features', '256'], {
        before: group.through,
      });
      expect(job.ids[0], told(job)).toBe('cpu-quota');
      const costOf = (id: string) =>
        job.diagnosis.findings.find((finding) => finding.id === id)?.costShare ?? 0;
      // Something else always runs here in between. What the quota held back would make it as large as the quota.
      expect(costOf('noisy-neighbour'), told(job)).toBeLessThan(costOf('cpu-quota') / 4);
      const [rank] = job.ranks;
      if (rank === undefined) throw new Error('no rank was found');
      const { window, workers, rank: own } = rank.facts;
      const sums = { throttledNs: 0, strangersNs: 0, accountedNs: 0 };
      for (const thread of [own.mainThread, ...workers.map(({ mainThread }) => mainThread)]) {
        const waited = contentionOf(job.trace, own, thread, ...window);
        sums.throttledNs += waited.throttledNs;
        for (const { relation, ns } of waited.contenders)
          if (relation === 'other') sums.strangersNs += ns;
        for (const { detail, ns } of accountTime(job.trace, own, thread, ...window, {}))
          if (detail === 'throttled') sums.accountedNs += ns;
      }
      // Two workers want a CPU each; both and the training process may use 0.6 of one.
      expect(sums.throttledNs, told(job)).toBeGreaterThan(100e6);
      expect(sums.accountedNs).toBe(sums.throttledNs);
      expect(sums.strangersNs, told(job)).toBeLessThan(sums.throttledNs / 4);
    });
  },
);

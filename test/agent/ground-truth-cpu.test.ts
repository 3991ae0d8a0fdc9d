import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { explainCall } from '../../src-main/analysis/call/explain-call.ts';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import { accountTime } from '../../src-main/analysis/threads/account-time.ts';
import { contentionOf } from '../../src-main/analysis/threads/contention.ts';
import { expectWhole, record } from '../support/agent.ts';
import { cudart, standIn } from '../support/agent-run.ts';
import { cpuGroup } from '../support/cpu-group.ts';
import { told, trainUndisturbed } from '../support/diagnosed.ts';
import { describeWith } from '../support/requirements.ts';

/** Jobs that compete for CPUs in a known way: what the analysis says is what was done to them. */

describeWith(['agent', 'bpf'], 'a CPU shared with a busy neighbour', () => {
  // Once, in a whole run of the tests, it was 2.13 % off; why is not known.
  test('is accounted for as the kernel does, and the neighbour is named', {
    retry: 2,
  }, async () => {
    const rival = spawn(standIn('spin'), ['30', '0', 'rival-spinner'], { stdio: 'ignore' });
    onTestFinished(() => void rival.kill('SIGKILL'));
    const job = [standIn('contend'), cudart, '30', String(256 * 2 ** 20), String(rival.pid)];
    const recording = await record(job, { args: ['--library', cudart] });
    rival.kill('SIGKILL');
    expect(recording.code, recording.stderr).toBe(0);
    const trace = withRoles(expectWhole(recording));
    const { rows, columns } = trace.tables.cuda_call;
    let [runnableNs, othersRanNs, rivalNs] = [0, 0, 0];
    for (let row = 0; row < rows; row++) {
      if (trace.names[columns.op[row]] !== 'cudaMemcpyAsync') continue;
      const { accounting, contention } = explainCall(trace, row);
      const parts = accounting.filter(({ kind }) => kind === 'runnable');
      runnableNs += parts.reduce((sum, { ns }) => sum + ns, 0);
      othersRanNs += contention.othersRanNs;
      rivalNs += contention.contenders
        .filter(({ pid }) => pid === rival.pid)
        .reduce((sum, { ns }) => sum + ns, 0);
    }
    const { runDelayNs, rivalNs: ranNs } = recording.report() as Record<string, number>;
    // As much as a neighbour that never sleeps takes of a CPU: something was measured.
    expect(runDelayNs).toBeGreaterThan(100e6);
    expect(runnableNs / runDelayNs).toBeGreaterThan(0.98);
    expect(runnableNs / runDelayNs).toBeLessThan(1.02);
    expect(othersRanNs / runnableNs).toBeGreaterThan(0.98);
    expect(ranNs).toBeGreaterThan(50e6);
    expect(rivalNs / ranNs).toBeGreaterThan(0.98);
    expect(rivalNs / ranNs).toBeLessThan(1.02);
  });
});

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
      expect(job.ids, told(job)).toContain('cpu-quota');
      const neighbour = job.diagnosis.findings.find(({ id }) => id === 'noisy-neighbour');
      // What else this machine does in between is not the job's limit.
      expect(neighbour?.costShare ?? 0, told(job)).toBeLessThan(0.05);
      const [rank] = job.ranks;
      if (rank === undefined) throw new Error('no rank was found');
      const { window, workers, rank: own } = rank.facts;
      const sums = { throttledNs: 0, runnableNs: 0, strangersNs: 0, accountedNs: 0 };
      for (const thread of [own.mainThread, ...workers.map(({ mainThread }) => mainThread)]) {
        const waited = contentionOf(job.trace, own, thread, ...window);
        sums.throttledNs += waited.throttledNs;
        sums.runnableNs += waited.runnableNs;
        for (const { relation, ns } of waited.contenders)
          if (relation === 'other') sums.strangersNs += ns;
        for (const { detail, ns } of accountTime(job.trace, own, thread, ...window, {}))
          if (detail === 'throttled') sums.accountedNs += ns;
      }
      // Two workers want a CPU each; both and the training process may use 0.6 of one.
      expect(sums.throttledNs, told(job)).toBeGreaterThan(100e6);
      expect(sums.accountedNs).toBe(sums.throttledNs);
      expect(sums.strangersNs).toBeLessThan(0.1 * sums.runnableNs);
    });
  },
);

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { waitChain } from '../../src-main/analysis/chain/wait-chain.ts';
import { phasesOf } from '../../src-main/analysis/steps/phases.ts';
import { phases as phaseNames } from '../../src-main/shared/answers/steps.ts';
import { scratchFolder } from '../support/agent/agent.ts';
import { told, train, trainUndisturbed } from '../support/agent/diagnosed.ts';
import { describeWith } from '../support/requirements.ts';

/** Jobs whose input is slow, or fine, for a known reason. */

/** A named pipe that gives one sample's bytes after each pause. */
async function slowPipe(pauseSeconds: number): Promise<string> {
  const path = join(scratchFolder(), 'shard.fifo');
  const feed = `import os, sys, time
os.mkfifo(sys.argv[1])
with open(sys.argv[1], "wb", buffering=0) as pipe:
    while True:
        time.sleep(${pauseSeconds})
        pipe.write(bytes(1 << 16))`;
  const feeder = spawn('/usr/bin/python3', ['-c', feed, path], { stdio: 'ignore' });
  onTestFinished(() => void feeder.kill('SIGKILL'));
  await expect.poll(() => existsSync(path)).toBe(true);
  return path;
}

describeWith(['agent', 'bpf', 'torch'], 'input that is slow', () => {
  test('for a read of one worker: the wait chain of the gap ends in that read', async () => {
    const path = await slowPipe(0.02);
    const options = ['--workers', '1', '--items', '60', '--batch', '4', '--features', '64'];
    const job = await train([...options, '--read-file', path]);
    const [rank] = job.ranks;
    if (rank === undefined) throw new Error('no rank was found');
    const intervals = phasesOf(job.trace, rank.facts.rank);
    const waits = [...intervals.startsNs.keys()].filter(
      (at) => phaseNames[intervals.phases[at] ?? 0] === 'input',
    );
    const lengthOf = (at: number) => (intervals.endsNs[at] ?? 0) - (intervals.startsNs[at] ?? 0);
    const longest = waits.sort((a, b) => lengthOf(b) - lengthOf(a))[0] ?? -1;
    expect(lengthOf(longest), told(job)).toBeGreaterThan(30e6);
    const { mainThread } = rank.facts.rank;
    const from = intervals.startsNs[longest] ?? 0;
    const chain = waitChain(job.trace, rank.facts.rank, mainThread, from, from + lengthOf(longest));
    const reads = chain.segments.filter(
      ({ thread, reason }) => thread.role === 'dataloader-worker' && reason.includes('shard.fifo'),
    );
    expect(reads.length, JSON.stringify(chain, null, 1)).toBeGreaterThan(0);
    expect(job.report.workers).toContain(reads[0]?.thread.pid);
    const readNs = reads.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);
    expect(readNs / lengthOf(longest)).toBeGreaterThan(0.5);
    expect(job.diagnosis.verdict).toBe('input-bound');
  });

  test('because workers are started anew each epoch is told with the epochs', async () => {
    const options = ['--workers', '2', '--epochs', '5', '--items', '256', '--features', '64'];
    const job = await train(options);
    const found = job.diagnosis.findings.find(({ id }) => id === 'persistent-workers');
    expect(found, told(job)).toBeDefined();
    expect(job.ranks[0]?.facts.generations).toHaveLength(5);
    expect(found?.sentence).toMatch(/\b5\b/);
  });

  test('because each sample sleeps is told as that', async () => {
    const options = ['--workers', '4', '--persistent', '--items', '192', '--batch', '4'];
    const job = await trainUndisturbed([
      ...options,
      '--features',
      '64',
      '--item-sleep-us',
      '50000',
    ]);
    expect(job.ids[0], told(job)).toBe('slow-getitem');
    expect(job.ids).not.toContain('workers-to-cores');
  });
});

describeWith(['agent', 'bpf', 'torch'], 'a healthy job', () => {
  test('has no finding above low', async () => {
    const options = ['--workers', '1', '--persistent', '--pinned', '--items', '960'];
    const job = await trainUndisturbed([...options, '--features', '1024'], {
      env: { STALLTRACE_STAND_IN_KERNEL_US: '4000' },
    });
    const loud = job.diagnosis.findings.filter(({ severity }) => /high|medium/.test(severity));
    expect(
      loud.map(({ id }) => id),
      told(job),
    ).toEqual([]);
    expect(['compute-bound', 'balanced'], told(job)).toContain(job.diagnosis.verdict);
  });
});

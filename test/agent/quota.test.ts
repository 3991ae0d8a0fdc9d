import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { contentionOf } from '../../src-main/analysis/threads/contention.ts';
import { expectWhole, record } from '../support/agent/agent.ts';
import { query, standIn } from '../support/agent/agent-run.ts';
import { cpuGroup } from '../support/cpu-group.ts';
import { describeWith } from '../support/requirements.ts';

/** Less than what a thread gets of a busy machine: else others throttle it, not the quota. */
const QUOTA = 0.1;

describeWith(['agent', 'bpf', 'cpuQuota'], 'a job with a CPU quota', () => {
  test('is throttled for as long as the kernel says, and nobody is blamed for it', async () => {
    const group = cpuGroup(QUOTA);
    onTestFinished(() => group.remove());
    const recording = await record([...group.through, standIn('spin'), '3', '-1', 'limited']);
    expect(recording.code, recording.stderr).toBe(0);
    const trace = expectWhole(recording);

    const [limited] = query(
      recording.file,
      `SELECT sum(throttled_ns) AS throttled, sum(duration_ns) AS away,
         sum(throttled_ns > run_queue_ns) AS wrong
       FROM off_cpu JOIN thread ON thread.id = thread_id WHERE thread.name = 'limited'`,
    );
    const throttled = Number(limited?.throttled);
    // The kernel counts on each CPU for itself: its sum may be the larger one, never by much here.
    expect(throttled).toBeGreaterThan(100e6);
    expect(throttled / group.throttledNs()).toBeGreaterThan(0.9);
    expect(throttled / group.throttledNs()).toBeLessThan(1.1);
    expect(limited?.wrong).toBe(0);
    const processes = trace.processes.filter(({ name }) => name === 'limited');
    expect(processes.map(({ cpuQuota }) => cpuQuota)).toEqual([QUOTA]);
  });
});

describeWith(
  ['agent', 'cpuQuota', 'perfEvents'],
  'a job with a CPU quota, recorded without BPF',
  () => {
    test('waits for its quota, by samples of its control group', async () => {
      const group = cpuGroup(QUOTA);
      onTestFinished(() => group.remove());
      // In its group before it is recorded, as what runs in a container is.
      const [program = '', ...args] = [...group.through, standIn('spin'), '3', '-1', 'limited'];
      const job = spawn(program, args, { stdio: 'ignore' });
      const ended = once(job, 'close');
      const name = () => readFileSync(`/proc/${job.pid}/comm`, 'utf8');
      await expect.poll(name).toBe('limited\n');
      const before = group.throttledNs();
      const recording = await record([], { args: ['--no-bpf', '--pid', String(job.pid)] });
      await ended;
      expect(recording.code, recording.stderr).toBe(0);
      const trace = expectWhole(recording);
      const limited = trace.threads.findIndex(({ name }) => name === 'limited');
      const { lengthNs } = trace.meta;
      const { runnableNs, throttledNs } = contentionOf(trace, undefined, limited, 0, lengthNs);
      expect(runnableNs).toBeGreaterThan(100e6);
      const heldNs = group.throttledNs() - before;
      expect(throttledNs / heldNs).toBeGreaterThan(0.8);
      expect(throttledNs / heldNs).toBeLessThan(1.1);
    });
  },
);

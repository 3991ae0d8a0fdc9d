import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { diagnose } from '../../src-main/analysis/findings/diagnose.ts';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import { expectWhole, record, scratchFolder } from '../support/agent/agent.ts';
import { cudart } from '../support/agent/agent-run.ts';
import { told } from '../support/agent/diagnosed.ts';
import { root } from '../support/built.ts';
import { cpuGroup, mayGroup } from '../support/cpu-group.ts';
import { describeWith } from '../support/requirements.ts';

/** A job whose training thread does other things than to train: what is said of it against its own stopwatch. */

type Seconds = Record<'loop' | 'keep' | 'compress' | 'publish', number>;

async function recorded(...options: readonly string[]) {
  const report = join(scratchFolder(), 'job.json');
  const group = mayGroup() ? cpuGroup() : undefined;
  onTestFinished(() => group?.remove());
  const script = join(root, 'test/agent/jobs/host_causes.py');
  const recording = await record(
    ['/usr/bin/python3', script, '--library', cudart, '--report', report, ...options],
    { through: group?.through ?? [], args: ['--library', cudart] },
  );
  expect(recording.code, recording.stderr).toBe(0);
  const diagnosed = diagnose(withRoles(expectWhole(recording)));
  return { ...diagnosed, seconds: JSON.parse(readFileSync(report, 'utf8')) as Seconds };
}

describeWith(
  ['agent', 'bpf', 'torch'],
  'what the training thread does outside of the loader',
  () => {
    test('is told by cause, each with its time, how often it comes and who is on the other side', async () => {
      const job = await recorded();
      const said = `${told(job)}\n${JSON.stringify(job.seconds)}`;
      const found = (id: string) => job.diagnosis.findings.find((each) => each.id === id);
      const [save, child, lock] = ['checkpoint', 'subprocess-wait', 'thread-lock'].map(found);
      expect(save?.title, said).toContain('keep (host_causes.py:');
      expect(child?.sentence, said).toContain('sleep (');
      expect(child?.sentence, said).toContain('every 4 steps');
      expect(lock?.sentence, said).toContain('it slept on purpose');
      const truth = {
        save: job.seconds.keep,
        child: job.seconds.compress,
        lock: job.seconds.publish,
      };
      // Starting the program, and a wait for a CPU, are its function's time too, and no waiting for it.
      for (const [finding, seconds] of [
        [child, truth.child],
        [lock, truth.lock],
      ] as const) {
        expect(finding?.costNs, said).toBeLessThan(1.05e9 * seconds);
        expect(finding?.costNs, said).toBeGreaterThan(0.5e9 * seconds);
      }
      // What it bounds holds: without the cause the loop would be shorter by its time at most.
      expect(save?.gainUpToNs, said).toBeGreaterThan(0.9e9 * truth.save);
      expect(child?.gainUpToNs, said).toBeGreaterThan(0.9e9 * truth.child);
      expect(lock?.gainUpToNs, said).toBeGreaterThan(0.9e9 * truth.lock);
      const [rank] = job.diagnosis.ranks;
      const lines = rank?.hostTime?.parts.map(({ kind }) => kind);
      expect(lines, said).toEqual(
        expect.arrayContaining(['checkpoint', 'subprocess-wait', 'thread-lock']),
      );
      const sum = (rank?.hostTime?.parts ?? []).reduce((all, { ns }) => all + ns, 0);
      expect(sum + (rank?.hostTime?.restNs ?? 0)).toBeCloseTo(rank?.hostTime?.ns ?? 0, -2);
    });

    test('is nothing in a loop that only trains', async () => {
      const job = await recorded('--healthy');
      const own = job.diagnosis.findings.filter(({ id }) =>
        /checkpoint|output|garbage|metrics|evaluation|subprocess|sleep|thread-lock|host-/.test(id),
      );
      expect(
        own.map(({ id }) => id),
        told(job),
      ).toEqual([]);
    });
  },
);

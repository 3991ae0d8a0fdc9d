import { expect, test } from 'vitest';
import { cell, MS, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { FROZEN, STOPPED, stoppedTrace, TRACED } from '../testing/loop-examples.ts';
import { stopped } from './stopped.ts';

test('who lets the job go on is named, with how often and for how long it was stopped', () => {
  const judgement = stopped.judge(exampleFacts('stopped'));
  expect(judgement?.title).toBe('The job is stopped, and cpulimit (pid 311) lets it go on');
  expect(judgement?.culprit).toBe('cpulimit');
  expect(judgement?.sentence).toContain('100 times, for 60.00 ms (median)');
  expect(judgement?.sentence).toContain('a signal (SIGSTOP)');
  expect(judgement?.evidence[1].text).toContain('let it go on 100 times, after 6.000 s in all');
  expect(judgement?.gain).toEqual({ reach: 'own' });
});

test('what traces it is told from a signal', () => {
  const judgement = stopped.judge(exampleFacts('stopped', { trace: stoppedTrace(TRACED) }));
  expect(judgement?.sentence).toContain('as a debugger, strace or a sampling profiler');
  expect(judgement?.fix.title).toContain('without stopping it');
});

test('a frozen control group is told from a signal', () => {
  const judgement = stopped.judge(exampleFacts('stopped', { trace: stoppedTrace(FROZEN) }));
  expect(judgement?.title).toBe('The job is frozen, and cpulimit (pid 311) lets it go on');
  expect(judgement?.sentence).toContain('with all of its control group, which was frozen');
  expect(judgement?.sentence).not.toContain('after the recording began');
  expect(judgement?.fix.title).toBe('Keep cpulimit (pid 311) from pausing the job');
});

test('a few are told one by one, with their times', () => {
  const plan = stoppedTrace(FROZEN);
  const off_cpu = plan.rows?.off_cpu
    ?.slice(3, 4)
    .map((row) => ({ ...row, durationNs: 3 * SECOND, waker: -1, wakerContext: 0 }));
  const costs = [cell('other', 'main', 'stopped', 3 * SECOND)];
  const trace = { ...plan, rows: { ...(off_cpu && { off_cpu }) } };
  const judgement = stopped.judge(exampleFacts('stopped', { trace, costs }));
  expect(judgement?.title).toBe('The job was frozen for 3.000 s');
  expect(judgement?.sentence).toContain(
    '1 time (from 0.30 s to 3.30 s after the recording began). Who let it go on is not recorded.',
  );
  expect(judgement?.fix.title).toBe('Find who pauses the job’s control group');
});

test('who let it go on is not made up where it is not recorded', () => {
  const plan = stoppedTrace(STOPPED);
  const off_cpu = plan.rows?.off_cpu?.map((row) => ({ ...row, waker: -1, wakerContext: 0 }));
  const trace = { ...plan, rows: { ...(off_cpu && { off_cpu }) } };
  const judgement = stopped.judge(exampleFacts('stopped', { trace }));
  expect(judgement?.title).toBe('The job is stopped over and over');
  expect(judgement?.culprit).toBeUndefined();
  expect(judgement?.sentence).toContain('Who let it go on is not recorded.');
  expect(judgement?.fix.after).toBe('kill -CONT 100');
});

test('a stop of the loop and its worker at a time is one', () => {
  const plan = stoppedTrace(FROZEN);
  const ofMain = plan.rows?.off_cpu?.slice(0, 2) ?? [];
  const ofWorker = ofMain.map((row) => ({ ...row, thread: 2, startNs: (row.startNs ?? 0) + MS }));
  const off_cpu = [...ofMain, ...ofWorker].sort((a, b) => (a.startNs ?? 0) - (b.startNs ?? 0));
  const threads = [...(plan.threads ?? []), { tid: 102, process: 0, name: 'python3' }];
  const judgement = stopped.judge(
    exampleFacts('stopped', {
      costs: [
        cell('other', 'main', 'stopped', 0.1 * SECOND),
        cell('input', 'worker', 'stopped', 0.1 * SECOND),
      ],
      workers: [{ mainThread: 2 }],
      trace: { ...plan, threads, rows: { off_cpu } },
    }),
  );
  expect(judgement?.sentence).toContain(
    '2 times, for 61.00 ms (median) (from 0.00 s to 0.06 s, from 0.10 s to 0.16 s after',
  );
  expect(judgement?.sentence).toContain('let it go on 2 times.');
});

test('a worker that was stopped may have held up every batch; only its stops count', () => {
  const plan = stoppedTrace(STOPPED);
  const ofWorker = plan.rows?.off_cpu?.slice(0, 4).map((row) => ({ ...row, thread: 2 })) ?? [];
  const off_cpu = [...(plan.rows?.off_cpu ?? []), ...ofWorker];
  const threads = [...(plan.threads ?? []), { tid: 102, process: 0, name: 'python3' }];
  const judgement = stopped.judge(
    exampleFacts('stopped', {
      costs: [cell('input', 'worker', 'stopped', SECOND)],
      workers: [{ mainThread: 2 }],
      trace: { ...plan, threads, rows: { off_cpu } },
    }),
  );
  expect(judgement?.gain).toEqual({ reach: 'waits' });
  expect(judgement?.sentence).toContain('let it go on 4 times.');
});

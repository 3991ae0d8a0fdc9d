import { expect, test } from 'vitest';
import { cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { STOPPED, stoppedTrace, TRACED } from '../testing/loop-examples.ts';
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

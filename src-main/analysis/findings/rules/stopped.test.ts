import { expect, test } from 'vitest';
import { buildFacts, cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { stops } from '../testing/loop-examples.ts';
import { stopped } from './stopped.ts';

const processes = [
  { pid: 100, name: 'python3' },
  { pid: 9, name: 'strace' },
];
const threads = [
  { tid: 100, process: 0, name: 'python3' },
  { tid: 9, process: 1, name: 'strace' },
];
const costs = [cell('other', 'main', 'stopped', 6 * SECOND)];

test('who lets the job go on is named, with how often and for how long it was stopped', () => {
  const judgement = stopped.judge(exampleFacts('stopped'));
  expect(judgement?.title).toBe('cpulimit (pid 311) stops the job and lets it go on');
  expect(judgement?.culprit).toBe('cpulimit');
  expect(judgement?.sentence).toContain('100 times, for 60.00 ms in the middle');
  expect(judgement?.sentence).toContain('a signal (SIGSTOP)');
  expect(judgement?.evidence[1].text).toContain('let it go on 100 times, after 6.000 s in all');
  expect(judgement?.gain).toEqual({ reach: 'own' });
});

test('what traces it is told from a signal', () => {
  const facts = buildFacts({ costs, trace: { processes, threads, rows: { off_cpu: stops(8) } } });
  const judgement = stopped.judge(facts);
  expect(judgement?.sentence).toContain('as a debugger, strace or a sampling profiler');
  expect(judgement?.fix.title).toContain('End strace (pid 9)');
});

test('who let it go on is not made up where it is not recorded', () => {
  const rows = stops(0x104).map((row) => ({ ...row, waker: -1, wakerContext: 0 }));
  const judgement = stopped.judge(
    buildFacts({ costs, trace: { processes, threads, rows: { off_cpu: rows } } }),
  );
  expect(judgement?.title).toBe('Something stops the job and lets it go on');
  expect(judgement?.culprit).toBeUndefined();
  expect(judgement?.sentence).toContain('Who let it go on is not recorded.');
  expect(judgement?.fix.after).toBe('kill -CONT 100');
});

test('a worker that was stopped may have held up every batch', () => {
  const facts = exampleFacts('stopped', { costs: [cell('input', 'worker', 'stopped', SECOND)] });
  expect(stopped.judge(facts)?.gain).toEqual({ reach: 'waits' });
});

import { expect, test } from 'vitest';
import { MS } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { heldBack } from '../testing/input-examples.ts';
import { diskBound } from './disk-bound.ts';
import { ioLimit } from './io-limit.ts';

const judge = (limit: number, done: number, waitNs: number) =>
  ioLimit.judge(exampleFacts('io-limit', { trace: heldBack(limit, done, waitNs) }));

test('a limit that is used up, and waits longer than the device takes', () => {
  const judgement = judge(12, 11.9, 400 * MS);
  expect(judgement?.title).toBe('An I/O limit of 12.0 MiB/s holds back the reading of data');
  expect(judgement?.sentence).toContain(
    'may read 12.0 MiB/s from vda, and read 11.9 MiB/s on average. The training loop waited 3.000 s',
  );
  expect(judgement?.evidence[1]?.text).toContain('took 400.0 ms, the device 5.000 ms for a read');
  expect(judgement?.fix.after).toContain('rbps=max');
});

test('one that is not used up holds nobody back', () => {
  expect(judge(12, 9, 400 * MS)).toBeUndefined();
});

test('nor one that a slow disk just reaches', () => {
  expect(judge(12, 11.9, 9 * MS)).toBeUndefined();
});

test('what is held back is not blamed on the disk', () => {
  const told = (done: number) =>
    diskBound.judge(exampleFacts('io-limit', { trace: heldBack(12, done, 400 * MS) }))?.title;
  expect([told(11.9), told(5)]).toEqual([undefined, 'Batches wait for the disk']);
});

test('without the requests of the device it is possible at most', () => {
  const trace = heldBack(12, 11.9, 400 * MS);
  const facts = exampleFacts('io-limit', {
    trace: { ...trace, rows: { ...trace.rows, block_io: [] } },
  });
  expect(ioLimit.judge(facts)?.confidence).toBe('possible');
});

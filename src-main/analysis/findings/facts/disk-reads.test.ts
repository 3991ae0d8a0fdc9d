import { expect, test } from 'vitest';
import { diskBound } from '../rules/disk-bound.ts';
import { smallFiles } from '../rules/small-files.ts';
import { cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { pagedReads } from '../testing/input-examples.ts';

test('small reads from all over the disk are small files', () => {
  const judgement = smallFiles.judge(exampleFacts('small-files'));
  expect(judgement?.sentence).toContain('in 400 pieces of 16.00 KiB (median), 8 for each batch');
  expect(judgement?.evidence[0]?.events.count).toBe(400);
});

test('large reads one after the other are a disk that is slow', () => {
  const facts = exampleFacts('disk-bound');
  expect(smallFiles.judge(facts)).toBeUndefined();
  const judgement = diskBound.judge(facts);
  expect(judgement?.confidence).toBe('proven');
  expect(judgement?.evidence[1]?.text).toBe(
    '40 reads of 40.00 MiB in all took 5.000 ms each (median)',
  );
});

test('waits for pages of a mapped file are told as such, and read otherwise', () => {
  const judgement = diskBound.judge(exampleFacts('disk-bound', { trace: pagedReads() }));
  expect(judgement?.sentence).toContain('at a time: 150 waits.');
  expect(judgement?.fix.title).toBe('Read each sample at once, not page by page');
});

test('what waits for a disk without any request seen is told all the same', () => {
  expect(diskBound.judge(exampleFacts('disk-bound', { trace: {} }))?.evidence).toHaveLength(1);
});

test('reads at no cost to the loop are no finding', () => {
  const costs = [cell('compute', 'main', 'device', 9 * SECOND)];
  expect(smallFiles.judge(exampleFacts('small-files', { costs }))).toBeUndefined();
  expect(diskBound.judge(exampleFacts('disk-bound', { costs }))).toBeUndefined();
});

test('a thread may have read more often than a call takes arguments', () => {
  const startNs = (at: number) => (at * SECOND) / 20_000;
  const block_io = Array.from({ length: 150_000 }, (_, at) => ({
    ...{ startNs: startNs(at), durationNs: 1000, thread: 1, op: 0, bytes: 4096 },
  }));
  const trace = { names: [['', 'read']] as const, rows: { block_io } };
  const judgement = diskBound.judge(exampleFacts('disk-bound', { trace }));
  expect(judgement?.evidence[1]?.text).toContain('150,000 reads of 585.9 MiB in all');
});

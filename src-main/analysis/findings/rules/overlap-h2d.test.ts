import { expect, test } from 'vitest';
import { exampleFacts } from '../testing/examples.ts';
import { copies } from '../testing/loop-examples.ts';
import { overlapH2d } from './overlap-h2d.ts';

const example = exampleFacts('overlap-h2d');

test('says how long the loop waited for transfers', () => {
  expect(overlapH2d.judge(example)?.sentence).toContain('2.000 s (20.0 % of the time)');
});

test('pinning comes first', () => {
  const h2d = [copies('pageable'), copies('pinned')];
  expect(overlapH2d.judge({ ...example, h2d })).toBeUndefined();
});

test('silent where copies have a stream of their own already, or streams are not recorded', () => {
  const { cuda_call: calls } = example.trace.tables;
  const withStreams = (stream: Int32Array<ArrayBuffer>) => ({
    ...example.trace,
    tables: {
      ...example.trace.tables,
      cuda_call: { ...calls, columns: { ...calls.columns, stream } },
    },
  });
  const apart = calls.columns.op.map((op) => op);
  expect(
    overlapH2d.judge({ ...example, trace: withStreams(Int32Array.from(apart)) }),
  ).toBeUndefined();
  const unknown = new Int32Array(calls.rows).fill(-1);
  expect(overlapH2d.judge({ ...example, trace: withStreams(unknown) })).toBeUndefined();
});

import { expect, test } from 'vitest';
import { buildTrace, type Row } from '../testing/build-trace.ts';
import { lossNotices } from './recording-losses.ts';

const names = [
  ['LOST', 'off_cpu'],
  ['LOST', 'cuda_call'],
  ['LOST', 'launch'],
] as const;
const noticesOf = (gap: Row<'gap'>[]) => lossNotices(buildTrace({ names, rows: { gap } }));

test('what was lost is said by table', () => {
  expect(noticesOf([])).toEqual([]);
  const [notice] = noticesOf([
    { startNs: 1, durationNs: 5, op: 0, lost: 1200 },
    { startNs: 9, durationNs: 5, op: 0, lost: 34 },
    { startNs: 9, durationNs: 5, op: 1, lost: -1 },
  ]);
  expect(notice?.level).toBe('warning');
  expect(notice?.text).toMatch(
    /^The recorder lost events in 3 gaps: 1,234 off-CPU intervals, an unknown number of CUDA calls\./,
  );
  const [launches] = noticesOf([{ startNs: 1, durationNs: 5, op: 2, lost: -1 }]);
  expect(launches?.text).toMatch(/in 1 gap: an unknown number of kernel launches\./);
  const [unnamed] = noticesOf([{ startNs: 1, durationNs: 5, op: -1, lost: 1 }]);
  expect(unnamed?.text).toMatch(/^The recorder lost events in 1 gap: 1 event of any kind\./);
});

import { expect, test } from 'vitest';
import type { TraceData } from '../model/trace-data.ts';
import { fakeSummary } from '../testing/fake-summary.ts';
import { blockRequests } from './block-requests.ts';

const data: TraceData = {
  traceId: 'x',
  summary: fakeSummary({ block_io: 4 }),
  tables: {
    block_io: {
      startNs: Float64Array.of(0, 100, 250, 900),
      durationNs: Float64Array.of(400, 50, 10, 10),
      thread: Int32Array.of(1, 2, 1, 1),
      bytes: Float64Array.of(4096, 512, -1, 8),
    },
  } as unknown as TraceData['tables'],
};

test('requests under way in the stretch, the longest inside it first', () => {
  expect(blockRequests(data, 1, 200, 300)).toEqual({ rows: [0, 2], count: 2, bytes: 4096, own: 2 });
  expect(blockRequests(data, 1, 120, 900, 1)).toEqual({
    rows: [0],
    count: 3,
    bytes: 4608,
    own: 2,
  });
});

test('none, and not recorded, are told apart', () => {
  expect(blockRequests(data, 1, 500, 600)).toEqual({ rows: [], count: 0, bytes: 0, own: 0 });
  expect(blockRequests({ ...data, tables: {} }, 1, 0, 900)).toBeUndefined();
});

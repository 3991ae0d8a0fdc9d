import { expect, test } from 'vitest';
import { buildTrace } from '../../analysis/testing/build-trace.ts';
import { codeOf, directions, hostMemoryKinds, memoryKinds } from '../../shared/model/codes.ts';
import { fillHostMemory } from './fill-host-memory.ts';

const [H2D, D2H, D2D] = (['H2D', 'D2H', 'D2D'] as const).map((name) => codeOf(directions, name));
const [PINNED, PAGEABLE, DEVICE] = (['pinned', 'pageable', 'device'] as const).map((name) =>
  codeOf(memoryKinds, name),
);

test('takes the kind of memory from the record of the copy, and no other', () => {
  const trace = buildTrace({
    rows: {
      cuda_call: [{}, {}, {}, { hostMemory: codeOf(hostMemoryKinds, 'managed') }],
      gpu_work: [
        { call: 0, direction: H2D, sourceMemory: PAGEABLE, destinationMemory: DEVICE },
        { call: 1, direction: D2H, sourceMemory: DEVICE, destinationMemory: PINNED },
        { call: 2, direction: D2D, sourceMemory: DEVICE, destinationMemory: DEVICE },
        { call: 3, direction: H2D, sourceMemory: PAGEABLE, destinationMemory: DEVICE },
        { call: 9, direction: H2D, sourceMemory: PAGEABLE, destinationMemory: DEVICE },
      ],
    },
  });
  const { columns, columnProvenance } = fillHostMemory(trace).tables.cuda_call;
  const kinds = [...(columns.hostMemory ?? [])].map((kind) => hostMemoryKinds[kind]);
  expect(kinds).toEqual(['pageable', 'pinned', 'unknown', 'managed']);
  expect(columnProvenance.hostMemory?.kind).toBe('exact');
  expect([...(trace.tables.cuda_call.columns.hostMemory ?? [])]).toEqual([0, 0, 0, 3]);
});

test('leaves a trace alone whose records say nothing', () => {
  const trace = buildTrace({ rows: { cuda_call: [{}], gpu_work: [{ call: 0, direction: H2D }] } });
  expect(fillHostMemory(trace)).toBe(trace);
});

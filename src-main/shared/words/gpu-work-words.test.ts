import { expect, test } from 'vitest';
import { gpuWorkFacts } from '../answers/gpu-work.ts';
import { codeOf, directions, gpuWorkKinds, memoryKinds } from '../model/codes.ts';
import { gpuWorkLine } from './gpu-work-words.ts';

const told = (cells: Readonly<Record<string, number>>) =>
  gpuWorkLine(gpuWorkFacts((column) => cells[column]));

test('tells a copy from where to where', () => {
  const copy = {
    kind: codeOf(gpuWorkKinds, 'copy'),
    bytes: 3 * 2 ** 20,
    direction: codeOf(directions, 'H2D'),
    sourceMemory: codeOf(memoryKinds, 'pageable'),
    destinationMemory: codeOf(memoryKinds, 'device'),
  };
  expect(told({ ...copy, gridX: -1, graph: 0, node: -1 })).toBe(
    'kind: copy, size: 3.000 MiB, direction: H2D, memory it read: pageable, memory it wrote: device',
  );
});

test('tells a kernel’s shape, and where in which graph it is', () => {
  const kernel = { kind: codeOf(gpuWorkKinds, 'kernel'), gridX: 1024, gridY: 2, gridZ: 1 };
  const block = { blockX: 256, blockY: 1, blockZ: 1 };
  expect(told({ ...kernel, ...block, graph: 3, node: 12_884_901_889, direction: 0 })).toBe(
    'kind: kernel, grid: 1,024 × 2 × 1 blocks, block: 256 × 1 × 1 threads, CUDA graph: 3, node of the graph: 12884901889',
  );
});

test('says nothing of what is not known, and of codes that are not known yet', () => {
  expect(told({ kind: 0, bytes: -1, sourceMemory: 99, gridX: -1 })).toBe('');
  expect(told({})).toBe('');
});

import { describe, expect, test } from 'vitest';
import { fakeFlame, python } from '../../timeline/testing/fake-flame.ts';
import { fakeSummary } from '../../timeline/testing/fake-summary.ts';
import type { TraceSummary } from '../answers/summary.ts';
import type { Provenance } from '../model/trace.ts';
import { drawnText, partialText, threadTableOf, undrawnText, whyWithout } from './flame-weights.ts';

const none = { unknown: 0, kernel: 0, copy: 0, fill: 0, graph: 0 };

function summaryOf(
  counts: Partial<TraceSummary['gpuWork']['counts']>,
  provenance?: Provenance,
): TraceSummary {
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const gpuWork = { counts: { ...none, ...counts }, readable: {} };
  const summary = fakeSummary({ cuda_call: 9, ...(rows > 0 && { gpu_work: rows }) }, { gpuWork });
  if (provenance === undefined) return summary;
  const gpu_work = { ...summary.tables.gpu_work, provenance };
  return { ...summary, tables: { ...summary.tables, gpu_work } };
}

describe('the GPU time of kernels and copies as a weight', () => {
  test('is there where the GPU’s record is, with the threads of the calls that asked for the work', () => {
    expect(whyWithout(summaryOf({ kernel: 3 }), 'gpu-time')).toBeUndefined();
    expect(whyWithout(summaryOf({ copy: 2 }), 'gpu-time')).toBeUndefined();
    expect(threadTableOf('gpu-time')).toBe('cuda_call');
    expect(threadTableOf('off-cpu-time')).toBe('off_cpu');
  });

  test('is said to be missing where nothing is recorded, and what it lacks where copies only are', () => {
    const note = 'Not asked for: --gpu-records none.';
    expect(whyWithout(summaryOf({}, { kind: 'absent', note }), 'gpu-time')).toBe(note);
    expect(partialText(summaryOf({ copy: 4 }), 'gpu-time')).toMatch(/copies and fills only/);
    const partial = { kind: 'partial', note: 'Copies only: --gpu-records copies.' } as const;
    expect(partialText(summaryOf({ copy: 4 }, partial), 'gpu-time')).toBe(
      'Not all GPU work is recorded. Copies only: --gpu-records copies.',
    );
  });

  test('of waits it is said which have a stack, where not all do', () => {
    const summary = fakeSummary({ off_cpu: 3 });
    const withNote = (kind: 'partial' | 'exact') => {
      const columnProvenance = { stack: { kind, note: 'Of long waits.' } };
      const off_cpu = { ...summary.tables.off_cpu, columnProvenance };
      return { ...summary, tables: { ...summary.tables, off_cpu } };
    };
    expect(partialText(withNote('partial'), 'off-cpu-time')).toBe(
      'Not all waits have a stack. Of long waits.',
    );
    expect(partialText(withNote('exact'), 'off-cpu-time')).toBe('');
    expect(partialText(summary, 'off-cpu-time')).toBe('');
  });

  test('needs to know which call asked for which work', () => {
    const summary = summaryOf({ kernel: 3 });
    const without = (table: 'cuda_call' | 'gpu_work', column: string) => {
      const columns = summary.tables[table].columns.filter((each) => each !== column);
      const changed = { ...summary.tables[table], columns };
      const tables = { ...summary.tables, [table]: changed };
      return whyWithout({ ...summary, tables }, 'gpu-time');
    };
    // Without stacks it stands below its call alone.
    expect(without('cuda_call', 'stack')).toBeUndefined();
    expect(without('gpu_work', 'call')).toMatch(/^Which call asked for which GPU work/);
  });

  test('says where records were lost', () => {
    const lossy = summaryOf({ kernel: 3 }, { kind: 'partial', note: 'A ring was full.' });
    expect(partialText(lossy, 'gpu-time')).toBe('Not all GPU work is recorded. A ring was full.');
    expect(partialText(lossy, 'cuda-time')).toBe('');
    expect(partialText(summaryOf({ kernel: 3 }), 'gpu-time')).toBe('');
  });
});

test('says how much is drawn and what is not', () => {
  const withoutStack = { events: 1, weight: 5 };
  const calls = { ...fakeFlame([[[python('main')], 4_000]]), withoutStack };
  expect(drawnText(calls)).toBe('4.000 µs with a stack');
  expect(undrawnText(calls)).toBe('1 event without a stack (5 ns)');
  const work = { ...calls, weight: 'gpu-time' } as const;
  expect(drawnText(work)).toBe('4.000 µs on the GPU');
  expect(undrawnText(work)).toBe('1 event whose call is not recorded (5 ns)');
  expect(undrawnText(fakeFlame([]))).toBe('');
});

import { expect, test } from 'vitest';
import { fakeSummary } from '../../../src-main/timeline/testing/fake-summary.ts';
import { keyFigures } from './key-figures.ts';

const busyFigures = (summary: Parameters<typeof keyFigures>[0]) =>
  keyFigures(summary, []).filter(({ label }) => label.endsWith('busy'));

test('each GPU has its mean utilisation, which is never exact', () => {
  const gpuBusy = [0, 1].map((gpu) => ({
    gpu,
    samples: 30,
    meanPercent: 62.34 + gpu,
    minPercent: 0,
    maxPercent: 100,
  }));
  const gpus = [{ model: 'L4' }, { model: 'L4' }];
  expect(busyFigures(fakeSummary({ sample: 60 }, { gpuBusy, gpus }))).toEqual([
    { label: 'GPU 0 busy', value: '62.3 %', note: 'mean; 0 %–100 %, sampled' },
    { label: 'GPU 1 busy', value: '63.3 %', note: 'mean; 0 %–100 %, sampled' },
  ]);
});

test('where the GPU’s own records tell it, they do, and not the samples', () => {
  const worked = { gpu: 1, label: 'GPU 1', busyNs: 50, computingNs: 40, overNs: 100 };
  const gpuWorked = [{ ...worked, unknownNs: 0 }];
  expect(busyFigures(fakeSummary({ sample: 60 }, { gpuWorked }))).toEqual([
    {
      label: 'GPU 1 busy',
      value: '50.0 %',
      note: 'computing 40.0 %; exact, by its own records, from its first work to its last',
    },
  ]);
  const lossy = fakeSummary({}, { gpuWorked: [{ ...worked, unknownNs: 10 }] });
  expect(busyFigures(lossy)).toMatchObject([
    {
      value: '≥ 50.0 %',
      note: 'computing ≥ 40.0 %; by its own records, from its first work to its last; in 10.0 % of that time records may be missing',
    },
  ]);
});

test('a trace without samples of the GPU says so', () => {
  expect(busyFigures(fakeSummary({ sample: 60 }))).toEqual([
    {
      label: 'GPU busy',
      value: 'not recorded',
      note: 'this trace has no samples of GPU utilisation',
    },
  ]);
});

test.each([
  [true, 'sums only'],
  [false, 'not recorded'],
])('CUDA calls without a single one: sums are in the file, %s: %s', (hasSummedCalls, value) => {
  const { tables, ...rest } = fakeSummary({}, { hasSummedCalls });
  const cuda_call = {
    ...tables.cuda_call,
    provenance: { kind: 'aggregated', note: 'Kept as sums.' } as const,
  };
  expect(keyFigures({ ...rest, tables: { ...tables, cuda_call } }, [])).toContainEqual({
    label: 'CUDA calls',
    value,
    note: 'Kept as sums.',
  });
});

test('what is known as sums only is no zero', () => {
  const aggregated = { kind: 'aggregated', everyNs: 6e10, note: 'Kept as sums.' } as const;
  const { tables, ...rest } = fakeSummary({ aggregate: 4 });
  const off_cpu = { ...tables.off_cpu, provenance: aggregated };
  expect(keyFigures({ ...rest, tables: { ...tables, off_cpu } }, [])).toContainEqual({
    label: 'Off-CPU intervals',
    value: 'sums only',
    note: 'Kept as sums.',
  });
});

import { expect, test } from 'vitest';
import type { Rank } from '../../../shared/answers/jobs.ts';
import { buildTrace } from '../../testing/build-trace.ts';
import { samplesOf } from './machine-samples.ts';

const rank = { process: -1 } as Rank;

test('a percentage is 100 at most, another figure what it is', () => {
  const values = [50, 277, 90];
  const trace = buildTrace({
    names: [
      ['', 'CPU (%)'],
      ['', 'Swapped in'],
    ],
    rows: {
      sample: [0, 1].flatMap((metric) =>
        values.map((value, at) => ({ startNs: at, metric, value, gpu: -1 })),
      ),
    },
  });
  expect(samplesOf({ trace, rank }, /^CPU/, [0, 9])).toMatchObject({ mean: 80, max: 100 });
  expect(samplesOf({ trace, rank }, /^Swapped/, [0, 9])).toMatchObject({ mean: 139, max: 277 });
});

test('samples of another host say nothing of this one', () => {
  const trace = {
    ...buildTrace({
      processes: [{ pid: 1 }, { pid: 1, host: 1 }],
      names: [['', 'CPU (%)']],
      rows: { sample: [0, 1].map((host) => ({ host, value: 40 * (host + 1), gpu: -1 })) },
    }),
    hosts: [{}, {}],
  };
  const meanOf = (process: number) =>
    samplesOf({ trace, rank: { process } as Rank }, /^CPU/, [0, 9])?.mean;
  expect([meanOf(0), meanOf(1)]).toEqual([40, 80]);
});

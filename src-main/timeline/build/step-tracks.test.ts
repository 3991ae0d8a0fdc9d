import { expect, test } from 'vitest';
import type { Diagnosis } from '../../shared/answers/diagnosis.ts';
import { causeColour } from '../model/colours.ts';
import type { TraceData } from '../model/trace-data.ts';
import type { EventTrack } from '../model/track-model.ts';
import { fakeSummary } from '../testing/fake-summary.ts';
import { durationsOf, startsOf } from '../testing/lane-times.ts';
import { parseFilter } from '../view/track-filter.ts';
import { trackMatcher } from '../view/track-view.ts';
import { buildTrackGroups } from './build-tracks.ts';
import { causesOfSteps, stepAt, stepFacts, stepsOfRanks } from './step-tracks.ts';

const nothing = { other: 0, input: 0, h2d: 0, compute: 0, collective: 0, idle: 0 };
const step = (index: number, startNs: number, endNs: number, split = {}) => ({
  ...{ index, startNs, endNs },
  split: { ...nothing, ...split },
});
const steps = [
  step(0, 0, 10e6, { compute: 10e6 }),
  step(1, 10e6, 50e6, { input: 30e6, h2d: 10e6 }),
];
const rank = (mainThread: number, more: object = {}) => ({
  rank: { label: `Rank ${mainThread}`, mainThread },
  steps: { steps, count: 2, note: 'Found by their calls.', ...more },
  starvation: {},
});
const judged = (...ranks: readonly object[]): TraceData => ({
  traceId: '',
  summary: fakeSummary({}),
  tables: {},
  steps: stepsOfRanks({ ranks } as unknown as Diagnosis),
});
const tracksOf = (data: TraceData) => buildTrackGroups(data)[0]?.tracks as readonly EventTrack[];

test('the steps of a rank are one row on top, found by what they are', () => {
  const data = judged(rank(3));
  const [track] = tracksOf(data);
  if (track === undefined) throw new Error('no steps');
  expect([track.id, track.label, track.detail]).toEqual(['steps:3', 'Steps', '2']);
  const lane = track.summary();
  expect([...startsOf(lane)]).toEqual([0, 10e6]);
  expect([...durationsOf(lane)]).toEqual([10e6, 40e6]);
  expect(track.nameOf(lane, 1)).toBe('Step 2');
  const found = (filter: string) => {
    const groups = buildTrackGroups(data);
    const matches = trackMatcher(groups, parseFilter(filter));
    return groups.flatMap(({ tracks }) => tracks).filter((each) => matches(each, false)).length;
  };
  expect([found('step'), found('dur>20ms'), found('dur>1s')]).toEqual([1, 1, 0]);
});

test('several ranks have a row each; of many steps it is said how many are shown', () => {
  const tracks = tracksOf(judged(rank(1), rank(2, { count: 5_301 })));
  expect(tracks.map(({ label, detail }) => `${label}: ${detail}`)).toEqual([
    ...['Rank 1: 2', 'Rank 2: 2 of 5,301'],
  ]);
});

test('a loop is only called one of training where it is known to be', () => {
  const detail = (...ranks: readonly object[]) => buildTrackGroups(judged(...ranks))[0]?.detail;
  const unknown = rank(2, { loopUnknown: true });
  expect([detail(rank(1)), detail(unknown), detail(rank(1), unknown)]).toEqual([
    ...['of the training loop', 'of the process', ''],
  ]);
});

test('there is no row of steps that were not found, or of a selection of calls', () => {
  expect(buildTrackGroups(judged(rank(1, { steps: [], count: 0 })))).toEqual([]);
  expect(buildTrackGroups(judged(rank(1, { isSelection: true })))).toEqual([]);
  const { steps: _none, ...unjudged } = judged();
  expect(buildTrackGroups(unjudged)).toEqual([]);
});

test('where the GPU is proven to be idle is a row of the GPU, found as what it is', () => {
  const spans = [
    [0, 5e6],
    [20e6, 48e6],
  ];
  const starvation = { note: 'At least this much.', stretches: { spans, count: 2_400 } };
  const data = judged({ ...rank(3), starvation });
  const groups = buildTrackGroups(data);
  expect(groups.map(({ id }) => id)).toEqual(['steps', 'gpu:-1']);
  const [, gpu] = groups;
  const [track] = (gpu?.tracks ?? []) as readonly EventTrack[];
  expect(track?.id).toBe('gpu-idle:3');
  if (track === undefined) throw new Error('no idle time');
  expect([track.label, track.detail, track.badge]).toEqual([
    ...['GPU idle', 'proven, 2 of 2,400', 'at least'],
  ]);
  expect(track.provenance).toBe('At least this much.');
  expect([...durationsOf(track.summary())]).toEqual([5e6, 28e6]);
  const found = (filter: string) => {
    const matches = trackMatcher(groups, parseFilter(filter));
    return groups.flatMap(({ tracks }) => tracks).filter((each) => matches(each, false)).length;
  };
  expect([found('gpu'), found('idle'), found('step')]).toEqual([1, 1, 1]);
  const alone = judged({ ...rank(3, { steps: [], count: 0 }), starvation });
  expect(tracksOf(alone).map(({ id }) => id)).toEqual(['gpu-idle:3']);
});

test('a step has the colour of what most of it went to, and the legend those that there are', () => {
  const [first] = tracksOf(judged(rank(3))) as readonly EventTrack[];
  expect([...(first?.summary().colours ?? [])].at(1)).toBe(causeColour('input'));
  expect(causesOfSteps({ ranks: [rank(3)] } as unknown as Diagnosis)).toEqual(['input', 'compute']);
});

test('a step tells what it went to, the largest part first', () => {
  const data = judged(rank(1), rank(3));
  const told = stepAt(data, 'steps:3', 1);
  expect([told?.mainThread, told?.step.index]).toEqual([3, 1]);
  expect(told && stepFacts(told)).toEqual([
    ['Waiting for input', '75.0 % · 30.00 ms'],
    ['Copying to the GPU', '25.0 % · 10.00 ms'],
  ]);
  expect([stepAt(data, 'steps:3', 2), stepAt(data, 'cuda_call:3', 0)]).toEqual([
    undefined,
    undefined,
  ]);
});

import { expect, test } from 'vitest';
import { smallTimeline } from '../testing/small-timeline.ts';
import { packKinds, packTracks, unpackKinds, unpackTracks } from './packed-tracks.ts';
import { timelineAnswers } from './timeline-answers.ts';

const sent = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;
const timeline = timelineAnswers(smallTimeline());

test('tracks arrive with all that is told of them', () => {
  expect(timeline.tracks.groups.length).toBeGreaterThan(1);
  expect(unpackTracks(sent(packTracks(timeline.tracks)))).toEqual(sent(timeline.tracks));
});

test('kinds of events arrive, of the tracks that have some', () => {
  const asking = timeline.kinds();
  let step = asking.next();
  while (step.done !== true) step = asking.next();
  const told = step.value.filter(({ kinds }) => kinds.length > 0);
  expect(told.length).toBeGreaterThan(1);
  expect(unpackKinds(sent(packKinds(step.value)))).toEqual(sent(told));
});

test('a track with many kinds makes those of no other larger', () => {
  const kindsOf = (count: number) =>
    Array.from({ length: count }, (_, at) => [at, `kind ${at}`, at * 1.5] as const);
  const told = [0, 1, 2, 3].map((track) => ({ track, kinds: kindsOf(track === 2 ? 1_000 : 2) }));
  const packed = packKinds(told);
  expect(packed.kinds.columns.map(({ key }) => key)).toEqual(['track', 'kinds']);
  expect(unpackKinds(sent(packed))).toEqual(told);
});

import { expect, test } from 'vitest';
import type { Diagnosis } from '../../../src-main/shared/answers/diagnosis.ts';
import { pivotKey } from '../../../src-main/shared/answers/range-figures.ts';
import { fail } from '../../../src-main/shared/rpc/result.ts';
import { buildTrackGroups } from '../../../src-main/timeline/build/build-tracks.ts';
import { stepsOfRanks } from '../../../src-main/timeline/build/step-tracks.ts';
import { isEventTrack } from '../../../src-main/timeline/model/track-model.ts';
import { finished } from '../../../src-main/timeline/range/finished.ts';
import { keyOfEvent } from '../../../src-main/timeline/range/range-keys.ts';
import { trackStatistics } from '../../../src-main/timeline/range/track-statistics.ts';
import { unstoredCalls } from '../../../src-main/timeline/range/unstored-calls.ts';
import { smallTimeline } from '../../../src-main/timeline/testing/small-timeline.ts';
import { FakeApi } from '../../state/testing/fake-api.ts';
import { answerTimeline } from '../../state/testing/fake-timeline.ts';
import { Selection } from '../../state/timeline/selection.svelte.ts';
import { TimelineState } from '../../state/timeline/timeline.svelte.ts';
import { TimelineSource } from '../../state/timeline/timeline-source.svelte.ts';
import { rangeFigures } from './range-figures.ts';

const { signal } = new AbortController();

const split = { other: 0, input: 0, h2d: 0, compute: 0, collective: 0, idle: 0 };
const rank = {
  rank: { label: 'Rank 0', mainThread: 0 },
  steps: { steps: [{ index: 0, startNs: 50_000, endNs: 850_000, split }], count: 1, note: '' },
  starvation: {},
};
const range = { startNs: 100_000, endNs: 600_000 };

async function setUp() {
  const steps = stepsOfRanks({ ranks: [rank] } as unknown as Diagnosis);
  const data = { ...smallTimeline(), steps };
  const fake = answerTimeline(new FakeApi(), data);
  const source = new TimelineSource(fake.api, data.traceId, data.summary.lengthNs);
  await source.load();
  const { tables: _, ...view } = data;
  const timeline = new TimelineState(() => view, new Selection(), { source: () => source });
  return { data, fake, timeline, tracks: timeline.allTracks.filter(isEventTrack) };
}

test('a range counts tracks that the page has and those that it asks about as one', async () => {
  const { data, timeline, tracks } = await setUp();
  const whole = buildTrackGroups(data)
    .flatMap((group) => group.tracks)
    .filter(isEventTrack);
  expect(tracks.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
  const pairs = [['name'], ['thread'], ['process'], ['track'], ['name', 'track']] as const;
  for (const keys of pairs) {
    const [key, second] = keys;
    const one = keyOfEvent(data, [key]);
    const other = second === undefined ? undefined : keyOfEvent(data, [second]);
    const steps = trackStatistics(whole, range, (...event) =>
      other === undefined ? one(...event) : pivotKey(one(...event), other(...event)),
    );
    const figures = await rangeFigures(timeline, tracks, range, keys, true, signal);
    expect(figures?.statistics).toEqual(finished(steps));
    expect(figures?.unstored).toEqual([...finished(unstoredCalls(data, range))]);
  }
});

test('of what the page has nothing is asked, and where the rest can’t be asked nothing is told', async () => {
  const { fake, timeline, tracks } = await setUp();
  const own = tracks.filter(({ id }) => id.startsWith('steps:'));
  const told = await rangeFigures(timeline, own, range, ['name'], true, signal);
  expect(told?.statistics).toMatchObject([{ name: 'Step 1', count: 1, totalNs: 500_000 }]);
  expect(fake.namesAsked()).not.toContain('trace.rangeFigures');
  fake.answer('trace.rangeFigures', () => fail('disconnected', 'Connection lost.'));
  expect(await rangeFigures(timeline, tracks, range, ['name'], true, signal)).toBeUndefined();
});

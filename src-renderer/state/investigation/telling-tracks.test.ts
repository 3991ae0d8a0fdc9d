import { expect, test } from 'vitest';
import type { EventRef } from '../../../src-main/shared/model/event-ref.ts';
import { buildLane, ownEvents } from '../../../src-main/timeline/model/pyramid.ts';
import type { TraceData } from '../../../src-main/timeline/model/trace-data.ts';
import type { TrackGroup } from '../../../src-main/timeline/model/track-model.ts';
import { fakeSummary } from '../../../src-main/timeline/testing/fake-summary.ts';
import { durationsOf, startsOf } from '../../../src-main/timeline/testing/lane-times.ts';
import { TimelineAnswers } from '../../../src-main/timeline/tiles/timeline-answers.ts';
import type { TimelineState } from '../timeline/timeline.svelte.ts';
import { tellingTracks } from './telling-tracks.ts';

const lane = buildLane(
  ownEvents({
    startNs: Float64Array.of(10, 20),
    durationNs: Float64Array.of(5, 5),
    rows: Uint32Array.of(0, 1),
    colours: Uint8Array.of(0, 0),
  }),
);
const track = (id: string, more = {}) => ({
  ...{ id, kind: 'states', label: id, detail: '', summary: () => lane, lanes: () => [lane] },
  ...more,
});
const calls = track('cuda_call:1');
const work = track('gpu_work:0');
const first = track('off_cpu:2', { pid: 20 });
const second = track('off_cpu:3', { pid: 30 });
const groups = [
  { id: 'gpu:0', tracks: [track('gpu_busy:0'), work] },
  { id: 'main:0', tracks: [calls, track('off_cpu:1')] },
  { id: 'workers', tracks: [first, second, track('off_cpu:4', { pid: 40 })] },
  { id: 'cpus', tracks: [track('on_cpu:0')] },
] as unknown as TrackGroup[];
const times = { startNs: startsOf(lane), durationNs: durationsOf(lane) };
const tables = {
  cuda_call: { ...times, thread: Int32Array.of(1, 1) },
  off_cpu: { ...times, thread: Int32Array.of(3, 4) },
};
const data: TraceData = { traceId: 't', summary: fakeSummary({}), tables };
const answers = new TimelineAnswers(data);
const chain = { segments: [{ thread: { thread: 3 }, startNs: 0, endNs: 9, cpu: 0 }] };

interface Looked {
  readonly selection?: {
    readonly event: EventRef | undefined;
    readonly range: unknown;
    readonly rangeTracks: readonly string[];
  };
  readonly [more: string]: unknown;
}

/** What tells where `looked` differs from nothing being looked at. */
function telling(looked: Looked, timeline: object = {}): string[] {
  const { event } = looked.selection ?? {};
  const source = { selectedOf: (ref: EventRef) => answers.select(ref) };
  const asked = { source, told: event && answers.select(event), ...timeline };
  const nothing = {
    ...{ data, selection: { event: undefined, range: undefined, rangeTracks: [] } },
    ...{ chain: { asked: undefined, value: undefined }, explanation: { value: undefined } },
    diagnosis: { value: { lead: 0, ranks: [{ rank: { mainThread: 1 } }] } },
  };
  const all = { ...nothing, timeline: asked as unknown as TimelineState, ...looked } as never;
  return tellingTracks(groups, all).map(({ id }) => id);
}
const selected = (table: EventRef['table'], row: number) => ({
  selection: { event: { table, row }, range: undefined, rangeTracks: [] },
});
const explained = { explanation: { value: { call: { row: 0 } } }, chain: { value: chain } };
const ofCall = ['gpu_busy:0', 'cuda_call:1', 'off_cpu:1', 'off_cpu:3', 'on_cpu:0'];

test('nothing tells of nothing', () => {
  expect(telling({})).toEqual([]);
});

test('of a call its thread tells, and once it is explained who it waited for', () => {
  expect(telling(selected('cuda_call', 0))).toEqual([
    ...['gpu_busy:0', 'cuda_call:1', 'off_cpu:1', 'off_cpu:2', 'off_cpu:3', 'off_cpu:4'],
  ]);
  expect(telling({ ...selected('cuda_call', 0), ...explained })).toEqual(ofCall);
  // Another call than the one that is explained still.
  expect(telling({ ...selected('cuda_call', 1), ...explained })).toContain('off_cpu:2');
});

test('as long as it is not known what an event is, nothing tells of it', () => {
  expect(telling(selected('off_cpu', 0), { told: undefined })).toEqual([]);
  // The same call that was explained before: that picture is kept until more is known.
  const hit = { track: calls, lane, index: 0 };
  const looked = { ...selected('cuda_call', 0), ...explained };
  expect(telling(looked, { told: undefined, selected: hit })).toEqual(ofCall);
});

test('what the GPU did for a call stands below it', () => {
  const at = (hit: object) => ({ track: hit, lane, index: 0 });
  const links = { call: at(calls), works: [at(work)] };
  const ids = telling({ ...selected('cuda_call', 0), ...explained }, { links });
  expect(ids).toEqual(['gpu_busy:0', 'cuda_call:1', 'gpu_work:0', ...ofCall.slice(2)]);
});

test('an event on a track of the picture leaves it as it is, any other has its own', () => {
  const hit = { selected: { track: second, lane, index: 0 } };
  expect(telling({ ...selected('off_cpu', 0), ...explained }, hit)).toEqual(ofCall);
  const other = { selected: { track: first, lane, index: 0 } };
  expect(telling({ ...selected('off_cpu', 1), ...explained }, other)).toContain('off_cpu:4');
  // Such as running: no row of a table.
  const worked = { workedOut: { track: second, lane, index: 0 } };
  expect(telling(explained, worked)).toEqual(ofCall);
  const running = { workedOut: { track: { ...first, thread: 2 }, lane, index: 0 } };
  expect(telling({}, running)).toContain('off_cpu:2');
});

test('of a range the training thread tells, of a stretch that was asked for its own', () => {
  const range = { startNs: 0, endNs: 9 };
  const dragged = { event: undefined, range, rangeTracks: ['off_cpu:4'] };
  expect(telling({ selection: { ...dragged, rangeTracks: [] } })).toContain('cuda_call:1');
  const asked = { asked: { thread: 2 }, value: chain };
  // What was dragged over stays on top.
  expect(telling({ selection: dragged, chain: asked }).at(-1)).toBe('off_cpu:4');
  expect(telling({ chain: asked })).toEqual(['gpu_busy:0', 'off_cpu:2', 'off_cpu:3', 'on_cpu:0']);
});

import { formatCount } from '../../../src-main/shared/text/units.ts';
import { busyTrackId, IDLE, idleAt } from '../../../src-main/timeline/build/idle-tracks.ts';
import { stepAt } from '../../../src-main/timeline/build/step-tracks.ts';
import type { TraceView } from '../../../src-main/timeline/model/trace-data.ts';
import type { EventHit } from '../../../src-main/timeline/view/locate-event.ts';
import type { ChainQuestion } from './chain.svelte.ts';

/** The stretch of a rank's time that an event is, where there is one: a step, or a time in which its GPU was idle. */
export function toldStretch(data: TraceView, hit: EventHit): ChainQuestion | undefined {
  const { track, index } = hit;
  const told = stepAt(data, track.id, index);
  if (told !== undefined) {
    const { step, mainThread: thread } = told;
    const title = `Step ${formatCount(step.index + 1)}`;
    return { title, thread, startNs: step.startNs, endNs: step.endNs };
  }
  const idle = idleAt(data, track.id, index) ?? recordedIdleness(data, hit);
  if (idle === undefined || idle.mainThread < 0) return undefined;
  const { mainThread: thread, startNs, endNs } = idle;
  return { title: IDLE, thread, startNs, endNs };
}

/** By the GPU's own records; whose time it is where one rank uses that GPU. */
function recordedIdleness(
  { steps = [] }: TraceView,
  { track, lane, index }: EventHit,
): ReturnType<typeof idleAt> {
  const users = steps.filter(({ gpu }) => gpu !== undefined && track.id === busyTrackId(gpu));
  const [rank, ...others] = users;
  if (rank === undefined || others.length > 0 || track.nameOf(lane, index) !== IDLE)
    return undefined;
  const startNs = lane.times.startNs(index);
  return { mainThread: rank.mainThread, startNs, endNs: startNs + lane.times.durationNs(index) };
}

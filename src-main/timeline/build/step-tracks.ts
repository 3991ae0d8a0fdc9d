import type { Diagnosis } from '../../shared/answers/diagnosis.ts';
import { type Phase, type PhaseSplit, phases } from '../../shared/answers/steps.ts';
import { formatCount, formatDuration, formatShare } from '../../shared/text/units.ts';
import { loopOwner } from '../../shared/words/loop-words.ts';
import { phaseLabels } from '../../shared/words/terms.ts';
import { causeColour } from '../model/colours.ts';
import { buildLane, type EventLane, ownEvents } from '../model/pyramid.ts';
import { remember } from '../model/remember.ts';
import type { StepsOfRank, TraceView } from '../model/trace-data.ts';
import {
  type EventTrack,
  isEventTrack,
  NO_ROW,
  type Track,
  type TrackGroup,
} from '../model/track-model.ts';

/**
 * The steps of each rank, and when its GPU is proven to be idle, as far as a diagnosis found some. What a file kept
 * a selection of has none that could be shown.
 */
export function stepsOfRanks({ ranks }: Diagnosis): readonly StepsOfRank[] {
  return ranks.flatMap(({ rank, steps, starvation }) => {
    const { count, note, isSelection } = steps;
    const { stretches } = starvation;
    const isEmpty = steps.steps.length === 0 && stretches === undefined;
    if (isEmpty || isSelection === true) return [];
    const { label, mainThread, gpu } = rank;
    const idle = stretches && { ...stretches, note: starvation.note };
    const told = { label, mainThread, count, note, owner: loopOwner(steps), steps: steps.steps };
    return [{ ...told, ...(gpu !== undefined && { gpu }), ...(idle && { idle }) }];
  });
}

const STEPS = 'steps:';

export const stepTrackId = (mainThread: number): string => `${STEPS}${mainThread}`;

/** Whether a track shows steps. */
export const isStepTrack = (track: Track): track is EventTrack =>
  track.id.startsWith(STEPS) && isEventTrack(track);

/** One row a rank: its steps, above all else, since all else is told by them. */
export function stepGroup(all: readonly StepsOfRank[]): TrackGroup {
  const ranks = all.filter(({ steps }) => steps.length > 0);
  const tracks = ranks.map((rank) => stepTrack(rank, ranks.length > 1));
  const [owner, ...others] = new Set(ranks.map((rank) => rank.owner));
  const detail = owner === undefined || others.length > 0 ? '' : `of ${owner}`;
  return { id: 'steps', label: 'Steps', detail, tracks };
}

/** A step is coloured by what most of it went to. */
const largestPart = (split: PhaseSplit): Phase =>
  phases.reduce((most, phase) => (split[phase] > split[most] ? phase : most));

/** What some step of a diagnosis mostly went to, in order of `phases`: what the colours of its steps mean. */
export function causesOfSteps({ ranks }: Pick<Diagnosis, 'ranks'>): Phase[] {
  const seen = new Set(
    ranks.flatMap(({ steps }) => steps.steps.map(({ split }) => largestPart(split))),
  );
  return phases.filter((phase) => seen.has(phase));
}

function laneOf(rank: StepsOfRank): EventLane {
  return remember(rank, 'steps', () =>
    buildLane(
      ownEvents({
        startNs: Float64Array.from(rank.steps, ({ startNs }) => startNs),
        durationNs: Float64Array.from(rank.steps, ({ startNs, endNs }) => endNs - startNs),
        rows: new Uint32Array(rank.steps.length).fill(NO_ROW),
        colours: Uint8Array.from(rank.steps, ({ split }) => causeColour(largestPart(split))),
      }),
    ),
  );
}

function stepTrack(rank: StepsOfRank, isOneOfSeveral: boolean): EventTrack {
  const { label, mainThread, count, note, steps } = rank;
  const lane = () => laneOf(rank);
  const longestNs = steps.reduce(
    (longest, { startNs, endNs }) => Math.max(longest, endNs - startNs),
    0,
  );
  const told =
    steps.length < count
      ? `${formatCount(steps.length)} of ${formatCount(count)}`
      : formatCount(count);
  return {
    ...{ id: stepTrackId(mainThread), kind: 'events', expandable: false, badge: '' },
    label: isOneOfSeveral ? label : 'Steps',
    detail: told,
    provenance: note,
    summary: lane,
    lanes: () => [lane()],
    kindOf: () => 0,
    kindName: () => 'step',
    kinds: () => new Map([[0, longestNs]]),
    nameOf: (_, index) => `Step ${formatCount((steps[index]?.index ?? index) + 1)}`,
  };
}

/** A step of a track of steps. */
export interface ToldStep {
  readonly mainThread: number;
  readonly step: StepsOfRank['steps'][number];
}

/** The step that an event of a track is, if that is a track of steps. */
export function stepAt(data: TraceView, trackId: string, index: number): ToldStep | undefined {
  const rank = data.steps?.find(({ mainThread }) => stepTrackId(mainThread) === trackId);
  const step = rank?.steps[index];
  return rank === undefined || step === undefined
    ? undefined
    : { mainThread: rank.mainThread, step };
}

/** What a step went to, as a tooltip lists it: the largest part first. */
export function stepFacts({ step }: ToldStep): (readonly [label: string, value: string])[] {
  const { split, startNs, endNs } = step;
  return phases
    .filter((phase) => split[phase] > 0)
    .toSorted((a, b) => split[b] - split[a])
    .map((phase) => [
      phaseLabels[phase],
      `${formatShare(split[phase], endNs - startNs)} · ${formatDuration(split[phase])}`,
    ]);
}

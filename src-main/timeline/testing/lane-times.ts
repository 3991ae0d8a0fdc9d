import type { EventTimes } from '../model/event-times.ts';

interface Timed {
  readonly times: EventTimes;
}

/** The starts of all events, ns, so that a test can compare them. */
export const startsOf = ({ times }: Timed): Float64Array =>
  Float64Array.from({ length: times.length }, (_, index) => times.startNs(index));

/** How long all events take, ns. */
export const durationsOf = ({ times }: Timed): Float64Array =>
  Float64Array.from({ length: times.length }, (_, index) => times.durationNs(index));

import { GPU_COLOUR } from '../model/colours.ts';
import type { EventColumns } from '../model/event-source.ts';
import { type LaneEvents, ownEvents } from '../model/pyramid.ts';
import { noRows } from '../model/track-model.ts';
import { workColours } from './gpu-work-names.ts';

/** What a GPU did, stretch by stretch: computing, copying and idle tile the trace from its begin to its end. */
export interface BusyStretches {
  readonly computing: LaneEvents;
  /** Copies or fills, and no kernel. */
  readonly copying: LaneEvents;
  /** Both of these, in order of start. */
  readonly busy: LaneEvents;
  readonly idle: LaneEvents;
}

/** Stretches that don't overlap, in order of start; neighbours of one colour are one. */
class Stretches {
  readonly #startNs: number[] = [];
  readonly #durationNs: number[] = [];
  readonly #colours: number[] = [];

  add(startNs: number, endNs: number, colour: number): void {
    if (endNs <= startNs) return;
    const last = this.#startNs.length - 1;
    const goesOn = this.#startNs[last] + this.#durationNs[last] === startNs;
    if (goesOn && this.#colours[last] === colour)
      this.#durationNs[last] = endNs - this.#startNs[last];
    else {
      this.#startNs.push(startNs);
      this.#durationNs.push(endNs - startNs);
      this.#colours.push(colour);
    }
  }

  events(): LaneEvents {
    return ownEvents({
      startNs: Float64Array.from(this.#startNs),
      durationNs: Float64Array.from(this.#durationNs),
      rows: noRows(this.#startNs.length),
      colours: Uint8Array.from(this.#colours),
    });
  }
}

/** The union of `rows`, which are in order of start, told apart by whether a kernel ran. */
export function busyStretches(
  { startNs, durationNs }: EventColumns,
  rows: Uint32Array,
  isCopy: (row: number) => boolean,
  lengthNs: number,
): BusyStretches {
  const [computing, copying, busy, idle] = Array.from({ length: 4 }, () => new Stretches());
  let atNs = 0;
  let kernelEndNs = 0;
  let copyEndNs = 0;
  const runTo = (toNs: number) => {
    const computedNs = between(kernelEndNs, atNs, toNs);
    const copiedNs = between(copyEndNs, computedNs, toNs);
    for (const list of [computing, busy]) list?.add(atNs, computedNs, workColours.kernel);
    for (const list of [copying, busy]) list?.add(computedNs, copiedNs, workColours.copy);
    idle?.add(copiedNs, toNs, GPU_COLOUR);
    atNs = toNs;
  };
  for (const row of rows) {
    runTo(between(startNs[row], atNs, lengthNs));
    const endNs = Math.min(lengthNs, startNs[row] + Math.max(0, durationNs?.[row] ?? 0));
    if (isCopy(row)) copyEndNs = Math.max(copyEndNs, endNs);
    else kernelEndNs = Math.max(kernelEndNs, endNs);
  }
  runTo(lengthNs);
  return {
    computing: computing.events(),
    copying: copying.events(),
    busy: busy.events(),
    idle: idle.events(),
  };
}

const between = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);

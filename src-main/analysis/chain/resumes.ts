import { median } from '../../shared/numbers/percentile.ts';

/** What a worker takes at most to answer without a batch. */
export const ANSWER_NS = 1e6;

/** Of what lies between two askings in the mean of an epoch: all of them together take less than that at its begin. Our own choice. */
const AT_ONCE = 0.2;

/** When a worker put what it put, ns; element k is of its k-th. */
export interface PutTimes {
  /** Since when there was nothing else to do. */
  readonly freeNs: Float64Array;
  /** When it was asked for. */
  readonly startsNs: Float64Array;
  /** When it was handed to the feeder. */
  readonly putsNs: Float64Array;
}

/** A time at which a worker that had nothing to do was asked for something. */
interface Asking {
  readonly worker: number;
  readonly cycle: number;
  readonly atNs: number;
  /** When it was put. */
  readonly putNs: number;
}

/**
 * The answers of workers that live for another epoch (`_ResumeIteration`), by worker, however small their batches are: all
 * workers are told at once, the training process waits until each has answered, and then asks all of them at once for the
 * first batches. Within an epoch it asks for one batch for each that it took. `workers`: all of one generation, two at least.
 */
export function resumesAmong(workers: readonly PutTimes[]): readonly ReadonlySet<number>[] {
  const found = workers.map(() => new Set<number>());
  const askings = workers.flatMap(askingsOf).sort((a, b) => a.atNs - b.atNs);
  if (workers.length < 2) return found;
  const gaps = askings.slice(1).map(({ atNs }, at) => atNs - askings[at].atNs);
  const atOnceNs = (median(gaps, 'upper') ?? 0) * AT_ONCE;
  for (let first = 0; first + workers.length <= askings.length; first++) {
    const told = askings.slice(first, first + workers.length);
    if (told[told.length - 1].atNs - told[0].atNs > atOnceNs) continue;
    if (!isResume(workers, told, atOnceNs)) continue;
    for (const { worker, cycle } of told) found[worker].add(cycle);
    first += workers.length - 1;
  }
  return found;
}

function askingsOf({ freeNs, startsNs, putsNs }: PutTimes, worker: number): Asking[] {
  return Array.from(putsNs, (putNs, cycle) => ({
    worker,
    cycle,
    atNs: startsNs[cycle],
    putNs,
  })).filter(({ cycle, atNs }) => cycle > 0 && atNs > freeNs[cycle]);
}

/** Whether each worker answered at once, and none was asked for its next batch before all had. */
function isResume(
  workers: readonly PutTimes[],
  told: readonly Asking[],
  atOnceNs: number,
): boolean {
  if (new Set(told.map(({ worker }) => worker)).size < workers.length) return false;
  if (told.some(({ atNs, putNs }) => putNs - atNs >= ANSWER_NS)) return false;
  const answeredNs = Math.max(...told.map(({ putNs }) => putNs));
  return told.every(({ worker, cycle }) => {
    const { freeNs, startsNs } = workers[worker];
    const nextNs = startsNs[cycle + 1];
    const hasWaited = nextNs > freeNs[cycle + 1];
    return hasWaited && nextNs >= answeredNs && nextNs - answeredNs <= atOnceNs;
  });
}

import { NONE } from '../../../shared/model/schema.ts';
import { frameAt, isPython } from '../../../shared/model/stacks.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { formatShare } from '../../../shared/text/units.ts';
import { isOwnCode, loaderStacks } from '../../stacks/loader-stacks.ts';
import { placeText } from '../../stacks/place-text.ts';

/** A function that has nearly all samples of its caller is where to look further. */
const NEARLY_ALL = 0.9;
/** Of all samples, for a function to be told wherever it is. */
const MOST = 0.5;
/** What has less is not told, nor are more parts than this. */
const PART_AT_LEAST = 0.05;
const PARTS = 3;
/** A chain of more functions is none that anybody reads: of a longer one the first is told, and the last. */
const CHAIN = 4;
/** Who calls itself has no longer one than this. */
const MOST_STEPS = 50;

/** A function on the way to a sample. */
interface Step {
  /** Its name and file: its lines are one function. */
  readonly name: string;
  /** `decode (data.py:12)`. */
  readonly place: string;
  readonly isOwn: boolean;
}

/** Functions from the dataset's own inwards. */
type Path = readonly Step[];

/** Samples that were in one function. */
interface Part {
  readonly step: Step;
  readonly paths: readonly Path[];
}

/** The stacks of CPU samples: rows of the stacks, -1 = it has none. */
export function sampledStacks({ tables }: Trace, rows: readonly number[]): number[] {
  const { stack } = tables.cpu_sample.columns;
  return rows.map((row) => stack?.[row] ?? NONE);
}

/** Where samples were. */
export interface ItemParts {
  /** `97.0 % were in Images.__getitem__ (data.py:24): decode (data.py:12) 61.0 %`. */
  readonly text: string;
  /** `decode (data.py:12)`: the innermost of the job's own functions that has nearly all of them, or most where that is only what the loader called. */
  readonly inner?: string;
}

/**
 * Where these stacks were: `97.0 % were in Images.__getitem__ (data.py:24): decode (data.py:12) 61.0 %, …`. From what the
 * loader called inwards as long as one function has nearly all of them, then its parts. A library's wrappers around the job's
 * own functions are passed over. `entries`: by stack, the row with what the loader called.
 */
export function itemParts(
  trace: Trace,
  stacks: readonly number[],
  entries: Int32Array = loaderStacks(trace).entry,
): ItemParts | undefined {
  const known = new Map<number, Path>();
  const paths = stacks.map((stack) => {
    const path = known.get(stack) ?? pathOf(trace, stack, entries);
    known.set(stack, path);
    return path;
  });
  const chain: Part[] = [];
  let parts = partsAt(paths, 0);
  while (chain.length < MOST_STEPS && goesOn(parts, chain, paths.length)) {
    chain.push(parts[0]);
    parts = partsAt(parts[0].paths, chain.length);
  }
  if (chain.length === 0) return undefined;
  const places = chain.map(({ step }) => step.place);
  const way = places.length > CHAIN ? [places[0], '…', ...places.slice(1 - CHAIN)] : places;
  const told = parts.filter((part) => part.paths.length >= stacks.length * PART_AT_LEAST);
  const shares = told
    .slice(0, PARTS)
    .map(({ step, paths: own }) => `${step.place} ${formatShare(own.length, stacks.length)}`);
  const share = formatShare(chain[chain.length - 1].paths.length, stacks.length);
  const reached = chain.findLast(({ step }) => step.isOwn)?.step;
  const most = mostWithin(paths);
  const isTold = [...chain, ...told.slice(0, PARTS)].some(
    ({ step }) => step.name === most?.step.name,
  );
  const mostText =
    most === undefined || isTold
      ? ''
      : `; most were in ${most.step.place}, ${formatShare(most.paths.length, stacks.length)}`;
  const inner = chain.length === 1 ? (most?.step ?? reached) : reached;
  return {
    text: `${share} were in ${way.join(' → ')}${shares.length === 0 ? '' : `: ${shares.join(', ')}`}${mostText}`,
    ...(inner !== undefined && { inner: inner.place }),
  };
}

/** The function of the job's own that most samples were in, whoever called it: a chain of generators or wrappers calls it in many ways. */
function mostWithin(paths: readonly Path[]): Part | undefined {
  const within = paths.flatMap((path) => {
    const step = path.findLast(({ isOwn }) => isOwn);
    return step === undefined ? [] : [[step]];
  });
  const [most] = partsAt(within, 0);
  return most !== undefined && most.paths.length >= paths.length * MOST ? most : undefined;
}

function goesOn([first]: readonly Part[], chain: readonly Part[], all: number): boolean {
  if (first === undefined || (chain.length > 0 && !first.step.isOwn)) return false;
  return first.paths.length >= (chain.at(-1)?.paths.length ?? all) * NEARLY_ALL;
}

/** By function at this depth, most first; told with the line that was met most. */
function partsAt(paths: readonly Path[], depth: number): Part[] {
  const deep = paths.filter((path) => depth < path.length);
  const byName = Map.groupBy(deep, (path) => path[depth].name);
  return [...byName.values()]
    .map((own) => ({ step: commonest(own.map((path) => path[depth])), paths: own }))
    .sort((a, b) => b.paths.length - a.paths.length);
}

function commonest(steps: readonly Step[]): Step {
  const counts = new Map<string, number>();
  for (const { place } of steps) counts.set(place, (counts.get(place) ?? 0) + 1);
  return steps.reduce((most, step) =>
    (counts.get(step.place) ?? 0) > (counts.get(most.place) ?? 0) ? step : most,
  );
}

/**
 * The Python functions of `stack` from the one that the loader called inwards, without those of libraries that call the job's
 * own; what is within a function is its own.
 */
function pathOf({ stacks }: Trace, stack: number, entries: Int32Array): Path {
  const entry = entries[stack] ?? NONE;
  const steps: Step[] = [];
  let isOwnWithin = false;
  for (let at = entry === NONE ? NONE : stack; at >= entry && at !== NONE; at = stacks.prefix[at]) {
    const frame = stacks.frame[at];
    if (!isPython(stacks, frame)) continue;
    const isOwn = isOwnCode(frameAt(stacks, frame));
    if (isOwnWithin && !isOwn) continue;
    isOwnWithin ||= isOwn;
    const place = placeText(stacks, frame);
    const name = place.replace(/:\d+\)$/, ')');
    // A comprehension is its function's: the line of the function stands for it. So is who calls itself.
    if (steps.at(-1)?.name === name) steps.pop();
    steps.push({ name, place, isOwn });
  }
  return steps.reverse();
}

import type { InputPart, InputTimeParts } from '../../shared/answers/input-time.ts';
import { NONE } from '../../shared/model/schema.ts';
import { SIGN_LOADER, stackSigns } from '../loop/stack-signs.ts';
import { loaderStacks } from '../stacks/loader-stacks.ts';
import { placeText } from '../stacks/place-text.ts';
import { awaitedFilesText } from './facts/awaited-files.ts';
import { functionOf } from './facts/culprit.ts';
import type { CostCause, CostCell, RankFacts } from './facts/facts.ts';
import { windowNs } from './facts/job-shape.ts';
import { loaderSamples, SAMPLES_AT_LEAST } from './facts/loader-work.ts';
import { sleptFor } from './facts/slept-for.ts';
import { LINE_SHARE, MOST_LINES, TOLD_SHARE } from './host-breakdown.ts';

/** What whoever made the batch did; a cause without words is left to the rest. */
const did: Readonly<Partial<Record<CostCause, string>>> = {
  running: 'was on a CPU',
  'runnable-own': 'waited for a CPU, while other threads of the job ran',
  'runnable-other': 'waited for a CPU, while others ran',
  runnable: 'waited for a CPU, and who had it is not known',
  throttled: 'was held back by a CPU quota',
  'idle-cpu': 'was about to come on a CPU that was idle',
  stolen: 'was on a CPU that another virtual machine had',
  stopped: 'was stopped from outside',
  fault: 'was in the kernel for a page of memory',
  disk: 'waited for a disk',
  sleeping: 'slept',
  lock: 'waited for a lock',
  'shared-lock': 'waited for a lock between processes',
  starting: 'was starting',
  sending: 'sent the batch',
  'waiting-for-index': 'had not been told what to load',
  'off-cpu': 'was off the CPU, and why is not known',
  allocation: 'allocated memory of the GPU, or pinned memory',
  device: 'waited for the GPU',
};

/** Of the loop’s main thread, where workers make the batches. */
const loopDid: typeof did = {
  ...did,
  running: 'was on a CPU, in the loader',
  starting: 'started workers',
};

/** What the loop waited for as input, told by findings or not; undefined where that is little. */
export function inputBreakdown(facts: RankFacts): InputTimeParts | undefined {
  const ns = facts.split.input;
  const lengthNs = windowNs(facts);
  const { isSelection, serves } = facts.steps;
  if (isSelection === true || serves === true) return undefined;
  if (!(ns > 0) || ns < lengthNs * TOLD_SHARE) return undefined;
  const leastNs = lengthNs * LINE_SHARE;
  const parts = partsOf(facts, leastNs)
    .filter((part) => part.ns >= leastNs)
    .sort((a, b) => b.ns - a.ns)
    .slice(0, MOST_LINES);
  if (parts.length === 0) return undefined;
  const toldNs = parts.reduce((sum, part) => sum + part.ns, 0);
  return { ns, parts, restNs: Math.max(0, ns - toldNs) };
}

/** Of what took less than `leastNs` in all nothing is looked up. */
function partsOf(facts: RankFacts, leastNs: number): InputPart[] {
  const cells = facts.costs.filter(({ phase }) => phase === 'input');
  const alike = Map.groupBy(cells, ({ whose, cause }) => `${whose} ${cause}`);
  return [...alike.values()].flatMap((own) => {
    const ns = own.reduce((sum, cell) => sum + cell.ns, 0);
    if (ns < leastNs) return [];
    return textsOf(facts, own).map(({ text, share }) => ({ text, ns: Math.round(ns * share) }));
  });
}

interface Told {
  readonly text: string;
  /** Of the cells that it tells of, 0…1. */
  readonly share: number;
}

/** `cells` have one cause. */
function textsOf(facts: RankFacts, cells: readonly CostCell[]): Told[] {
  const [{ whose, cause }] = cells;
  const makes = whose === 'worker' || facts.workers.length === 0;
  const what = (makes ? did : loopDid)[cause];
  if (what === undefined) return [];
  const who = whose === 'worker' ? 'a worker' : 'the loop itself';
  const text = `${who} ${what}`;
  if (cause === 'running' && makes) {
    const places = placesOfMaking(facts);
    if (places.length > 0)
      return places.map(({ place, share }) => ({ text: `${text}, in ${place}`, share }));
  }
  if (cause === 'disk' && makes) {
    const files = awaitedFilesText(facts);
    return [{ text: files === undefined ? text : `${text}, ${files}`, share: 1 }];
  }
  if (cause === 'sleeping') {
    const most = cells.reduce((first, cell) => (cell.ns > first.ns ? cell : first));
    const waited = sleptFor(facts, most.events);
    return [{ text: waited === undefined ? text : `${text}, waiting for ${waited}`, share: 1 }];
  }
  return [{ text, share: 1 }];
}

interface PlaceShare {
  readonly place: string;
  readonly share: number;
}

/** In which functions CPU samples found those who make batches; empty where there are too few. */
function placesOfMaking(facts: RankFacts): PlaceShare[] {
  const { byStage, count } = loaderSamples(facts);
  if (count < SAMPLES_AT_LEAST) return [];
  const isWorkers = facts.workers.length > 0;
  // Of a loop without workers, what it does for no batch has no place here.
  const beside = isWorkers ? byStage.loader : loaderOnly(facts, byStage.elsewhere);
  const places = [
    ...[...byStage.item, ...byStage.collate].map((row) => ownPlace(facts, row)),
    ...byStage['default-collate'].map(() => 'default_collate, which joins samples to a batch'),
    ...beside.map(() => (isWorkers ? 'the loader’s own code' : 'the loader, its sampler included')),
    ...(isWorkers ? byStage.unknown.map(() => 'code that no Python function is seen to call') : []),
  ];
  const byFunction = Map.groupBy(places, functionOf);
  return [...byFunction.values()].map((own) => ({
    place: commonest(own),
    share: own.length / places.length,
  }));
}

/** Those of `rows` of cpu_sample that are in the loader. */
function loaderOnly({ trace }: RankFacts, rows: readonly number[]): number[] {
  const { signs } = stackSigns(trace);
  const { stack } = trace.tables.cpu_sample.columns;
  return rows.filter((row) => signs[stack?.[row] ?? NONE] === SIGN_LOADER);
}

/** The innermost function of the job’s own, else the one that the loader called. */
function ownPlace({ trace }: RankFacts, row: number): string {
  const { stacks, tables } = trace;
  const stack = tables.cpu_sample.columns.stack?.[row] ?? NONE;
  const { own, entry } = loaderStacks(trace);
  const at = [own[stack], entry[stack]].find((place) => (place ?? NONE) !== NONE) ?? NONE;
  return at === NONE ? 'the dataset' : placeText(stacks, stacks.frame[at]);
}

function commonest(places: readonly string[]): string {
  const counts = Map.groupBy(places, (place) => place);
  const [[place]] = [...counts].sort((a, b) => b[1].length - a[1].length);
  return place;
}

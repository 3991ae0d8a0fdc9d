import type { FlameFrame, FlameQuery, FlameTree } from '../../shared/answers/flame.ts';
import type { Stacks } from '../../shared/model/stacks.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { FlameBuilder, heaviestFirst, type NodeLists } from './flame-builder.ts';
import { unitOf, visitEvents } from './flame-events.ts';
import { type FlameFunctions, flameFunctions } from './flame-functions.ts';

/** Nodes sent at most, and nodes built at most before the lightest are cut. */
const MAX_NODES = 50_000;
const MAX_BUILT = 4 * MAX_NODES;
const MAX_LINES = 8;

/** What the events of a query come to, by their stacks. */
interface StackSums {
  readonly weight: Float64Array;
  readonly count: Float64Array;
  readonly totalWeight: number;
  readonly withoutStack: { events: number; weight: number };
}

/**
 * The tree of frames of the events that `query` asks for; `undefined` where it asks for a function
 * that is in none of their stacks. Events are summed by stack first, so that each stack is walked
 * once; only the order of time needs a walk for every change of stack.
 */
export function flameTree(
  trace: Trace,
  query: FlameQuery,
  maxNodes = MAX_NODES,
): FlameTree | undefined {
  const functions = flameFunctions(trace);
  const sums = sumByStack(trace, query);
  const builder = new FlameBuilder(Math.max(MAX_BUILT, 4 * maxNodes));
  const weight =
    query.order === 'time'
      ? addInTime(trace, query, functions, builder)
      : addPaths(query, functions, sums, builder);
  if (weight === undefined) return undefined;
  const built = builder.finish(maxNodes);
  return pack(trace, query, query.order === 'time' ? built : heaviestFirst(built), weight, sums);
}

function sumByStack(trace: Trace, query: FlameQuery): StackSums {
  const stacks = trace.stacks.length;
  const weight = new Float64Array(stacks);
  const count = new Float64Array(stacks);
  const withoutStack = { events: 0, weight: 0 };
  let totalWeight = 0;
  visitEvents(trace, query, (stack, value) => {
    if (stack >= 0 && stack < stacks) {
      weight[stack] += value;
      count[stack]++;
      totalWeight += value;
    } else {
      withoutStack.events++;
      withoutStack.weight += value;
    }
  });
  return { weight, count, totalWeight, withoutStack };
}

function addInTime(
  trace: Trace,
  query: FlameQuery,
  functions: FlameFunctions,
  builder: FlameBuilder,
): number {
  let sum = 0;
  let last = -1;
  let path = functions.pathOf(last);
  visitEvents(trace, query, (stack, value) => {
    if (stack !== last) path = functions.pathOf(stack);
    last = stack;
    if (path.length === 0) return;
    builder.add(path, value, 1);
    sum += value;
  });
  return sum;
}

interface WeighedPath {
  readonly path: Int32Array;
  readonly weight: number;
  readonly count: number;
}

/** Adds each stack once, equal beginnings side by side; gives the weight of all that were added. */
function addPaths(
  { order, symbol, file }: FlameQuery,
  functions: FlameFunctions,
  { weight, count }: StackSums,
  builder: FlameBuilder,
): number | undefined {
  const paths: WeighedPath[] = [];
  const wanted = order === 'heavy' ? [] : functions.find(symbol ?? '', file);
  count.forEach((events, stack) => {
    if (events === 0) return;
    const whole = functions.pathOf(stack);
    const path = order === 'heavy' ? whole : partOf(whole, order, wanted);
    if (path !== undefined) paths.push({ path, weight: weight[stack], count: events });
  });
  if (order !== 'heavy' && paths.length === 0) return undefined;
  paths.sort((a, b) => comparePaths(a.path, b.path));
  let sum = 0;
  for (const each of paths) {
    builder.add(each.path, each.weight, each.count);
    sum += each.weight;
  }
  return sum;
}

/**
 * What a sandwich shows of a stack: the callees below the outermost of the wanted functions, or from
 * the innermost up to the outermost caller. So a function that calls itself counts once an event.
 */
function partOf(
  path: Int32Array,
  order: 'time' | 'callers' | 'callees',
  wanted: readonly number[],
): Int32Array | undefined {
  const isWanted = (id: number) => wanted.includes(id);
  const at = order === 'callees' ? path.findIndex(isWanted) : path.findLastIndex(isWanted);
  if (at < 0) return undefined;
  const part = order === 'callees' ? path.slice(at) : path.slice(0, at + 1).reverse();
  // Functions of one name in several files have one root.
  part[0] = wanted[0] as number;
  return part;
}

function comparePaths(a: Int32Array, b: Int32Array): number {
  const length = Math.min(a.length, b.length);
  for (let depth = 0; depth < length; depth++) {
    const difference = (a[depth] as number) - (b[depth] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** The tree as it is sent, with those functions only that are in it. */
function pack(
  trace: Trace,
  query: FlameQuery,
  nodes: NodeLists,
  weight: number,
  sums: StackSums,
): FlameTree {
  const functions = flameFunctions(trace);
  const places = new Map<number, number>();
  const list = (column: Int32Array | Float64Array) => Array.from(column.subarray(0, nodes.length));
  const frame = list(nodes.frame).map((id) => {
    const place = places.get(id) ?? places.size;
    places.set(id, place);
    return place;
  });
  const self = list(nodes.self);
  const lines = linesOf(trace.stacks, functions, sums, places);
  return {
    unit: unitOf[query.weight],
    frames: [...places.keys()].map((id, place) => named(functions, id, lines[place])),
    parent: list(nodes.parent),
    frame,
    total: list(nodes.total),
    self,
    count: list(nodes.count),
    totalWeight: sums.totalWeight,
    withoutStack: sums.withoutStack,
    cutWeight: weight - self.reduce((sum, each) => sum + each, 0),
  };
}

/** The lines that each function was executing in the stacks of these events. */
function linesOf(
  { prefix, frame, frames }: Stacks,
  { ofFrame }: FlameFunctions,
  { count }: StackSums,
  places: ReadonlyMap<number, number>,
): Set<number>[] {
  const all = Array.from(places, () => new Set<number>());
  const isOnStack = Uint8Array.from(count, (events) => (events > 0 ? 1 : 0));
  const isSeen = new Uint8Array(frames.length);
  // Callers stand before what they called.
  for (let stack = isOnStack.length - 1; stack >= 0; stack--) {
    if (isOnStack[stack] === 0) continue;
    isSeen[frame[stack]] = 1;
    if (prefix[stack] >= 0) isOnStack[prefix[stack]] = 1;
  }
  isSeen.forEach((seen, at) => {
    const place = places.get(ofFrame[at]);
    if (seen && place !== undefined && frames.line[at] > 0) all[place]?.add(frames.line[at]);
  });
  return all;
}

function named(
  functions: FlameFunctions,
  id: number,
  lines: ReadonlySet<number> = new Set(),
): FlameFrame {
  const frame = functions.named(id);
  const sorted = [...lines].sort((a, b) => a - b).slice(0, MAX_LINES);
  const [line] = sorted;
  return {
    ...frame,
    ...(lines.size === 1 && line !== undefined && { line }),
    ...(lines.size > 1 && { lines: sorted }),
  };
}

import type { FlameFrame, FlameQuery, FlameTree } from '../../shared/answers/flame.ts';
import type { FlameWeight } from '../../shared/library/view.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { FlameBuilder, heaviestFirst, type NodeLists } from './flame-builder.ts';
import { unitOf, visitEvents } from './flame-events.ts';
import { flameFunctions } from './flame-functions.ts';
import { FlameMoments } from './flame-moments.ts';
import { type FlamePaths, flamePaths } from './flame-paths.ts';
import { type RolePaths, rolePaths } from './role-paths.ts';

/** Nodes sent at most, and nodes built at most before the lightest are cut. */
const MAX_NODES = 50_000;
const MAX_BUILT = 4 * MAX_NODES;
const MAX_LINES = 8;

/** What the events of a query come to, by their paths. */
interface PathSums {
  readonly weight: Float64Array;
  readonly count: Float64Array;
  readonly totalWeight: number;
  readonly withoutStack: { events: number; weight: number };
}

/**
 * The tree of frames of the events that `query` asks for; `undefined` where it asks for a function
 * that is in none of their stacks. Events are summed by path first, so that each path is walked
 * once; only the order of time needs a walk for every change of path.
 */
export function flameTree(
  trace: Trace,
  query: FlameQuery,
  maxNodes = MAX_NODES,
): FlameTree | undefined {
  const isByRole = query.byRole === true && query.order === 'heavy';
  const byRole = isByRole ? rolePaths(trace, query.weight) : undefined;
  const paths = byRole ?? flamePaths(trace, query.weight);
  const sums = sumByPath(trace, query, paths.length, byRole);
  const builder = new FlameBuilder(Math.max(MAX_BUILT, 4 * maxNodes));
  const moments = new FlameMoments();
  const weight =
    query.order === 'time'
      ? addInTime(trace, query, paths, builder, moments)
      : addPaths(query, paths, sums, builder);
  if (weight === undefined) return undefined;
  const built = builder.finish(maxNodes);
  const nodes = query.order === 'time' ? built : heaviestFirst(built);
  const tree = pack(trace, query.weight, paths, nodes, weight, sums);
  return query.order === 'time' ? { ...tree, moments: moments.finish(weight) } : tree;
}

function sumByPath(
  trace: Trace,
  query: FlameQuery,
  paths: number,
  byRole: RolePaths | undefined,
): PathSums {
  const weight = new Float64Array(paths);
  const count = new Float64Array(paths);
  const withoutStack = { events: 0, weight: 0 };
  let totalWeight = 0;
  visitEvents(trace, query, (own, value, thread) => {
    const path = byRole === undefined ? own : byRole.numberOf(own, thread);
    if (path >= 0 && path < paths) {
      weight[path] += value;
      count[path]++;
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
  paths: FlamePaths,
  builder: FlameBuilder,
  moments: FlameMoments,
): number {
  let sum = 0;
  let last = -1;
  let functions = paths.pathOf(last);
  visitEvents(trace, query, (path, value, _, startNs, endNs) => {
    if (path !== last) functions = paths.pathOf(path);
    last = path;
    if (functions.length === 0) return;
    builder.add(functions, value, 1);
    moments.add(sum, startNs, endNs);
    sum += value;
  });
  return sum;
}

interface WeighedPath {
  readonly path: Int32Array;
  readonly weight: number;
  readonly count: number;
}

/** Adds each path once, equal beginnings side by side; gives the weight of all that were added. */
function addPaths(
  { order, symbol, file }: FlameQuery,
  { find, pathOf }: FlamePaths,
  { weight, count }: PathSums,
  builder: FlameBuilder,
): number | undefined {
  const found: WeighedPath[] = [];
  const wanted = order === 'heavy' ? [] : find(symbol ?? '', file);
  count.forEach((events, at) => {
    if (events === 0) return;
    const whole = pathOf(at);
    const path = order === 'heavy' ? whole : partOf(whole, order, wanted);
    if (path !== undefined) found.push({ path, weight: weight[at], count: events });
  });
  if (order !== 'heavy' && found.length === 0) return undefined;
  found.sort((a, b) => comparePaths(a.path, b.path));
  let sum = 0;
  for (const each of found) {
    builder.add(each.path, each.weight, each.count);
    sum += each.weight;
  }
  return sum;
}

/**
 * What a sandwich shows of a path: the callees below the outermost of the wanted functions, or from
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
  kind: FlameWeight,
  paths: FlamePaths,
  nodes: NodeLists,
  weight: number,
  sums: PathSums,
): FlameTree {
  const places = new Map<number, number>();
  const list = (column: Int32Array | Float64Array) => Array.from(column.subarray(0, nodes.length));
  const frame = list(nodes.frame).map((id) => {
    const place = places.get(id) ?? places.size;
    places.set(id, place);
    return place;
  });
  const self = list(nodes.self);
  const lines = linesOf(trace, paths, sums, places);
  return {
    weight: kind,
    unit: unitOf[kind],
    frames: [...places.keys()].map((id, place) => named(paths, id, lines[place])),
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
  trace: Trace,
  { stackOf }: FlamePaths,
  { count }: PathSums,
  places: ReadonlyMap<number, number>,
): Set<number>[] {
  const all = Array.from(places, () => new Set<number>());
  const { prefix, frame, frames } = trace.stacks;
  const { ofFrame } = flameFunctions(trace);
  const isOnStack = new Uint8Array(trace.stacks.length);
  count.forEach((events, path) => {
    if (events > 0) isOnStack[stackOf(path)] = 1;
  });
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

function named(paths: FlamePaths, id: number, lines: ReadonlySet<number> = new Set()): FlameFrame {
  const frame = paths.named(id);
  const sorted = [...lines].sort((a, b) => a - b).slice(0, MAX_LINES);
  const [line] = sorted;
  return {
    ...frame,
    ...(lines.size === 1 && line !== undefined && { line }),
    ...(lines.size > 1 && { lines: sorted }),
  };
}

import type { FlameFrame } from '../shared/answers/flame.ts';
import type { RunFlame } from '../shared/answers/flame-difference.ts';

/** One of the two trees, on the scale on which they are compared. */
export interface Side {
  readonly flame: RunFlame;
  /** By frame, what it has in common with the same function of the other run. */
  readonly keys: readonly string[];
  /** By which its weights are multiplied. */
  readonly scale: number;
}

/** Nodes of both trees, parents first. */
export interface Merged {
  readonly parent: number[];
  readonly frame: number[];
  readonly count: number[];
  readonly sides: readonly [MergedSide, MergedSide];
}
type MergedSide = { readonly total: number[]; readonly self: number[]; readonly count: number[] };

export interface MergedFlames {
  readonly frames: readonly FlameFrame[];
  readonly merged: Merged;
}

/** Two trees in one, with the weights of each on its scale; preorder, the child first that is heaviest in both together. */
export function mergeFlames(sides: readonly [Side, Side]): MergedFlames {
  return heaviestFirst(mergeTrees(sides));
}

function mergeTrees(sides: readonly [Side, Side]): MergedFlames {
  const frames: FlameFrame[] = [];
  const frameOf = new Map<string, number>();
  const nodeOf = new Map<string, number>();
  const empty = (): MergedSide => ({ total: [], self: [], count: [] });
  const merged: Merged = { parent: [], frame: [], count: [], sides: [empty(), empty()] };
  sides.forEach(({ flame: { tree }, keys, scale }, at) => {
    const places: number[] = [];
    tree.parent.forEach((above, node) => {
      const own = tree.frame[node] ?? 0;
      const parent = above < 0 ? -1 : (places[above] ?? -1);
      const frame = known(
        frameOf,
        keys[own] ?? '',
        () => frames.push(tree.frames[own] as FlameFrame) - 1,
      );
      const place = known(nodeOf, `${parent} ${frame}`, () => addNode(merged, parent, frame));
      places[node] = place;
      const side = merged.sides[at] as MergedSide;
      add(side.total, place, (tree.total[node] ?? 0) * scale);
      add(side.self, place, (tree.self[node] ?? 0) * scale);
      add(side.count, place, tree.count[node] ?? 0);
      add(merged.count, place, tree.count[node] ?? 0);
    });
  });
  return { frames, merged };
}

function known(map: Map<string, number>, key: string, make: () => number): number {
  const place = map.get(key) ?? make();
  map.set(key, place);
  return place;
}

function add(list: number[], at: number, value: number): void {
  list[at] = (list[at] ?? 0) + value;
}

function addNode({ parent, frame, count, sides }: Merged, above: number, of: number): number {
  for (const side of sides) for (const list of [side.total, side.self, side.count]) list.push(0);
  frame.push(of);
  count.push(0);
  return parent.push(above) - 1;
}

function heaviestFirst({ frames, merged }: MergedFlames): MergedFlames {
  const [one, other] = merged.sides;
  const weightOf = (node: number) => (one.total[node] ?? 0) + (other.total[node] ?? 0);
  const below: number[][] = Array.from({ length: merged.parent.length + 1 }, () => []);
  merged.parent.forEach((above, node) => {
    below[above + 1]?.push(node);
  });
  const order: number[] = [];
  const places: number[] = [];
  const waiting = sortedLast(0);
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    places[node] = order.push(node) - 1;
    waiting.push(...sortedLast(node + 1));
  }
  function sortedLast(group: number): number[] {
    return (below[group] ?? []).toSorted((a, b) => weightOf(a) - weightOf(b) || b - a);
  }
  const moved = (list: readonly number[]) => order.map((node) => list[node] ?? 0);
  const side = ({ total, self, count }: MergedSide): MergedSide => ({
    total: moved(total),
    self: moved(self),
    count: moved(count),
  });
  return {
    frames,
    merged: {
      parent: moved(merged.parent).map((above) => (above < 0 ? -1 : (places[above] ?? -1))),
      frame: moved(merged.frame),
      count: moved(merged.count),
      sides: [side(one), side(other)],
    } satisfies Merged,
  };
}

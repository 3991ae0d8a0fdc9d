import { type HierarchyRectangularNode, hierarchy, partition } from 'd3-hierarchy';
import type { FlameTree } from '../../src-main/shared/answers/flame.ts';
import { upperBoundBy } from '../../src-main/shared/numbers/bisect.ts';

/** Where each node of a flame graph stands: across as shares of the whole (0…1), down as a row. */
export interface FlameLayout {
  readonly tree: FlameTree;
  readonly left: Float64Array;
  readonly right: Float64Array;
  readonly row: Uint16Array;
  /** The nodes of each row from left to right. */
  readonly rows: readonly (readonly number[])[];
  /** What the full width stands for. */
  readonly whole: number;
}

/** Above all roots: the width they share. */
const GROUND = -1;

/** Lays a tree out so that widths are weights, of which `whole` is the full width. */
export function layoutFlame(tree: FlameTree, whole: number): FlameLayout {
  const length = tree.parent.length;
  const below: number[][] = Array.from({ length: length + 1 }, () => []);
  tree.parent.forEach((above, node) => {
    below[above + 1]?.push(node);
  });
  const root = hierarchy(GROUND, (node) => below[node + 1]);
  root.each((node) => {
    // Set, not summed: of what was cut, the weight stays with the node above it.
    Object.assign(node, { value: node.data === GROUND ? whole : (tree.total[node.data] ?? 0) });
  });
  const layout: FlameLayout & { rows: number[][] } = {
    tree,
    left: new Float64Array(length),
    right: new Float64Array(length),
    row: new Uint16Array(length),
    rows: [],
    whole,
  };
  // Row by row, from left to right: what has no width stays where rounding would move it.
  for (const node of partition<number>().size([1, 1])(root)) place(layout, node);
  return layout;
}

function place(
  layout: FlameLayout & { rows: number[][] },
  { data, depth, x0, x1 }: HierarchyRectangularNode<number>,
): void {
  if (data === GROUND) return;
  layout.left[data] = x0;
  layout.right[data] = x1;
  layout.row[data] = depth - 1;
  const row = layout.rows[depth - 1] ?? [];
  layout.rows[depth - 1] = row;
  row.push(data);
}

/** The index in a row of the first node that ends behind `share`. */
export function firstEndingAfter(
  { right }: FlameLayout,
  row: readonly number[],
  share: number,
): number {
  return upperBoundBy(row, share, (node) => right[node]);
}

/** The node at a place; `undefined` where there is none. */
export function nodeAt(layout: FlameLayout, share: number, row: number): number | undefined {
  const nodes = layout.rows[row];
  if (nodes === undefined) return undefined;
  const node = nodes[firstEndingAfter(layout, nodes, share)];
  return node !== undefined && layout.left[node] <= share ? node : undefined;
}

export type FlameStep = 'parent' | 'child' | 'previous' | 'next';

/** The node a step leads to from `node`; the node itself where there is none that way. */
export function stepFrom(layout: FlameLayout, node: number, step: FlameStep): number {
  const { tree, rows, row } = layout;
  const above = tree.parent[node] ?? GROUND;
  if (step === 'parent') return above === GROUND ? node : above;
  if (step === 'child') return heaviestChild(layout, node) ?? node;
  const nodes = rows[row[node]] ?? [];
  return nodes[nodes.indexOf(node) + (step === 'next' ? 1 : -1)] ?? node;
}

/** The heaviest node under another, or of the first row. */
export function heaviestChild({ tree, rows, row }: FlameLayout, node?: number): number | undefined {
  const below = (rows[node === undefined ? 0 : row[node] + 1] ?? []).filter(
    (child) => node === undefined || tree.parent[child] === node,
  );
  return below.reduce<number | undefined>(
    (best, child) =>
      best === undefined || (tree.total[child] ?? 0) > (tree.total[best] ?? 0) ? child : best,
    undefined,
  );
}

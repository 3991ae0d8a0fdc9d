import type { FlameFrame, FlameTree } from '../../shared/answers/flame.ts';

export const python = (symbol: string, file = 'train.py'): FlameFrame => ({
  symbol,
  file,
  language: 'python',
});
export const native = (symbol: string): FlameFrame => ({
  symbol,
  file: 'libtorch.so',
  language: 'native',
});

/** A tree for tests from paths, outermost frame first, each with its own weight; equal paths are joined. */
export function fakeFlame(
  paths: readonly (readonly [frames: readonly FlameFrame[], self: number])[],
): FlameTree {
  const frames: FlameFrame[] = [];
  const nodes = new Map<string, number>();
  const parent: number[] = [];
  const frame: number[] = [];
  const total: number[] = [];
  const self: number[] = [];
  for (const [path, weight] of paths) {
    let above = -1;
    for (const each of path) {
      const known = frames.findIndex(
        ({ symbol, file }) => symbol === each.symbol && file === each.file,
      );
      const at = known < 0 ? frames.push(each) - 1 : known;
      const key = `${above} ${at}`;
      const node = nodes.get(key) ?? parent.push(above) - 1;
      nodes.set(key, node);
      frame[node] = at;
      total[node] = (total[node] ?? 0) + weight;
      self[node] ??= 0;
      above = node;
    }
    self[above] = (self[above] ?? 0) + weight;
  }
  const totalWeight = paths.reduce((sum, [, weight]) => sum + weight, 0);
  return {
    weight: 'cuda-time',
    unit: 'ns',
    frames,
    parent,
    frame,
    total,
    self,
    count: total.map(() => 1),
    totalWeight,
    withoutStack: { events: 0, weight: 0 },
    cutWeight: 0,
  };
}

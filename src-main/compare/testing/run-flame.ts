import type { FlameFrame, FlameTree } from '../../shared/answers/flame.ts';
import type { RunFlame } from '../../shared/answers/flame-difference.ts';

/** `main (train.py)` is Python, `copy_ (libtorch.so)` native, `gemm (GPU)` what the GPU ran. */
function frameNamed(name: string): FlameFrame {
  const [, symbol = name, file] = /^(.*) \((.*)\)$/.exec(name) ?? [];
  if (file === 'GPU') return { symbol, language: 'gpu' };
  const language = file?.endsWith('.py') === true ? 'python' : 'native';
  return { symbol, language, ...(file !== undefined && { file }) };
}

/** A run from its stacks in the folded format, each with its weight and how many events it has. */
export function runFlame(
  stacks: Readonly<Record<string, readonly [weight: number, count: number]>>,
  {
    weight = 'cuda-time',
    ...run
  }: Partial<Omit<RunFlame, 'tree'>> & Partial<Pick<FlameTree, 'weight'>> = {},
): RunFlame {
  const frames: FlameFrame[] = [];
  const lists = {
    parent: [] as number[],
    frame: [] as number[],
    total: [] as number[],
    self: [] as number[],
    count: [] as number[],
  };
  const frameOf = new Map<string, number>();
  const nodeOf = new Map<string, number>();
  for (const [stack, [value, count]] of Object.entries(stacks)) {
    let above = -1;
    for (const name of stack.split(';')) {
      const frame = frameOf.get(name) ?? frames.push(frameNamed(name)) - 1;
      frameOf.set(name, frame);
      const key = `${above} ${frame}`;
      const node = nodeOf.get(key) ?? lists.parent.push(above) - 1;
      nodeOf.set(key, node);
      lists.frame[node] = frame;
      lists.total[node] = (lists.total[node] ?? 0) + value;
      lists.count[node] = (lists.count[node] ?? 0) + count;
      lists.self[node] ??= 0;
      above = node;
    }
    lists.self[above] = (lists.self[above] ?? 0) + value;
  }
  const totalWeight = Object.values(stacks).reduce((sum, [value]) => sum + value, 0);
  const unit = weight === 'cpu-samples' ? 'samples' : weight === 'cuda-bytes' ? 'bytes' : 'ns';
  return {
    tree: {
      weight,
      unit,
      frames,
      ...lists,
      totalWeight,
      withoutStack: { events: 0, weight: 0 },
      cutWeight: 0,
    },
    lengthNs: 1e9,
    ...run,
  };
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FlameQuery, FlameTree } from '../../shared/answers/flame.ts';
import { codeOf, gpuWorkKinds } from '../../shared/model/codes.ts';
import { type Frame, framesOf } from '../../shared/model/stacks.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { buildTrace, type Row } from '../testing/build-trace.ts';
import { flameTree } from './flame.ts';

const python = (symbol: string, line: number, file = 'train.py'): Frame => ({
  symbol,
  file,
  line,
  language: 'python',
});
const native = (symbol: string): Frame => ({ symbol, file: 'libtorch.so', language: 'native' });

const main = python('main', 1);
const stacks = [
  [native('copy_+0x57'), python('to_device', 62), main],
  [native('copy_+0x60'), python('to_device', 63), main],
  [native('sync'), main],
  [native('copy_'), python('f', 1), python('g', 2), python('f', 3), main],
];
const calls: Row<'cuda_call'>[] = [
  { startNs: 0, durationNs: 10, stack: 0, bytes: 100 },
  { startNs: 2, durationNs: 5, stack: 2, parent: 0, bytes: 100 },
  { startNs: 20, durationNs: 5, stack: 1, bytes: -1 },
  { startNs: 30, durationNs: 40, stack: 2, bytes: 7, thread: 1 },
  { startNs: 80, durationNs: 2, stack: 0, bytes: 1 },
  { startNs: 90, durationNs: 3, stack: -1, bytes: -1 },
].map((row) => ({ thread: 0, parent: -1, ...row }));

const plan = { threads: [{}, {}], stacks, rows: { cuda_call: calls } };

/** A tree as text: `name total/self ×count`, indented. */
function drawn(trace: Trace, query: Partial<FlameQuery>): string[] {
  const tree = treeOf(trace, query);
  const depth: number[] = [];
  return tree.parent.map((above, node) => {
    depth[node] = above < 0 ? 0 : (depth[above] ?? 0) + 1;
    const { symbol } = tree.frames[tree.frame[node]];
    return `${' '.repeat(depth[node])}${symbol} ${tree.total[node]}/${tree.self[node]} ×${tree.count[node]}`;
  });
}

function treeOf(trace: Trace, query: Partial<FlameQuery>, maxNodes?: number): FlameTree {
  const tree = flameTree(trace, { weight: 'cuda-time', order: 'heavy', ...query }, maxNodes);
  if (tree === undefined) throw new Error('no tree');
  return tree;
}

describe('a flame graph', () => {
  const trace = buildTrace(plan);

  test('puts the heaviest child first, joins lines and offsets, leaves out nested calls', () => {
    expect(drawn(trace, {})).toEqual([
      'main 57/0 ×4',
      ' sync 40/40 ×1',
      ' to_device 17/0 ×3',
      '  copy_ 17/17 ×3',
    ]);
    const { withoutStack, totalWeight, frames, unit } = treeOf(trace, {});
    expect({ withoutStack, totalWeight, unit }).toEqual({
      withoutStack: { events: 1, weight: 3 },
      totalWeight: 57,
      unit: 'ns',
    });
    expect(frames[0]).toEqual({ ...main, line: 1 });
    expect(frames.find(({ symbol }) => symbol === 'to_device')).toEqual({
      symbol: 'to_device',
      file: 'train.py',
      language: 'python',
      lines: [62, 63],
    });
  });

  test('keeps the order of time, neighbours joined', () => {
    expect(drawn(trace, { order: 'time' })).toEqual([
      'main 57/0 ×4',
      ' to_device 15/0 ×2',
      '  copy_ 15/15 ×2',
      ' sync 40/40 ×1',
      ' to_device 2/0 ×1',
      '  copy_ 2/2 ×1',
    ]);
  });

  test('counts the part inside a range, and one thread only where asked', () => {
    expect(drawn(trace, { range: { startNs: 5, endNs: 32 } })).toEqual([
      'main 12/0 ×3',
      ' to_device 10/0 ×2',
      '  copy_ 10/10 ×2',
      ' sync 2/2 ×1',
    ]);
    expect(drawn(trace, { thread: 1 })).toEqual(['main 40/0 ×1', ' sync 40/40 ×1']);
  });

  test('weighs by bytes, of calls that have a size', () => {
    expect(drawn(trace, { weight: 'cuda-bytes' })).toEqual([
      'main 108/0 ×3',
      ' to_device 101/0 ×2',
      '  copy_ 101/101 ×2',
      ' sync 7/7 ×1',
    ]);
  });

  test('counts samples, and off-CPU time by its own stacks', () => {
    const rows = {
      cpu_sample: [0, 1, 2].map((startNs) => ({ startNs, thread: 0, stack: 2 })),
      off_cpu: [{ startNs: 1, durationNs: 9, thread: 0, stack: 0 }],
    };
    const other = buildTrace({ ...plan, rows });
    expect(drawn(other, { weight: 'cpu-samples' })[1]).toBe(' sync 3/3 ×3');
    expect(drawn(other, { weight: 'off-cpu-time' })[2]).toBe('  copy_ 9/9 ×1');
    expect(treeOf(other, {}).parent).toEqual([]);
  });

  test('shows callers and callees of one function, recursion once an event', () => {
    const recursive = buildTrace({
      ...plan,
      rows: { cuda_call: [{ startNs: 0, durationNs: 8, thread: 0, parent: -1, stack: 3 }] },
    });
    const f = { symbol: 'f', file: 'train.py' };
    expect(drawn(recursive, { order: 'callees', ...f })).toEqual([
      'f 8/0 ×1',
      ' g 8/0 ×1',
      '  f 8/0 ×1',
      '   copy_ 8/8 ×1',
    ]);
    expect(drawn(recursive, { order: 'callers', ...f })).toEqual([
      'f 8/0 ×1',
      ' g 8/0 ×1',
      '  f 8/0 ×1',
      '   main 8/8 ×1',
    ]);
    const query = { weight: 'cuda-time', order: 'callers', symbol: 'f' } as const;
    expect(flameTree(recursive, { ...query, file: 'other.py' })).toBeUndefined();
    expect(flameTree(trace, query)).toBeUndefined();
  });

  test('reads mangled names, and keeps the symbol', () => {
    const symbol = '_ZN2at6native5copy_ERNS_6TensorERKS1_b';
    const mangled = buildTrace({
      stacks: [[native(`${symbol}+0x57`)]],
      rows: { cuda_call: [{ startNs: 0, durationNs: 4, thread: 0, parent: -1, stack: 0 }] },
    });
    expect(treeOf(mangled, {}).frames).toEqual([
      {
        symbol,
        file: 'libtorch.so',
        language: 'native',
        demangled: 'at::native::copy_(at::Tensor&, at::Tensor const&, bool)',
      },
    ]);
  });

  test('of a trace without stacks is empty, and says how much it leaves out', () => {
    const none = buildTrace({ rows: { cuda_call: [{ startNs: 0, durationNs: 4, thread: 0 }] } });
    expect(treeOf(none, {})).toMatchObject({
      frames: [],
      parent: [],
      totalWeight: 0,
      withoutStack: { events: 1, weight: 4 },
    });
  });
});

describe('the GPU time of kernels and copies', () => {
  const mangled = '_ZN2at6native13reduce_kernelILi4EfEEvPT0_i';
  const names = [
    ['CUDA', mangled],
    ['CUDA', 'gemm'],
    ['CUDA', 'Memcpy HtoD (Pageable -> Device)'],
    ['CUDA', 'Memset'],
    ['CUDA', 'CUDA graph 3'],
    ['CUDA', 'cudaLaunchKernel'],
  ] as const;
  const [reduce, gemm] = [0, 1].map((op) => ({ kind: codeOf(gpuWorkKinds, 'kernel'), op, gpu: 0 }));
  const copied = { kind: codeOf(gpuWorkKinds, 'copy'), op: 2, gpu: 0, direction: 1 };
  const filled = { kind: codeOf(gpuWorkKinds, 'fill'), op: 3, gpu: 0 };
  const graph = { kind: codeOf(gpuWorkKinds, 'graph'), op: 4, gpu: 0 };
  const asked: Row<'cuda_call'>[] = [
    { startNs: 0, durationNs: 10, stack: 0, thread: 0, parent: -1 },
    // A driver call without a stack of its own has that of the call around it.
    { startNs: 1, durationNs: 2, stack: -1, thread: 0, parent: 0 },
    { startNs: 20, durationNs: 5, stack: 2, thread: 1, parent: -1 },
    { startNs: 30, durationNs: 5, stack: -1, thread: 1, parent: -1 },
  ].map((row) => ({ op: 5, ...row }));
  const work: Row<'gpu_work'>[] = [
    { startNs: 5, durationNs: 100, call: 1, ...reduce },
    { startNs: 25, durationNs: 40, call: 2, ...gemm },
    { startNs: 70, durationNs: 8, call: 2, ...graph },
    { startNs: 80, durationNs: 60, call: 0, ...copied },
    { startNs: 85, durationNs: 7, call: 0, ...filled },
    { startNs: 90, durationNs: 3, call: 3, ...gemm },
    { startNs: 95, durationNs: 4, call: -1, ...gemm },
    { startNs: 99, durationNs: 2, call: 99, ...gemm },
  ].map((row) => ({ direction: 0, ...row }));
  const trace = buildTrace({ ...plan, names, rows: { cuda_call: asked, gpu_work: work } });

  test('is below the stack of the call that asked for it, by what the GPU ran', () => {
    expect(drawn(trace, { weight: 'gpu-time' })).toEqual([
      'main 215/0 ×5',
      ' to_device 167/0 ×3',
      '  copy_ 167/0 ×3',
      `   ${mangled} 100/100 ×1`,
      '   Copy H2D 60/60 ×1',
      '   Fill 7/7 ×1',
      ' sync 48/0 ×2',
      '  gemm 40/40 ×1',
      '  CUDA graph 8/8 ×1',
      'cudaLaunchKernel, stack not recorded 3/0 ×1',
      ' gemm 3/3 ×1',
    ]);
    const tree = treeOf(trace, { weight: 'gpu-time' });
    expect(tree.totalWeight).toBe(218);
    // Of these the call is not known.
    expect(tree.withoutStack).toEqual({ events: 2, weight: 6 });
    expect(tree.frames.filter(({ language }) => language === 'gpu')).toEqual([
      {
        ...{ symbol: mangled, language: 'gpu' },
        demangled: 'void at::native::reduce_kernel<4, float>(float*, int)',
      },
      { symbol: 'Copy H2D', language: 'gpu' },
      { symbol: 'Fill', language: 'gpu' },
      { symbol: 'gemm', language: 'gpu' },
      { symbol: 'CUDA graph', language: 'gpu' },
    ]);
    // The lines of the functions above are those of the stacks.
    expect(tree.frames.find(({ symbol }) => symbol === 'to_device')?.line).toBe(62);
  });

  test('counts with the part inside a range, for one thread', () => {
    const range = { startNs: 50, endNs: 75 };
    expect(drawn(trace, { weight: 'gpu-time', range })).toEqual([
      'main 45/0 ×3',
      ' to_device 25/0 ×1',
      '  copy_ 25/0 ×1',
      `   ${mangled} 25/25 ×1`,
      ' sync 20/0 ×2',
      '  gemm 15/15 ×1',
      '  CUDA graph 5/5 ×1',
    ]);
    expect(drawn(trace, { weight: 'gpu-time', thread: 1, order: 'time' })).toEqual([
      'main 48/0 ×2',
      ' sync 48/0 ×2',
      '  gemm 40/40 ×1',
      '  CUDA graph 8/8 ×1',
      'cudaLaunchKernel, stack not recorded 3/0 ×1',
      ' gemm 3/3 ×1',
    ]);
  });

  test('of a kernel, who asked for it; of a function, what the GPU ran for it', () => {
    expect(drawn(trace, { weight: 'gpu-time', order: 'callers', symbol: mangled })).toEqual([
      `${mangled} 100/0 ×1`,
      ' copy_ 100/0 ×1',
      '  to_device 100/0 ×1',
      '   main 100/100 ×1',
    ]);
    const sync = { symbol: 'sync', file: 'libtorch.so' };
    expect(drawn(trace, { weight: 'gpu-time', order: 'callees', ...sync })).toEqual([
      'sync 48/0 ×2',
      ' gemm 40/40 ×1',
      ' CUDA graph 8/8 ×1',
    ]);
    // In calls there are no kernels.
    const query = { weight: 'cuda-time', order: 'callers', symbol: mangled } as const;
    expect(flameTree(trace, query)).toBeUndefined();
  });
});

const anyFrame = fc.record({
  symbol: fc.constantFrom('a', 'b', 'c', 'd+0x1f'),
  file: fc.constantFrom('x.py', 'y.py'),
  line: fc.integer({ min: 1, max: 3 }),
  language: fc.constant('python' as const),
});
const anyTrace = fc
  .record({
    stacks: fc.array(fc.array(anyFrame, { maxLength: 6 }), { minLength: 1, maxLength: 8 }),
    calls: fc.array(
      fc.record({
        startNs: fc.integer({ min: 0, max: 1000 }),
        durationNs: fc.integer({ min: 0, max: 300 }),
        stack: fc.integer({ min: -1, max: 7 }),
        thread: fc.integer({ min: 0, max: 1 }),
        parent: fc.constantFrom(-1, -1, -1, 0),
        bytes: fc.integer({ min: -1, max: 50 }),
      }),
      { maxLength: 40 },
    ),
  })
  .map(({ stacks: given, calls: rows }) => {
    rows.sort((a, b) => a.startNs - b.startNs);
    return buildTrace({
      threads: [{}, {}],
      stacks: given,
      rows: {
        cuda_call: rows.map((row) => ({ ...row, stack: Math.min(row.stack, given.length - 1) })),
      },
    });
  });
const anyOrder = fc.constantFrom('time' as const, 'heavy' as const);
const anyWeight = fc.constantFrom('cuda-time' as const, 'cuda-bytes' as const);
const anyRange = fc
  .tuple(fc.integer({ min: 0, max: 1300 }), fc.integer({ min: 0, max: 1300 }))
  .map(([a, b]) => ({ startNs: Math.min(a, b), endNs: Math.max(a, b) }));
type TimeWindow = NonNullable<FlameQuery['range']>;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The weight of all events of a range, one by one. */
function expectedTotal(
  trace: Trace,
  weight: string,
  { startNs: from, endNs: to }: TimeWindow,
): number {
  const { startNs, durationNs, parent, bytes } = trace.tables.cuda_call.columns;
  return sum(
    Array.from(startNs, (start, row) => {
      if ((parent?.[row] ?? -1) >= 0) return 0;
      if (weight === 'cuda-time')
        return Math.max(0, Math.min(start + durationNs[row], to) - Math.max(start, from));
      return start >= from && start < to ? Math.max(0, bytes?.[row] ?? 0) : 0;
    }),
  );
}

interface Group {
  readonly name: string;
  readonly total: number;
  readonly count: number;
  readonly below: readonly Group[];
}
type Path = readonly [names: readonly string[], weight: number];

const nameOf = ({ symbol, file }: Pick<Frame, 'symbol' | 'file'>) =>
  `${symbol.replace('+0x1f', '')} ${file}`;

/** The path and weight of each event with a stack, in order of start. */
function pathsInTime(trace: Trace): Path[] {
  const { parent, stack, durationNs } = trace.tables.cuda_call.columns;
  return Array.from(stack ?? []).flatMap((at, row): Path[] => {
    const frames = framesOf(trace.stacks, at);
    if (frames.length === 0 || (parent?.[row] ?? -1) >= 0) return [];
    return [[frames.map(nameOf).reverse(), durationNs[row]]];
  });
}

/** Groups paths by their first name: neighbours only, or all of one name. */
function groupEvents(paths: readonly Path[], onlyNeighbours: boolean): Group[] {
  const groups: { name: string; paths: Path[] }[] = [];
  let current: { name: string; paths: Path[] } | undefined;
  for (const [[name, ...rest], weight] of paths) {
    if (name === undefined) {
      current = undefined;
      continue;
    }
    if (!onlyNeighbours) current = groups.find((group) => group.name === name);
    if (current?.name !== name) {
      current = { name, paths: [] };
      groups.push(current);
    }
    current.paths.push([rest, weight]);
  }
  return groups.map((group) => ({
    name: group.name,
    total: sum(group.paths.map(([, weight]) => weight)),
    count: group.paths.length,
    below: groupEvents(group.paths, onlyNeighbours),
  }));
}

/** Heaviest first; of equal weight by name, as the tree's own order of these is not of interest. */
function heaviest(groups: readonly Group[]): Group[] {
  return groups
    .map((group) => ({ ...group, below: heaviest(group.below) }))
    .sort((a, b) => b.total - a.total || a.name.localeCompare(b.name));
}

const isHeaviestFirst = (groups: readonly Group[]): boolean =>
  groups.every(
    ({ total, below }, at) => total <= (groups[at - 1]?.total ?? total) && isHeaviestFirst(below),
  );

function asGroups(tree: FlameTree): Group[] {
  const below: Group[][] = [[], ...tree.parent.map((): Group[] => [])];
  tree.parent.forEach((above, node) => {
    const name = nameOf(tree.frames[tree.frame[node]]);
    const { total, count } = { total: tree.total[node], count: tree.count[node] };
    below[above + 1]?.push({ name, total, count, below: below[node + 1] ?? [] });
  });
  return below[0] ?? [];
}

describe('whatever the trace', () => {
  test('what is shown, cut and without a stack comes to all events of the range', () => {
    fc.assert(
      fc.property(
        anyTrace,
        anyOrder,
        anyWeight,
        anyRange,
        fc.integer({ min: 1, max: 12 }),
        (trace, order, weight, range, max) => {
          const tree = treeOf(trace, { order, weight, range }, max);
          expect(tree.parent.length).toBeLessThanOrEqual(max);
          expect(sum(tree.self) + tree.cutWeight + tree.withoutStack.weight).toBe(
            expectedTotal(trace, weight, range),
          );
          expect(sum(tree.self) + tree.cutWeight).toBe(tree.totalWeight);
        },
      ),
    );
  });

  test('children never exceed their parent, and parents stand first', () => {
    fc.assert(
      fc.property(anyTrace, anyOrder, fc.integer({ min: 1, max: 12 }), (trace, order, max) => {
        const tree = treeOf(trace, { order }, max);
        const below = tree.self.slice();
        tree.parent.forEach((above, node) => {
          expect(above).toBeLessThan(node);
          if (above >= 0) below[above] = (below[above] ?? 0) + (tree.total[node] ?? 0);
        });
        below.forEach((weight, node) => {
          expect(weight).toBeLessThanOrEqual(tree.total[node] ?? 0);
        });
      }),
    );
  });

  test('both orders are what grouping the events one by one comes to', () => {
    fc.assert(
      fc.property(anyTrace, anyOrder, (trace, order) => {
        const tree = treeOf(trace, { order });
        const grouped = groupEvents(pathsInTime(trace), order === 'time');
        const shown = asGroups(tree);
        if (order === 'time') expect(shown).toEqual(grouped);
        else {
          expect(heaviest(shown)).toEqual(heaviest(grouped));
          expect(isHeaviestFirst(shown)).toBe(true);
        }
      }),
    );
  });

  test('callers and callees of a function come to the same, and no more than all', () => {
    fc.assert(
      fc.property(anyTrace, fc.constantFrom('a', 'b', 'd'), anyRange, (trace, symbol, range) => {
        const [callers, callees] = (['callers', 'callees'] as const).map((order) =>
          flameTree(trace, { weight: 'cuda-time', order, symbol, range }),
        );
        expect(callers === undefined).toBe(callees === undefined);
        if (callers === undefined || callees === undefined) return;
        expect(callers.total[0]).toBe(callees.total[0]);
        expect(callers.count[0]).toBe(callees.count[0]);
        expect(callers.total[0]).toBeLessThanOrEqual(callers.totalWeight);
        expect(callers.parent.filter((above) => above < 0)).toHaveLength(1);
      }),
    );
  });

  test('a range split in two has the same weight', () => {
    fc.assert(
      fc.property(anyTrace, anyWeight, anyRange, fc.nat(), (trace, weight, range, cut) => {
        const middle = range.startNs + (cut % (range.endNs - range.startNs + 1));
        const weightOf = (startNs: number, endNs: number) => {
          const tree = treeOf(trace, { weight, range: { startNs, endNs } });
          return tree.totalWeight + tree.withoutStack.weight;
        };
        expect(weightOf(range.startNs, middle) + weightOf(middle, range.endNs)).toBe(
          weightOf(range.startNs, range.endNs),
        );
      }),
    );
  });
});

test('a machine’s graph holds what its own threads did', () => {
  const trace = buildTrace({
    ...plan,
    processes: [{ pid: 7 }, { pid: 7, host: 1 }],
    threads: [{ process: 0 }, { process: 1 }],
  });
  const weightOn = (host: number) => treeOf(trace, { host }).totalWeight;
  expect([weightOn(0), weightOn(1)]).toEqual([17, 40]);
});

describe('a flame graph by role', () => {
  const child: Frame = {
    symbol: 'BaseProcess._bootstrap',
    file: '/usr/lib/python3.11/multiprocessing/process.py',
    language: 'python',
  };
  const decode: Frame = { symbol: 'decode', file: 'data.py', language: 'python' };
  const processes = [
    { pid: 1, role: 'main' as const },
    { pid: 2, role: 'dataloader-worker' as const, parent: 0 },
    { pid: 3, role: 'dataloader-worker' as const, parent: 0 },
  ];
  const threads = [
    ...[0, 1, 2].map((process) => ({ process, role: processes[process].role })),
    { process: 0, role: 'pin-memory' as const },
  ];
  // A forked worker has the stack of its parent above its own.
  const forked = [decode, child, main];
  const sample = (thread: number, stack: number) => ({ startNs: 0, thread, stack });
  const of = (...cpu_sample: ReturnType<typeof sample>[]) =>
    buildTrace({ processes, threads, stacks: [[main], forked, [decode]], rows: { cpu_sample } });
  const byRole = { weight: 'cpu-samples', byRole: true } as const;

  test('has the roles side by side, and workers from their birth on', () => {
    const trace = of(sample(0, 0), sample(1, 1), sample(2, 1), sample(2, 1), sample(3, 2));
    expect(drawn(trace, byRole)).toEqual([
      '2 DataLoader workers 3/0 ×3',
      ' BaseProcess._bootstrap 3/0 ×3',
      '  decode 3/3 ×3',
      'Training process 1/0 ×1',
      ' main 1/1 ×1',
      'Pin-memory thread 1/0 ×1',
      ' decode 1/1 ×1',
    ]);
    expect(treeOf(trace, byRole).frames[0].language).toBe('role');
    expect(treeOf(trace, byRole).frames[0].role).toBe('dataloader-worker');
  });

  test('in no order a forked worker stands below its parent', () => {
    const trace = of(sample(0, 0), sample(1, 1), sample(0, 0));
    expect(drawn(trace, { weight: 'cpu-samples' })[0]).toBe('main 2/2 ×2');
    const inTime = { weight: 'cpu-samples', order: 'time' } as const;
    expect(drawn(trace, inTime)).toEqual([
      'main 1/1 ×1',
      'BaseProcess._bootstrap 1/0 ×1',
      ' decode 1/1 ×1',
      'main 1/1 ×1',
    ]);
    const callers = { weight: 'cpu-samples', order: 'callers', symbol: 'decode' } as const;
    expect(drawn(trace, callers)).toEqual(['decode 1/0 ×1', ' BaseProcess._bootstrap 1/1 ×1']);
  });

  test('has no roles where all is of one', () => {
    expect(drawn(of(sample(1, 1), sample(2, 1)), byRole)[0]).toBe('BaseProcess._bootstrap 2/0 ×2');
  });

  test('knows nothing of who runs where a thread is not known, and says so', () => {
    const trace = of(sample(0, 0), sample(-1, 2));
    expect(drawn(trace, byRole)).toContain('Other process 1/0 ×1');
  });

  test('leaves the weight as it is', () => {
    const anySample = fc.tuple(fc.integer({ min: -1, max: 3 }), fc.integer({ min: -1, max: 2 }));
    fc.assert(
      fc.property(fc.array(anySample), (samples) => {
        const trace = of(...samples.map(([thread, stack]) => sample(thread, stack)));
        const [told, plain] = [byRole, { weight: 'cpu-samples' } as const].map((query) => {
          const { totalWeight, withoutStack, parent, total } = treeOf(trace, query);
          const roots = total.filter((_, node) => parent[node] < 0);
          return { totalWeight, withoutStack, drawn: roots.reduce((sum, each) => sum + each, 0) };
        });
        expect(told).toEqual(plain);
      }),
    );
  });
});

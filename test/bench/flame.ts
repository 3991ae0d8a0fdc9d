import { flameTree } from '../../src-main/analysis/flame/flame.ts';
import { buildTrace } from '../../src-main/analysis/testing/build-trace.ts';
import { allocateColumns } from '../../src-main/shared/model/columns.ts';
import { type Frame, framesOf } from '../../src-main/shared/model/stacks.ts';
import type { Trace } from '../../src-main/shared/model/trace.ts';
import { StackBuilder } from '../../src-main/trace/build/stacks.ts';
import { median } from '../support/median.ts';

/**
 * The tree of a flame graph against walking the stack of every event into a tree of Maps, on the
 * same 2 million calls with 5,000 stacks, 10 to 29 deep. Prints figures; asserts none.
 */

const CALLS = 2_000_000;
const STACKS = 5_000;
const RUNS = 5;

let seed = 7;
function random(below: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
}

/** A stack that shares its outer frames with others, leaf first. */
function stack(): Frame[] {
  let place = 0;
  return Array.from({ length: 10 + random(20) }, (_, depth): Frame => {
    place = (place * 31 + random(depth < 6 ? 2 : 3)) % 997;
    const symbol = `f${depth}_${place}`;
    return { symbol, file: `m${place % 20}.py`, line: 1 + random(50), language: 'python' };
  }).reverse();
}

function makeTrace(): Trace {
  const builder = new StackBuilder();
  const stacks = Array.from({ length: STACKS }, () => builder.add(stack()));
  const trace = { ...buildTrace({ threads: [{}] }), stacks: builder.build() };
  const columns = allocateColumns('cuda_call', CALLS, ['stack', 'parent']);
  for (let row = 0; row < CALLS; row++) {
    columns.startNs[row] = row * 100;
    columns.durationNs[row] = random(90);
    if (columns.stack !== undefined)
      columns.stack[row] = stacks[(Math.floor(row / 7) * 13 + random(3)) % STACKS] ?? -1;
  }
  const table = { ...trace.tables.cuda_call, rows: CALLS, columns };
  return { ...trace, tables: { ...trace.tables, cuda_call: table } };
}

interface MapNode {
  total: number;
  readonly below: Map<string, MapNode>;
}

function walkEveryEvent({ tables, stacks }: Trace): MapNode {
  const root: MapNode = { total: 0, below: new Map() };
  const { durationNs, stack: stackOf } = tables.cuda_call.columns;
  for (let row = 0; row < CALLS; row++) {
    let at = root;
    for (const { symbol, file } of framesOf(stacks, stackOf?.[row] ?? -1).toReversed()) {
      const key = `${symbol}\\n${file}`;
      const next = at.below.get(key) ?? { total: 0, below: new Map() };
      at.below.set(key, next);
      next.total += durationNs[row];
      at = next;
    }
  }
  return root;
}

/** CPU time in ms: other programs on the machine do not count. */
function cpuMs(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  return process.cpuUsage(before).user / 1000;
}

const trace = makeTrace();
const orders = ['heavy', 'callers', 'callees', 'time'] as const;
const symbol = trace.stacks.texts[4] ?? '';
const naive = cpuMs(() => walkEveryEvent(trace));
console.log(`every event walked: ${naive.toFixed(0)} ms of CPU`);
for (const order of orders) {
  const query = { weight: 'cuda-time', order, symbol } as const;
  const times = Array.from({ length: RUNS }, () => cpuMs(() => flameTree(trace, query)));
  const [first = 0] = times;
  const usual = median(times);
  const ratio = (naive / usual).toFixed(0);
  console.log(
    `${order}: first ${first.toFixed(0)} ms, median ${usual.toFixed(0)} ms, ${ratio} times faster`,
  );
}

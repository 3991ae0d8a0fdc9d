import fc from 'fast-check';
import {
  type ColumnArray,
  type Columns,
  columnArray,
  storedType,
} from '../../shared/model/columns.ts';
import { columnsOf } from '../../shared/model/columns-of.ts';
import { NONE, type TableName, tableNames } from '../../shared/model/schema.ts';
import type { Frame } from '../../shared/model/stacks.ts';
import {
  type ProcessInfo,
  type Provenance,
  roles,
  type SourceFinding,
  type SourceFindingOccurrence,
  schedulingPolicies,
  type Table,
  type ThreadInfo,
  type Trace,
} from '../../shared/model/trace.ts';
import { orderByStart } from '../build/sort-rows.ts';
import { StackBuilder } from '../build/stacks.ts';
import { codeCount, type EventColumn, eventColumns } from '../formats/stalltrace/schema.ts';

/** Arbitrary traces for property tests: every table, columns absent at random. */

const text = fc.string({ unit: 'grapheme-ascii', maxLength: 12 });
const ns = fc.integer({ min: 0, max: 2 ** 50 });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const role = fc.constantFrom(...roles);

/** Objects without the keys whose value is `undefined`: exactOptionalPropertyTypes tells them apart. */
function compact<T extends object>(value: T): T {
  const known = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(known) as T;
}

const provenance: fc.Arbitrary<Provenance> = fc
  .record({
    kind: fc.constantFrom('exact', 'partial', 'sampled', 'aggregated', 'inferred' as const),
    everyNs: optional(ns),
    note: text,
  })
  .map((value) => compact(value) as Provenance);

const frame = fc
  .record({
    symbol: text,
    file: optional(text),
    line: optional(fc.nat()),
    language: fc.constantFrom('python' as const, 'native' as const),
  })
  .map((value) => compact(value) as Frame);

/** How many there are of each, at least. */
interface Counts {
  readonly host: number;
  readonly process: number;
  readonly context: number;
  readonly thread: number;
  readonly name: number;
  readonly stream: number;
  readonly stack: number;
  readonly gpu: number;
}

const counts: Counts = {
  host: 2,
  process: 2,
  context: 2,
  thread: 3,
  name: 4,
  stream: 2,
  stack: 2,
  gpu: 2,
};

/** With two frames there are two stacks at least: the leaf's and its caller's. */
const stacks = fc
  .array(fc.array(frame, { minLength: counts.stack, maxLength: 4 }), { minLength: 1, maxLength: 3 })
  .map((lists) => {
    const builder = new StackBuilder();
    for (const frames of lists) builder.add(frames);
    return builder.build();
  });

const lifetime = { startNs: optional(ns), endNs: optional(ns) };

/** A number of the host, of the container only, or both. */
const numbers = fc.constantFrom('host', 'inside', 'both');
const hostOf = fc.constantFrom(undefined, 1);

const processInfo = fc
  .record({
    host: hostOf,
    pid: fc.nat(),
    known: numbers,
    job: optional(fc.constant(0)),
    name: text,
    commandLine: optional(text),
    parent: fc.constantFrom(NONE, 0),
    role,
    roleBasis: text,
    cgroup: optional(text),
    cpusAllowed: optional(text),
    groupCpus: optional(text),
    pinnedNodes: optional(text),
    cpuQuota: optional(fc.double({ min: 0.01, max: 1024, noNaN: true })),
    rank: optional(fc.nat()),
    localRank: optional(fc.nat()),
    worldSize: optional(fc.nat()),
    ...lifetime,
  })
  .map(({ known, ...value }) => {
    const inside = known === 'both' ? { namespacePid: value.pid + 1 } : {};
    const only = known === 'inside' ? { namespaced: true as const } : {};
    return compact({ ...value, ...inside, ...only }) as ProcessInfo;
  });

const thread = fc
  .record({
    tid: fc.nat(),
    known: numbers,
    process: fc.constant(0),
    name: text,
    role,
    policy: optional(fc.constantFrom(...schedulingPolicies)),
    priority: optional(fc.integer({ min: 1, max: 99 })),
    nice: optional(fc.integer({ min: -20, max: 19 })),
    ...lifetime,
  })
  .map(({ known, ...value }) => {
    const inside = known === 'both' ? { namespaceTid: value.tid + 1 } : {};
    const only = known === 'inside' ? { namespaced: true as const } : {};
    return compact({ ...value, ...inside, ...only }) as ThreadInfo;
  });

const wideNs = optional(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }));
const reading = fc
  .record({ startNs: ns, monotonicNs: wideNs, bootNs: wideNs, rawNs: wideNs, realNs: wideNs })
  .map(compact);
const clock = fc
  .record({
    host: hostOf,
    offsetNs: fc.integer({ min: -(2 ** 52), max: 2 ** 52 }),
    uncertaintyNs: optional(ns),
    readings: fc.array(reading, { maxLength: 2 }),
  })
  .map(compact);
const cpu = fc
  .record({
    host: hostOf,
    number: fc.nat(),
    core: optional(fc.nat()),
    package: optional(fc.nat()),
    numaNode: optional(fc.nat()),
  })
  .map(compact);
const gpu = fc
  .record({
    host: hostOf,
    model: text,
    uuid: optional(text),
    memoryBytes: optional(ns),
    driver: optional(text),
    pciBusId: optional(text),
    numaNode: optional(fc.nat()),
  })
  .map(compact);
const context = fc.record({
  process: fc.constantFrom(NONE, 1),
  gpu: fc.constantFrom(NONE, 0),
});
const stream = fc.record({ name: text, context: fc.constantFrom(NONE, 1) });

function cellArbitrary(column: EventColumn, counts: Counts): fc.Arbitrary<number> {
  const { cell, spec } = column;
  const lowest = spec.none ?? 0;
  switch (cell) {
    case 'code':
      return fc.nat({ max: codeCount(spec.unit) - 1 });
    case 'integer':
      return fc.integer({ min: lowest, max: spec.type === 'f64' ? 2 ** 51 : 2 ** 31 - 1 });
    case 'number':
      return fc.integer({ min: -1000, max: 2 ** 50 }).map((value) => value / 8);
    case 'cuda_call':
    case 'range':
      return fc.constant(NONE);
    default:
      return fc.integer({ min: lowest, max: counts[cell] - 1 });
  }
}

type TableColumns = Record<string, ColumnArray>;

function sortColumns(columns: TableColumns): TableColumns {
  const starts = columns.startNs as Float64Array;
  const order = orderByStart(starts);
  if (order === undefined) return columns;
  const sorted = Object.entries(columns).map(([name, from]) => {
    const to = from.slice();
    for (let row = 0; row < order.length; row++) to[row] = from[order[row] as number] as number;
    return [name, to] as const;
  });
  return Object.fromEntries(sorted);
}

function tableArbitrary(table: TableName, counts: Counts): fc.Arbitrary<Table<TableName>> {
  const column = (spec: EventColumn, rows: number) =>
    fc
      .array(cellArbitrary(spec, counts), { minLength: rows, maxLength: rows })
      .map((cells): [string, ColumnArray] => {
        const array = columnArray(storedType(spec.spec.type, counts.name), rows);
        array.set(cells);
        return [spec.name, array];
      });
  const rows = table === 'cuda_call' ? fc.integer({ min: 1, max: 6 }) : fc.nat({ max: 6 });
  const columns = fc
    .tuple(rows, fc.subarray([...eventColumns(table)]))
    .chain(([count, chosen]) =>
      fc.tuple(
        ...eventColumns(table)
          .filter((spec) => spec.spec.required === true || chosen.includes(spec))
          .map((spec) => column(spec, count)),
      ),
    )
    .map((entries) => sortColumns(Object.fromEntries(entries)));
  return fc
    .record({ columns, provenance, startNote: optional(provenance), source: text, op: text })
    .map(({ columns, provenance, startNote, source, op }) => ({
      rows: columns.startNs?.length ?? 0,
      columns: columns as never,
      provenance,
      columnProvenance: startNote === undefined ? {} : { startNs: startNote },
      recordedAs: { source, op },
    }));
}

const severity = fc.constantFrom('HIGH', 'MEDIUM', 'LOW', 'CRITICAL', 'a word of its own');
const occurrence = fc
  .record({
    op: text,
    detectedNs: ns,
    severity,
    p50Us: fc.nat(),
    p99Us: fc.nat(),
    ratio: optional(fc.double({ min: 0.01, max: 1e6, noNaN: true })),
    detail: text,
  })
  .map((value) => compact(value) as SourceFindingOccurrence);

const finding = fc
  .record({
    foundBy: text,
    node: optional(text),
    ops: fc.array(text, { maxLength: 3 }),
    causes: fc.array(text, { maxLength: 3 }),
    severity,
    summary: text,
    explanation: text,
    recommendations: fc.array(text, { maxLength: 3 }),
    occurrences: fc.array(occurrence, { maxLength: 3 }),
  })
  .map((value) => compact(value) as SourceFinding);

type Nested = Pick<Columns<'range'>, 'startNs' | 'durationNs' | 'parent'>;

/** The parent of every second row is the row before, where it lies inside that one. */
function setParents({ startNs, durationNs, parent }: Nested): void {
  if (parent === undefined) return;
  for (let row = 1; row < parent.length; row += 2) {
    const end = (startNs[row] as number) + (durationNs[row] as number);
    const outerEnd = (startNs[row - 1] as number) + (durationNs[row - 1] as number);
    if (end <= outerEnd) parent[row] = row - 1;
  }
}

function lastMoment(trace: Trace): number {
  let latest = 0;
  for (const table of tableNames) {
    const columns = columnsOf(trace, table);
    columns.startNs?.forEach((start, row) => {
      latest = Math.max(latest, start + (columns.durationNs?.[row] ?? 0));
    });
  }
  return latest;
}

const exactly = <T>(value: fc.Arbitrary<T>, length: number) =>
  fc.array(value, { minLength: length, maxLength: length });

/** Equal names are one. */
const named = fc.uniqueArray(fc.record({ text, source: text }), {
  minLength: counts.name,
  maxLength: counts.name,
  selector: ({ text, source }) => JSON.stringify([source, text]),
});

/** Traces as our format keeps them: sorted by start, parents first and around their calls. */
export const traceArbitrary: fc.Arbitrary<Trace> = fc
  .record({
    recorder: optional(text),
    synthetic: optional(text),
    simulated: optional(text),
    beginUnixNs: fc.bigInt({ min: 0n, max: 2n ** 62n }),
    hosts: exactly(
      fc
        .record({
          hostname: optional(text),
          os: optional(text),
          kernel: optional(text),
          cpuModel: optional(text),
          cpuCount: optional(fc.nat()),
          memoryBytes: optional(ns),
          cudaVersion: optional(text),
          pythonVersion: optional(text),
        })
        .map(compact),
      counts.host,
    ),
    clocks: fc.array(clock, { maxLength: 2 }),
    cpus: fc
      .array(cpu, { maxLength: 3 })
      .map((cpus) => cpus.map((each, at) => ({ id: 3 * at, ...each }))),
    gpus: exactly(gpu, counts.gpu),
    jobs: exactly(fc.record({ name: text }), 1),
    contexts: exactly(context, counts.context),
    processes: exactly(processInfo, counts.process),
    threads: exactly(thread, counts.thread),
    named,
    streams: exactly(stream, counts.stream),
    stacks,
    tables: fc.record(
      Object.fromEntries(tableNames.map((table) => [table, tableArbitrary(table, counts)])),
    ),
    sourceFindings: fc.array(finding, { maxLength: 2 }),
    capabilities: fc.array(fc.record({ name: text, available: fc.boolean(), detail: text }), {
      maxLength: 2,
    }),
    notices: fc.array(
      fc.record({ level: fc.constantFrom('info' as const, 'warning' as const), text }),
      { maxLength: 2 },
    ),
  })
  .map(({ recorder, simulated, synthetic, beginUnixNs, named, ...rest }) => {
    const meta = {
      format: 'Stalltrace',
      version: '1',
      recorder,
      beginUnixNs,
      lengthNs: 0,
      synthetic,
      simulated,
    };
    const processes = rest.processes.map((process, index) =>
      index === 0 ? { ...process, parent: NONE } : process,
    );
    const trace = {
      ...rest,
      names: named.map(({ text }) => text),
      nameSources: named.map(({ source }) => source),
      processes,
      meta,
    } as unknown as Trace;
    setParents(trace.tables.cuda_call.columns);
    setParents(trace.tables.range.columns);
    trace.tables.gpu_work.columns.call?.fill(0);
    return { ...trace, meta: compact({ ...meta, lengthNs: lastMoment(trace) }) } as Trace;
  });

import { allocateColumns, type ColumnName, type Columns } from '../../shared/model/columns.ts';
import { NONE, type TableName, tableNames } from '../../shared/model/schema.ts';
import type { Frame } from '../../shared/model/stacks.ts';
import type {
  Cpu,
  Gpu,
  Host,
  ProcessInfo,
  Provenance,
  Table,
  Tables,
  ThreadInfo,
  Trace,
} from '../../shared/model/trace.ts';
import { StackBuilder } from '../../trace/build/stacks.ts';

export type Row<T extends TableName> = Partial<Record<ColumnName<T>, number>>;

export interface TracePlan {
  readonly processes?: readonly Partial<ProcessInfo>[];
  readonly threads?: readonly Partial<ThreadInfo>[];
  /** `[source, name]` of each entry of the names table. */
  readonly names?: readonly (readonly [source: string, name: string])[];
  readonly rows?: { readonly [T in TableName]?: readonly Row<T>[] };
  /** Provenance by table; a table with rows is exact, one without is absent, unless said here. */
  readonly provenance?: { readonly [T in TableName]?: Provenance };
  readonly lengthNs?: number;
  /** Frames leaf first; rows refer to stacks by their number here. */
  readonly stacks?: readonly (readonly Frame[])[];
  /** The only host, and its GPUs and CPUs. */
  readonly machine?: Host & { readonly gpus?: readonly Gpu[]; readonly cpus?: readonly Cpu[] };
}

const recordedAs: Partial<Record<TableName, { source: string; op: string }>> = {
  off_cpu: { source: 'HOST', op: 'sched_switch' },
  wakeup: { source: 'HOST', op: 'sched_wakeup' },
  page_alloc: { source: 'HOST', op: 'mm_page_alloc' },
};

function buildTable<T extends TableName>(
  name: T,
  plan: TracePlan,
  stacks: readonly number[],
): Table<T> {
  const rows: readonly Row<T>[] = plan.rows?.[name] ?? [];
  const named = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns = allocateColumns(name, rows.length, named as never[]);
  const arrays = columns as Record<string, { [row: number]: number }>;
  rows.forEach((cells, row) => {
    for (const [column, value] of Object.entries(cells)) arrays[column][row] = value as number;
    if (arrays.stack !== undefined) arrays.stack[row] = stacks[arrays.stack[row]] ?? NONE;
  });
  const kind = rows.length > 0 ? 'exact' : 'absent';
  return {
    rows: rows.length,
    columns: columns as Columns<T>,
    provenance: plan.provenance?.[name] ?? { kind, note: '' },
    columnProvenance: {},
    recordedAs: recordedAs[name] ?? { source: '', op: '' },
  };
}

/** A small trace for tests: what the plan does not name is empty. */
export function buildTrace(plan: TracePlan): Trace {
  const names = plan.names ?? [];
  const builder = new StackBuilder();
  const stacks = (plan.stacks ?? []).map((frames) => builder.add(frames));
  const { gpus = [], cpus = [], ...host } = plan.machine ?? {};
  return {
    meta: { format: 'test', version: '0', beginUnixNs: 0n, lengthNs: plan.lengthNs ?? 1e9 },
    hosts: [host],
    cpus,
    gpus,
    clocks: [],
    jobs: [],
    contexts: [],
    processes: (plan.processes ?? []).map((given) => ({
      pid: 0,
      name: '',
      parent: -1,
      role: 'other',
      roleBasis: '',
      ...given,
    })),
    threads: (plan.threads ?? []).map((given) => ({
      tid: 0,
      process: 0,
      name: '',
      role: 'other',
      ...given,
    })),
    names: names.map(([, name]) => name),
    nameSources: names.map(([source]) => source),
    streams: [],
    stacks: builder.build(),
    tables: Object.fromEntries(
      tableNames.map((name) => [name, buildTable(name, plan, stacks)]),
    ) as unknown as Tables,
    capabilities: [],
    sourceFindings: [],
    notices: [],
  };
}

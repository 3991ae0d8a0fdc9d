import type { Columns, OptionalColumn } from '../../shared/model/columns.ts';
import type { TableName } from '../../shared/model/schema.ts';
import type { Stacks } from '../../shared/model/stacks.ts';
import type {
  Clock,
  Cpu,
  Gpu,
  GpuContext,
  Host,
  Job,
  ProcessInfo,
  Stream,
  ThreadInfo,
  Trace,
} from '../../shared/model/trace.ts';
import { assembleTables, type TableFacts } from './assemble-tables.ts';
import { EntityList } from './entity-list.ts';
import { NameBuilder } from './names.ts';
import { resolveReferences } from './row-references.ts';
import { RowBuilder, type RowPlan, type RowsSoFar, type SortedRows } from './rows.ts';
import { StackBuilder } from './stacks.ts';
import { settleTasks } from './tasks.ts';

type Told = 'capabilities' | 'sourceFindings' | 'notices';

/** What is known of a trace beside its rows and what they refer to. */
interface TraceFacts extends Pick<Trace, 'meta'>, Partial<Pick<Trace, Told>> {
  readonly tables: TableFacts;
  /** Left out where they were given to the builder; traces of one file may share them. */
  readonly stacks?: Stacks;
}

/** The sorted rows of all tables. */
export interface FinishedRows {
  count(table: TableName): number;
  /** The columns of a table that was filled. */
  columns<T extends TableName>(table: T): Columns<T> | undefined;
  /** The latest end of any row, ns. */
  readonly endNs: number;
  /** Of any but sums, whose buckets may go on after the recording. */
  readonly eventsEndNs: number;
  /** How many rows referred to a row that is not there. */
  readonly dangling: number;
}

/**
 * A trace that is being put together: every importer fills one. Add what rows refer to and the rows
 * themselves in any order; `finishRows` sorts them, `build` says of the rest how much is known.
 */
export class TraceBuilder {
  readonly names = new NameBuilder();
  readonly stacks = new StackBuilder();
  readonly hosts = new EntityList<Host>();
  readonly clocks = new EntityList<Clock>();
  readonly cpus = new EntityList<Cpu>();
  readonly gpus = new EntityList<Gpu>();
  readonly jobs = new EntityList<Job>();
  /** `parent` is the id that the parent is added with, before or after. */
  readonly processes = new EntityList<ProcessInfo>();
  /** Those of process -1 get one that says that it is not known. */
  readonly threads = new EntityList<ThreadInfo>();
  readonly contexts = new EntityList<GpuContext>();
  readonly streams = new EntityList<Stream>();
  readonly #filled = new Map<TableName, RowBuilder>();
  readonly #rows = new Map<TableName, SortedRows>();

  /** The rows of `table`, to be filled. */
  rows<T extends TableName, Optional extends OptionalColumn<T> = never>(
    table: T,
    plan: RowPlan<Optional> = {},
  ): RowBuilder<T, Optional> {
    const rows = new RowBuilder(table, plan);
    this.#filled.set(table, rows as unknown as RowBuilder);
    return rows;
  }

  /** Sorts all rows, and finds those that others refer to. */
  finishRows(): FinishedRows {
    for (const [table, rows] of this.#filled) this.#rows.set(table, rows.finish());
    this.#filled.clear();
    const dangling = resolveReferences(this.#rows);
    const endOf = (rows: Iterable<[TableName, SortedRows]>) =>
      Math.max(0, ...Array.from(rows, ([, { endNs }]) => endNs));
    return {
      count: (table) => this.#rows.get(table)?.count ?? 0,
      columns: <T extends TableName>(table: T) =>
        this.#rows.get(table)?.columns as Columns<T> | undefined,
      endNs: endOf(this.#rows),
      eventsEndNs: endOf([...this.#rows].filter(([table]) => table !== 'aggregate')),
      dangling,
    };
  }

  build(facts: TraceFacts): Trace {
    return this.#traceOf(this.#rows, { ...facts, stacks: facts.stacks ?? this.stacks.build() });
  }

  /**
   * What was added until now as a trace, for a look that ends before the next row is added: its rows are
   * unsorted and refer to no others, and it has no stacks.
   */
  soFar(facts: Omit<TraceFacts, 'stacks'>): Trace {
    const rows = new Map([...this.#filled].map(([table, each]) => [table, each.soFar()]));
    return this.#traceOf(rows, { ...facts, stacks: new StackBuilder().build() });
  }

  #traceOf(
    rows: ReadonlyMap<TableName, RowsSoFar>,
    facts: TraceFacts & { readonly stacks: Stacks },
  ): Trace {
    const { meta, tables, stacks } = facts;
    const { capabilities = [], sourceFindings = [], notices = [] } = facts;
    const { hosts, clocks, cpus, gpus, jobs, contexts, streams, names } = this;
    return {
      meta,
      hosts: hosts.values.length === 0 ? [{}] : hosts.values,
      cpus: cpus.values,
      gpus: gpus.values,
      clocks: clocks.values,
      jobs: jobs.values,
      contexts: contexts.values,
      ...settleTasks(this.processes, this.threads.values),
      tables: assembleTables(rows, tables),
      names: names.texts,
      nameSources: names.sources,
      streams: streams.values,
      stacks,
      capabilities,
      sourceFindings,
      notices,
    };
  }
}

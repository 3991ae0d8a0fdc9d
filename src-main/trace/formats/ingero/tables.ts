import { allocateColumns, type Columns, rowCount } from '../../../shared/model/columns.ts';
import { columnSpecs, type TableName } from '../../../shared/model/schema.ts';
import type { Provenance, Table, Tables } from '../../../shared/model/trace.ts';
import { formatDuration } from '../../../shared/text/units.ts';
import type { Completeness } from './completeness.ts';
import { HOST_OP, SOURCE } from './op-codes.ts';
import type { OpNames } from './op-names.ts';
import type { SnapshotIntervals } from './snapshots.ts';

/** Why a column this model has is missing from a table of an Ingero file. */
const absentColumns: Partial<Record<TableName, Readonly<Record<string, string>>>> = {
  cuda_call: {
    hostMemory: 'Ingero does not record whether host memory is pinned or pageable.',
    stream: 'Ingero records streams of launches since 0.16 and of stream synchronisations only.',
    stack: 'This file was recorded without call stacks.',
    offCpuNs: 'Ingero does not measure off-CPU time inside a call.',
    runQueueNs: 'Ingero does not measure waiting for a CPU inside a call.',
    minorFaults: 'Ingero does not record page faults.',
    majorFaults: 'Ingero does not record page faults.',
  },
  off_cpu: {
    state:
      'Ingero does not record the state at switch-out: preempted and sleeping cannot be told apart.',
    runQueueNs: 'Ingero does not record when a thread became runnable.',
    waker: 'Ingero does not link wake-ups to switches.',
    previousThread: 'This file names the thread itself as the one that ran before it.',
    cpuOut: 'Ingero does not record CPUs.',
    cpuIn: 'Ingero does not record CPUs.',
  },
  block_io: { device: 'Ingero loses the device of a block request.' },
  sample: { gpu: 'Ingero samples the machine, not its GPUs.' },
};

const absentTables: Partial<Record<TableName, string>> = {
  gpu_work: 'Ingero does not record what the GPU ran, only the calls that submitted it.',
  on_cpu: 'Ingero does not record which thread held which CPU.',
  page_fault: 'Ingero does not record page faults, only page allocations.',
  cpu_sample: 'Ingero does not sample the CPUs.',
  gap: 'Ingero does not record events it lost.',
};

/** The tables this importer fills. */
export interface FilledTables {
  readonly cuda_call: Columns<'cuda_call'>;
  readonly off_cpu: Columns<'off_cpu'>;
  readonly wakeup: Columns<'wakeup'>;
  readonly page_alloc: Columns<'page_alloc'>;
  readonly block_io: Columns<'block_io'>;
  readonly syscall: Columns<'syscall'>;
  readonly process_event: Columns<'process_event'>;
  readonly range: Columns<'range'>;
  readonly sample: Columns<'sample'>;
  readonly aggregate: Columns<'aggregate'>;
}

export function assembleTables(
  filled: FilledTables,
  names: OpNames,
  completeness: Completeness,
  intervals: SnapshotIntervals | undefined,
): Tables {
  const host = (op: number) => ({
    source: names.sourceName(SOURCE.host),
    op: names.opName(SOURCE.host, op),
  });
  const of = completeness.provenance;
  const named = (source: number) => ({ source: names.sourceName(source), op: '' });
  const { sample, aggregate, range } = filled;
  return {
    cuda_call: table('cuda_call', filled.cuda_call, of('cuda_call'), named(SOURCE.runtime)),
    gpu_work: emptyTable('gpu_work'),
    off_cpu: table('off_cpu', filled.off_cpu, of('off_cpu'), host(HOST_OP.schedSwitch)),
    on_cpu: emptyTable('on_cpu'),
    wakeup: table('wakeup', filled.wakeup, of('wakeup'), host(HOST_OP.wakeup)),
    page_fault: emptyTable('page_fault'),
    page_alloc: table('page_alloc', filled.page_alloc, of('page_alloc'), host(HOST_OP.pageAlloc)),
    block_io: table('block_io', filled.block_io, of('block_io'), named(SOURCE.io)),
    syscall: table('syscall', filled.syscall, of('syscall'), named(SOURCE.net)),
    process_event: table(
      'process_event',
      filled.process_event,
      of('process_event'),
      named(SOURCE.host),
    ),
    cpu_sample: emptyTable('cpu_sample'),
    range: table('range', range, ranges(rowCount(range)), {
      source: '',
      op: '',
    }),
    sample: table('sample', sample, samples(rowCount(sample), intervals), {
      source: 'system_snapshots',
      op: '',
    }),
    aggregate: table('aggregate', aggregate, sums(rowCount(aggregate)), {
      source: 'event_aggregates',
      op: '',
    }),
    gap: emptyTable('gap'),
  };
}

function table<T extends TableName>(
  name: T,
  columns: Columns<T>,
  provenance: Provenance,
  recordedAs: Table<T>['recordedAs'],
): Table<T> {
  const reasons = absentColumns[name];
  const columnProvenance: Record<string, Provenance> = {};
  for (const [column, spec] of columnSpecs(name)) {
    if (spec.required === true || column in columns) continue;
    const note = reasons?.[column] ?? 'Ingero does not record it.';
    columnProvenance[column] = { kind: 'absent', note };
  }
  return { rows: rowCount(columns), columns, provenance, columnProvenance, recordedAs };
}

function emptyTable<T extends TableName>(name: T): Table<T> {
  const note = absentTables[name] ?? 'Ingero does not record it.';
  return table(name, allocateColumns(name, 0), { kind: 'absent', note }, { source: '', op: '' });
}

function ranges(rows: number): Provenance {
  return rows > 0
    ? { kind: 'exact', note: 'Labels given from outside, and events this model has no table for.' }
    : { kind: 'absent', note: 'This Ingero file has no annotations.' };
}

/** A gap this much longer than the others is said: there the samples prove nothing. */
const LONG_GAP = 2;

function samples(rows: number, intervals: SnapshotIntervals | undefined): Provenance {
  if (rows === 0) return { kind: 'absent', note: 'This Ingero file has no system snapshots.' };
  if (intervals === undefined) return { kind: 'sampled', note: 'System snapshots.' };
  const { medianNs, longestNs } = intervals;
  const gap =
    longestNs > LONG_GAP * medianNs ? `; the longest gap is ${formatDuration(longestNs)}` : '';
  const note = `System snapshots, one about every ${formatDuration(medianNs)}${gap}.`;
  return { kind: 'sampled', everyNs: medianNs, note };
}

function sums(rows: number): Provenance {
  if (rows === 0) return { kind: 'absent', note: 'This Ingero file has no sums of events.' };
  const note =
    'Counts and sums Ingero kept per minute (5 s where it still has them), operation and process; per thread for sched_switch. Buckets begin on whole minutes, so the first begins before the trace.';
  return { kind: 'aggregated', everyNs: 60e9, note };
}

import { LONG_GAP } from '../../../shared/model/long-gap.ts';
import type { Provenance } from '../../../shared/model/trace.ts';
import { formatDuration } from '../../../shared/text/units.ts';
import type { AbsenceReasons } from '../../build/absence.ts';
import type { TableFacts, TableNotes } from '../../build/assemble-tables.ts';
import type { FinishedRows } from '../../build/trace-builder.ts';
import type { EventTable } from './classify.ts';
import type { Completeness } from './completeness.ts';
import { HOST_OP, SOURCE } from './op-codes.ts';
import type { OpNames } from './op-names.ts';
import type { SnapshotIntervals } from './snapshots.ts';

/** Why a column that the model has is missing from a table of an Ingero file. */
const columns: AbsenceReasons['columns'] = {
  cuda_call: {
    hostMemory: 'Ingero does not record whether host memory is pinned or pageable.',
    stream:
      'Ingero records the stream only of launches (since 0.16) and of stream synchronisations.',
    stack: 'This file was recorded without call stacks.',
    offCpuNs: 'Ingero does not measure off-CPU time inside a call.',
    runQueueNs: 'Ingero does not measure waiting for a CPU inside a call.',
    minorFaults: 'Ingero does not record page faults.',
    majorFaults: 'Ingero does not record page faults.',
  },
  off_cpu: {
    state:
      'Ingero does not record the state at switch-out: preempted and sleeping cannot be told apart.',
    runQueueNs: 'Ingero does not record with a switch when its thread was ready to run again.',
    waker: 'Ingero does not link wake-ups to switches.',
    previousThread: 'This file names the thread itself as the one that ran before it.',
    cpuOut: 'Ingero does not record CPUs.',
    cpuIn: 'Ingero does not record CPUs.',
  },
  block_io: { device: 'Ingero loses the device of a block request.' },
  sample: { gpu: 'Ingero samples the machine, not its GPUs.' },
};

const tables: AbsenceReasons['tables'] = {
  gpu_work: 'Ingero does not record what the GPU ran, only the calls that submitted it.',
  on_cpu: 'Ingero does not record which thread held which CPU.',
  page_fault: 'Ingero does not record page faults, only page allocations.',
  cpu_sample: 'Ingero does not sample the CPUs.',
  gap: 'Ingero does not record events it lost.',
};

const absence: AbsenceReasons = { otherwise: 'Ingero does not record it.', tables, columns };

/** What a file says of the tables that `rows` has. */
export function tableFacts(
  rows: FinishedRows,
  ops: OpNames,
  completeness: Completeness,
  intervals: SnapshotIntervals | undefined,
): TableFacts {
  const noted = (table: EventTable, source: number, op?: number): TableNotes => ({
    provenance: completeness.provenance(table),
    recordedAs: {
      source: ops.sourceName(source),
      op: op === undefined ? '' : ops.opName(source, op),
    },
  });
  const summed = (provenance: Provenance, source: string): TableNotes => ({
    provenance,
    recordedAs: { source, op: '' },
  });
  return {
    absence,
    notes: {
      cuda_call: noted('cuda_call', SOURCE.runtime),
      off_cpu: noted('off_cpu', SOURCE.host, HOST_OP.schedSwitch),
      wakeup: noted('wakeup', SOURCE.host, HOST_OP.wakeup),
      page_alloc: noted('page_alloc', SOURCE.host, HOST_OP.pageAlloc),
      block_io: noted('block_io', SOURCE.io),
      syscall: noted('syscall', SOURCE.net),
      process_event: noted('process_event', SOURCE.host),
      range: summed(ranges(rows.count('range'), completeness.provenance('range')), ''),
      sample: summed(samples(rows.count('sample'), intervals), 'system_snapshots'),
      aggregate: summed(sums(rows.count('aggregate')), 'event_aggregates'),
    },
  };
}

/** `events`: of those that the model has no table for. */
function ranges(rows: number, events: Provenance): Provenance {
  const isPart = events.kind === 'partial' || events.kind === 'aggregated';
  if (rows === 0)
    return isPart ? events : { kind: 'absent', note: 'This Ingero file has no annotations.' };
  const what = 'Labels given from outside, and events this model has no table for.';
  return isPart
    ? { kind: 'partial', note: `${what} ${events.note}` }
    : { kind: 'exact', note: what };
}

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

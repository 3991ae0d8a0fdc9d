import type { TableName } from '../../../shared/model/schema.ts';
import type { Provenance } from '../../../shared/model/trace.ts';
import type { AbsenceReasons } from '../../build/absence.ts';
import type { TableFacts, TableNotes } from '../../build/assemble-tables.ts';
import type { FinishedRows } from '../../build/trace-builder.ts';
import type { Doubted } from './doubts.ts';

const none = (what: string) => `Nsight Systems does not record ${what}.`;
const without = (what: string, option: string) =>
  `This export has no ${what}: record with ${option}.`;
const SWITCHES = without('switches of threads', '--cpuctxsw=process-tree');

const tables: AbsenceReasons['tables'] = {
  cuda_call: without('CUDA calls', '--trace=cuda'),
  gpu_work: without('record of what a GPU did', '--trace=cuda'),
  range: without('NVTX ranges', '--trace=nvtx,osrt'),
  off_cpu: SWITCHES,
  on_cpu: SWITCHES,
  cpu_sample: without('samples of the CPUs', '--sample=process-tree'),
  wakeup: none('who wakes a thread'),
  page_fault: none('page faults of the CPUs'),
  page_alloc: none('page allocations'),
  block_io: none('requests to disks'),
  syscall: none('system calls, only calls of libraries around them'),
  process_event: none('when processes begin and end'),
  sample: 'Stalltrace reads no metrics of GPUs or of the machine from Nsight Systems.',
  aggregate: 'Nsight Systems keeps each event, and no sums.',
  gap: 'Nsight Systems does not say when it lost events, only that it may have.',
};

const INSIDE = none('what happens inside a call');
const STATE = 'Nsight Systems says when a thread had no CPU, not whether it could have used one.';

const columns: AbsenceReasons['columns'] = {
  cuda_call: {
    stack: without('call stacks of CUDA calls', '--cudabacktrace=all'),
    hostMemory: 'No copy in this export tells the kind of its memory.',
    offCpuNs: INSIDE,
    runQueueNs: INSIDE,
    minorFaults: INSIDE,
    majorFaults: INSIDE,
    stolenNs: INSIDE,
  },
  off_cpu: { state: STATE, runQueueNs: STATE, waker: none('who wakes a thread') },
};

const absence: AbsenceReasons = {
  otherwise: 'Nsight Systems does not record it.',
  tables,
  columns,
};

const all: Provenance = { kind: 'exact', note: 'All that the export has.' };
const some: Provenance = {
  kind: 'partial',
  note: 'Nsight Systems warns in this export that it may not have collected all of them.',
};
const ofTree: Provenance = {
  kind: 'partial',
  note: 'Of the profiled processes only: who else held a CPU is not in the export.',
};

const SOURCES: Partial<Record<TableName, readonly [source: string, provenance: Provenance]>> = {
  cuda_call: ['CUDA', all],
  gpu_work: ['GPU', all],
  range: ['', all],
  off_cpu: ['HOST', ofTree],
  on_cpu: ['HOST', ofTree],
  cpu_sample: ['HOST', ofTree],
};

const stack: Provenance = {
  kind: 'partial',
  note: 'Of calls that took longer than the limit of --cudabacktrace.',
};

const DOUBTED: Partial<Record<TableName, readonly Doubted[]>> = {
  cuda_call: ['CUDA'],
  gpu_work: ['CUDA'],
  range: ['NVTX', 'OS runtime'],
};

/** What a file says of the tables that `rows` has. */
export function tableFacts(rows: FinishedRows, doubts: ReadonlySet<Doubted>): TableFacts {
  const filled = Object.entries(SOURCES).filter(([table]) => rows.count(table as TableName) > 0);
  const isDoubted = (table: string) =>
    DOUBTED[table as TableName]?.some((kind) => doubts.has(kind)) === true;
  const notes = filled.map(([table, [source, provenance]]): [string, TableNotes] => [
    table,
    {
      provenance: isDoubted(table) ? some : provenance,
      recordedAs: { source, op: table === 'off_cpu' ? 'sched_switch' : '' },
      ...(table === 'cuda_call' &&
        rows.columns('cuda_call')?.stack !== undefined && { columnProvenance: { stack } }),
    },
  ]);
  return { absence, notes: Object.fromEntries(notes) };
}

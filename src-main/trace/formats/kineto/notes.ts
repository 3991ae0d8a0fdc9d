import type { Provenance } from '../../../shared/model/trace.ts';
import type { AbsenceReasons } from '../../build/absence.ts';
import type { TableFacts, TableNotes } from '../../build/assemble-tables.ts';
import type { FinishedRows } from '../../build/trace-builder.ts';
import type { EventsRead } from '../../event-json/read-events.ts';
import { provenanceOf } from '../../event-json/read-notices.ts';

const none = (what: string) => `PyTorch’s profiler does not record ${what}.`;
const SCHEDULER = none('what the scheduler does');
const INSIDE = none('what happens inside a call');

const tables: AbsenceReasons['tables'] = {
  cuda_call: 'The profiler recorded no CUDA calls: it ran without ProfilerActivity.CUDA.',
  gpu_work: 'The profiler recorded nothing that a GPU did: it ran without ProfilerActivity.CUDA.',
  off_cpu: SCHEDULER,
  on_cpu: SCHEDULER,
  wakeup: SCHEDULER,
  page_fault: none('page faults'),
  page_alloc: none('page allocations'),
  block_io: none('requests to disks'),
  syscall: none('system calls'),
  process_event: none('other processes, such as DataLoader workers'),
  cpu_sample: none('samples of the CPUs'),
  sample: none('readings of the machine and its GPUs'),
  aggregate: 'PyTorch’s profiler keeps each event, and no sums.',
  gap: 'PyTorch’s profiler does not say whether it lost events.',
};

const columns: AbsenceReasons['columns'] = {
  cuda_call: {
    returnCode: 'PyTorch’s profiler does not record what calls return.',
    offCpuNs: INSIDE,
    runQueueNs: INSIDE,
    minorFaults: INSIDE,
    majorFaults: INSIDE,
    stolenNs: INSIDE,
  },
};

const absence: AbsenceReasons = {
  otherwise: 'PyTorch’s profiler does not record it.',
  tables,
  columns,
};

const WINDOW = 'All that the profiler wrote, of the time in which it was active only.';
const exact: Provenance = { kind: 'exact', note: WINDOW };

const stack: Provenance = {
  kind: 'inferred',
  note: 'The operators, annotations and, recorded with with_stack, Python functions that the call was made in.',
};

/** What a file says of the tables that `rows` has. */
export function tableFacts(rows: FinishedRows, read: EventsRead): TableFacts {
  const noted = (source: string): TableNotes => ({
    provenance: provenanceOf(read, exact),
    recordedAs: { source, op: '' },
  });
  return {
    absence,
    notes: {
      ...(rows.count('cuda_call') > 0 && {
        cuda_call: { ...noted('CUDA'), columnProvenance: { stack } },
      }),
      ...(rows.count('gpu_work') > 0 && { gpu_work: noted('GPU') }),
      ...(rows.count('range') > 0 && { range: noted('') }),
    },
  };
}

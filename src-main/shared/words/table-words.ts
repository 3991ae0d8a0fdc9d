import type { TableName } from '../model/schema.ts';
import { formatCount } from '../text/units.ts';

type Words = readonly [one: string, many: string];

/** What the rows of a table are called, where a person reads: no name of a table. */
export const tableWords: Readonly<Record<TableName, Words>> = {
  cuda_call: ['CUDA call', 'CUDA calls'],
  gpu_work: ['record of GPU work', 'records of GPU work'],
  off_cpu: ['off-CPU interval', 'off-CPU intervals'],
  on_cpu: ['on-CPU slice', 'on-CPU slices'],
  wakeup: ['wake-up', 'wake-ups'],
  page_fault: ['page fault', 'page faults'],
  page_alloc: ['page allocation', 'page allocations'],
  block_io: ['block request', 'block requests'],
  syscall: ['system call', 'system calls'],
  process_event: ['process event', 'process events'],
  cpu_sample: ['CPU sample', 'CPU samples'],
  range: ['annotation', 'annotations'],
  sample: ['sample of the machine', 'samples of the machine'],
  aggregate: ['sum', 'sums'],
  gap: ['gap', 'gaps'],
  connection: ['reading of a connection', 'readings of connections'],
};

/** What the agent loses that is no row of a table of that name. */
const otherLosses: Readonly<Record<string, Words>> = {
  call: tableWords.cuda_call,
  launch: ['kernel launch', 'kernel launches'],
  launches: ['sum of kernel launches', 'sums of kernel launches'],
  process: tableWords.process_event,
  task: ['name of a process or thread', 'names of processes and threads'],
  stack: ['call stack', 'call stacks'],
  reclaim: ['stretch of memory reclaim', 'stretches of memory reclaim'],
};

/** One and many of what was lost, in words where `kind` is known. */
export function lostWords(kind: string): Words {
  if (Object.hasOwn(tableWords, kind)) return tableWords[kind as TableName];
  const words = kind.replaceAll('_', ' ');
  return Object.hasOwn(otherLosses, kind) ? otherLosses[kind] : [words, words];
}

/** `1 wake-up`, `1,200 off-CPU intervals`: what was lost. */
export function lostText(kind: string, count: number): string {
  const [one, many] = lostWords(kind);
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

import { NONE, type TableName } from '../../../shared/model/schema.ts';
import { isPython } from '../../../shared/model/stacks.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { endSentence } from '../../../shared/text/text.ts';
import { whyMissing } from '../../../shared/words/why-missing.ts';
import { completeRanges } from '../../coverage/complete-ranges.ts';
import { recordLimits } from '../../gpu/record-limits.ts';
import { perTrace } from '../../index/per-trace.ts';
import { hasCallSums, whereToCapture } from '../../threads/call-sums.ts';
import { hasQuotaSamples } from '../../threads/quota-samples.ts';
import { numaPlaces } from '../facts/numa-places.ts';
import type { Need } from '../rule.ts';

/**
 * What rules need of a trace, each with the question that stays open without it, why, and which
 * capture would answer it. Rules that need the same share the question, so that it is asked once.
 */

const AGENT = 'Stalltrace’s agent';

/** Every interval off the CPU of at least one thread, over some time. */
export const completeSwitches: Need = {
  question: 'When did threads wait for a CPU, and when for something else?',
  missing: perTrace((trace) => {
    const { rows, provenance } = trace.tables.off_cpu;
    if (rows > 0 && provenance.kind === 'exact') return undefined;
    if (completeRanges(trace, 1).some((ranges) => ranges.length > 0)) return undefined;
    const why = because(trace, 'off_cpu', 'Not every switch is in this trace.');
    const measured = hasCallSums(trace, 'offCpuNs') ? `${ONLY_SUMS} ` : '';
    return `${measured}${why} ${AGENT} with BPF records them all${whereToCapture(trace)}.`;
  }),
};

const ONLY_SUMS =
  'Around CUDA calls, only how long is measured, not when; outside of them nothing is known.';

/** Every switch, or at least some stacks of what threads did. */
export const switchesOrSamples: Need = {
  question: completeSwitches.question,
  missing: (trace) =>
    pythonSamples.missing(trace) === undefined ? undefined : completeSwitches.missing(trace),
};

/** How long the thread ran inside CUDA calls at least: from all its switches, or measured around them. */
export const knownRunning: Need = {
  question: completeSwitches.question,
  missing: (trace) =>
    hasCallSums(trace, 'stolenNs') ? undefined : completeSwitches.missing(trace),
};

/** How long a thread was ready before it ran. */
export const runQueue: Need = {
  question: 'Who was ready to run, but without a CPU?',
  missing: (trace) =>
    trace.tables.off_cpu.rows > 0 && trace.tables.off_cpu.columns.runQueueNs !== undefined
      ? undefined
      : `${hasCallSums(trace, 'runQueueNs') ? `${ONLY_SUMS} ` : ''}${columnReason(trace, 'off_cpu', 'runQueueNs', 'The time spent runnable is not recorded.')} ${AGENT} with BPF records it${whereToCapture(trace)}.`,
};

/** How long the training thread was ready before it ran, inside its CUDA calls at least. */
export const cpuWaits: Need = {
  question: runQueue.question,
  missing: (trace) => (hasCallSums(trace, 'runQueueNs') ? undefined : runQueue.missing(trace)),
};

/** Who held a CPU while another thread waited for it. */
export const onCpuSlices: Need = {
  question: 'Who held the CPU while the job waited for it?',
  missing: (trace) =>
    trace.tables.on_cpu.rows > 0
      ? undefined
      : // Slices are stored wherever a traced thread waited: with all switches, none means no wait.
        trace.tables.on_cpu.provenance.kind !== 'absent'
        ? undefined
        : `${because(trace, 'on_cpu', 'No slices on a CPU are in this trace.')} ${AGENT} with BPF records them${whereToCapture(trace)}.`,
};

/** Which thread or device ended a wait. */
export const wakers: Need = {
  question: 'Who woke the thread that waited?',
  missing: (trace) =>
    trace.tables.off_cpu.columns.waker !== undefined
      ? undefined
      : `${columnReason(trace, 'off_cpu', 'waker', 'Wake-ups are not recorded with the waits they ended.')} ${AGENT} with BPF records them${whereToCapture(trace)}.`,
};

/** In which system call, and on what, a thread waited. */
export const waitedIn: Need = {
  question: 'Which lock, queue or file did threads wait for?',
  missing: (trace) =>
    trace.tables.off_cpu.columns.syscall !== undefined
      ? undefined
      : `${columnReason(trace, 'off_cpu', 'syscall', 'The system calls that threads waited in are not recorded.')} ${AGENT} with BPF records them${whereToCapture(trace)}.`,
};

/** Timer samples whose stacks have Python frames. */
export const pythonSamples: Need = {
  question: 'Which lines of Python used the CPU?',
  missing: perTrace((trace) => {
    if (trace.tables.cpu_sample.rows === 0) {
      const why = because(trace, 'cpu_sample', 'CPU samples are not in this trace.');
      return `${why} ${AGENT} records them, but not with \`--samples 0\`${whereToCapture(trace)}.`;
    }
    const { stacks } = trace;
    if (stacks.frame.some((frame) => isPython(stacks, frame))) return undefined;
    return `The stacks of this trace have no Python frames. ${AGENT} reads them where it knows the interpreter${whereToCapture(trace)}.`;
  }),
};

/** Samples in the loader, or ranges that a profiler puts around it. */
export const loaderEvidence: Need = {
  question: pythonSamples.question,
  missing: (trace) =>
    trace.tables.range.rows > 0 && trace.names.some((name) => LOADER_RANGE.test(name))
      ? undefined
      : pythonSamples.missing(trace),
};

const LOADER_RANGE = /^enumerate\(DataLoader\)#/;

/** Stacks of the training thread, or the system calls that it waited in. */
export const hostActivity: Need = {
  question: pythonSamples.question,
  missing: (trace) =>
    waitedIn.missing(trace) === undefined ? undefined : pythonSamples.missing(trace),
};

/** Faults, counted for each stretch on a CPU or stored one by one. */
export const pageFaults: Need = {
  question: 'How many page faults did the threads of the job take?',
  missing: (trace) => {
    const { tables } = trace;
    const counted = tables.off_cpu.columns.minorFaults ?? tables.cuda_call.columns.minorFaults;
    if (counted !== undefined || tables.page_fault.rows > 0) return undefined;
    return `Page faults are not recorded. ${AGENT} counts them, and \`record --profile faults\` stores each${whereToCapture(trace)}.`;
  },
};

/** Each fault with its time and address. */
export const timedPageFaults: Need = {
  question: 'How long did page faults take, and of which memory?',
  missing: (trace) =>
    isRecorded(trace, 'page_fault')
      ? undefined
      : `${because(trace, 'page_fault', 'Single page faults are not in this trace.')} \`record --profile faults\` stores them${whereToCapture(trace)}.`,
};

export const pageAllocations: Need = {
  question: 'How much memory did the kernel give to the job’s threads?',
  missing: (trace) =>
    isRecorded(trace, 'page_alloc') || hasSumsOf(trace, /page_?alloc/i)
      ? undefined
      : `${because(trace, 'page_alloc', 'Page allocations are not in this trace.')} \`record --profile page-allocs\` stores them${whereToCapture(trace)}.`,
};

export const blockIo: Need = {
  question: 'What did the disks do?',
  missing: (trace) =>
    isRecorded(trace, 'block_io')
      ? undefined
      : `${because(trace, 'block_io', 'Requests to disks are not in this trace.')} ${AGENT} with BPF records them${whereToCapture(trace)}.`,
};

export const longSyscalls: Need = {
  question: 'Which system calls took long?',
  missing: (trace) =>
    isRecorded(trace, 'syscall')
      ? undefined
      : `${because(trace, 'syscall', 'Long system calls are not in this trace.')} \`record --profile syscalls\` stores those of 1 ms and more${whereToCapture(trace)}.`,
};

export const processEvents: Need = {
  question: 'When did processes start and end?',
  missing: (trace) =>
    isRecorded(trace, 'process_event')
      ? undefined
      : `${because(trace, 'process_event', 'Starts and ends of processes are not in this trace.')} ${AGENT} with BPF records them${whereToCapture(trace)}.`,
};

const swapSamples = machineSamples('Was memory short?', /^Swapped in \(pages\/s\)$/);

/** Either the machine's samples, or the kernel's own events. */
export const memoryShortage: Need = {
  question: swapSamples.question,
  missing: (trace) =>
    processEvents.missing(trace) === undefined ? undefined : swapSamples.missing(trace),
};

/** Pinned or pageable, of copies to the GPU. */
export const memoryKind: Need = {
  question: 'Was the memory that was copied to the GPU pinned?',
  missing: perTrace((trace) => {
    const { columns, rows } = trace.tables.cuda_call;
    if (rows === 0) return because(trace, 'cuda_call', 'No CUDA calls are in this trace.');
    if (columns.hostMemory?.some((kind) => kind !== 0)) return undefined;
    const why = columnReason(
      trace,
      'cuda_call',
      'hostMemory',
      'The kind of memory of copies is not known in this trace.',
    );
    return `${why} ${AGENT} knows it of a job that it started: \`record -- COMMAND\`${whereToCapture(trace)}.`;
  }),
};

/** Kernels and copies as the device ran them, of at least one process whose calls are in the trace. */
export const kernelRecords: Need = {
  question: 'What did the GPU run, and when was it idle?',
  missing: perTrace((trace) => {
    const { tables, threads } = trace;
    if (tables.gpu_work.rows === 0)
      return `${because(trace, 'gpu_work', 'What the GPU ran is not in this trace.')} ${AGENT} records it of a job that it starts, \`record -- COMMAND\`, or into which you paste its line, where CUPTI is available.`;
    const processes = new Set(
      Array.from(tables.cuda_call.columns.thread, (thread) => threads[thread]?.process ?? NONE),
    );
    const whyNot = [...processes].map((process) => recordLimits(trace, process).blind);
    return whyNot.includes(undefined) ? undefined : whyNot[0];
  }),
};

export const throttling: Need = {
  question: 'Did a CPU quota keep the job from running?',
  missing: (trace) =>
    trace.tables.off_cpu.columns.throttledNs !== undefined || hasQuotaSamples(trace)
      ? undefined
      : `${columnReason(trace, 'off_cpu', 'throttledNs', 'Throttling is not recorded.')} ${AGENT} with BPF records it${whereToCapture(trace)}.`,
};

/** CPU time as the kernel charged it, less than the time on a CPU where that was stolen. */
export const chargedCpuTime: Need = {
  question: 'Did interrupts or the hypervisor take the CPU from running threads?',
  missing: (trace) =>
    trace.tables.off_cpu.columns.executedNs !== undefined ||
    trace.tables.cuda_call.columns.stolenNs?.some((ns) => ns >= 0) === true
      ? undefined
      : `The CPU time that the kernel charged is not recorded. ${AGENT} with BPF records it${whereToCapture(trace)}.`,
};

export const allowedCpus: Need = {
  question: 'Which CPUs may the job’s processes use?',
  missing: (trace) =>
    trace.processes.some(({ cpusAllowed }) => cpusAllowed !== undefined)
      ? undefined
      : `The CPUs that processes may use are not in this trace. ${AGENT} records them${whereToCapture(trace)}.`,
};

/** On which node each GPU is, of machines where CPUs are on several sockets. */
export const gpuNode: Need = {
  question: 'Does the job run on the NUMA node of its GPU?',
  missing: perTrace((trace) => {
    for (const host of trace.hosts.keys()) {
      const places = numaPlaces(trace, host);
      const gpus = trace.gpus.filter((gpu) => (gpu.host ?? 0) === host);
      if (places === undefined || gpus.length === 0) continue;
      const nodes = gpus.map(({ numaNode = NONE }) => numaNode);
      if (nodes.every((node) => node === NONE))
        return `The CPUs of this machine are on several sockets, and the trace does not say which of them its GPUs are attached to: the firmware does not tell, or an older agent recorded it. \`nvidia-smi topo -m\` shows it.`;
      const sockets = new Set(nodes.map((node) => places.socketOf.get(node)));
      if (sockets.size > 1 && trace.tables.gpu_work.rows === 0 && trace.contexts.length === 0)
        return `The GPUs of this machine are on several sockets, and which of them a process used is not in this trace. ${AGENT} records it from inside the job: \`record -- COMMAND\`${whereToCapture(trace)}.`;
    }
    return undefined;
  }),
};

/** Values of the machine over time, whose metrics' names match. */
export function machineSamples(question: string, metric: RegExp): Need {
  return {
    question,
    missing: (trace) =>
      trace.tables.sample.rows > 0 && trace.names.some((name) => metric.test(name))
        ? undefined
        : `${noSamples(trace)} ${AGENT} samples it 5 to 10 times a second${whereToCapture(trace)}.`,
  };
}

function noSamples(trace: Trace): string {
  const otherwise = 'This trace has no such samples of the machine.';
  // How its other samples were taken is no reason why these are not there.
  return trace.tables.sample.rows > 0 ? otherwise : because(trace, 'sample', otherwise);
}

/** Whether all rows of a table are there; without any, that nothing happened. */
function isRecorded({ tables }: Trace, table: TableName): boolean {
  const { rows, provenance } = tables[table];
  return rows > 0 || provenance.kind === 'exact' || provenance.kind === 'partial';
}

function hasSumsOf({ tables, names }: Trace, source: RegExp): boolean {
  const isSource = names.map((name) => source.test(name));
  return tables.aggregate.columns.op.some((op) => isSource[op]);
}

function because({ tables }: Trace, table: TableName, otherwise: string): string {
  return whyMissing(tables, table, otherwise);
}

function columnReason(trace: Trace, table: TableName, column: string, otherwise: string): string {
  const { columnProvenance, rows } = trace.tables[table];
  return rows === 0
    ? because(trace, table, otherwise)
    : endSentence(columnProvenance[column]?.note || otherwise);
}

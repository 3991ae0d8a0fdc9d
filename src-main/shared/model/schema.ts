/**
 * The trace model, written once. From this table come the typed-array columns every importer
 * fills, the tables of our own file format, its README table and docs/format.md.
 *
 * Times are integer nanoseconds since the trace's begin, exact in a 64-bit float (2^53 ns is
 * 104 days). A column that a source cannot fill is absent, never zero.
 */

/** What an array of a column holds. */
export type StoredType = 'f64' | 'i32' | 'u32' | 'i16' | 'u16' | 'i8' | 'u8';

/** What a column may hold: it is stored as narrow as the numbers of a trace allow. `name`: an index into names. */
export type ElementType = 'f64' | 'i32' | 'u32' | 'u8' | 'name';

/** Most names that a trace keeps: what two of them are told by fits a 64-bit float. */
export const MAX_NAMES = 2 ** 20;

/**
 * What a number may name: an entity by its index (a CPU by its id), or a row of a table by its position.
 * Such numbers change where entities or rows do.
 */
const references = {
  host: 'index into hosts',
  cpu: 'id of a CPU',
  process: 'index into processes',
  thread: 'index into threads',
  gpu: 'index into gpus',
  context: 'index into contexts',
  stream: 'index into streams',
  stack: 'index into stacks',
  name: 'index into names',
  cuda_call: 'row of cuda_call',
  range: 'row of range',
} as const;
export type Reference = keyof typeof references;
export const referenceKinds = Object.keys(references) as Reference[];

/** The unit of a column whose numbers name things, and what they name. */
const to = <R extends Reference>(refersTo: R) => ({ refersTo, unit: references[refersTo] });

export interface ColumnSpec {
  readonly type: ElementType;
  /** `ns`, `bytes`, `count`, `%`, `index into threads`, … */
  readonly unit: string;
  /** What its numbers name. */
  readonly refersTo?: Reference;
  /** A moment on the trace's clock: it moves where the trace begins elsewhere. */
  readonly isMoment?: true;
  readonly doc: string;
  /** True where every row of every source has it. */
  readonly required?: true;
  /** The cell value that says "not known for this row". */
  readonly none?: number;
}

export interface TableSpec {
  readonly doc: string;
  readonly columns: Readonly<Record<string, ColumnSpec>>;
}

/** In an index column: this row refers to nothing. */
export const NONE = -1;

const start = {
  type: 'f64',
  unit: 'ns',
  doc: 'start, from the trace’s begin',
  isMoment: true,
  required: true,
} as const;
const duration = { type: 'f64', unit: 'ns', doc: 'duration', required: true } as const;
const thread = {
  type: 'i32',
  ...to('thread'),
  doc: 'the thread it happened on; -1 = not known',
  none: NONE,
  required: true,
} as const;
const otherThread = (doc: string) =>
  ({ type: 'i32', ...to('thread'), doc: `${doc}; -1 = not known`, none: NONE }) as const;
const op = {
  type: 'name',
  ...to('name'),
  doc: 'the operation, named as recorded',
  required: true,
} as const;
const cpu = { type: 'i32', ...to('cpu'), doc: 'CPU; -1 = not known', none: NONE } as const;
const host = { type: 'i32', ...to('host'), none: NONE } as const;
const bytes = {
  type: 'f64',
  unit: 'bytes',
  doc: 'size; -1 = not known or has none',
  none: -1,
} as const;
/** Counted from 1 in each process, so that 0 is free to say "not known". */
const correlation = {
  type: 'u32',
  unit: 'correlation id',
  doc: 'the number that CUPTI gives a call and the work it submits, counted in each process; 0 = not known',
  none: 0,
} as const;
const memory = (doc: string) =>
  ({
    type: 'u8',
    unit: 'Memory',
    doc: `${doc}: 0 not known, 1 pinned, 2 registered, 3 managed, 4 pageable, 5 device, 6 array`,
  }) as const;
const shape = (doc: string) =>
  ({ type: 'i32', unit: 'count', doc: `${doc}; -1 = no kernel, or not known`, none: -1 }) as const;
const stack = {
  type: 'i32',
  ...to('stack'),
  doc: 'call stack; -1 = none',
  none: NONE,
} as const;
/** What the kernel has counted of a connection since it began. */
const counted = (unit: string, doc: string) =>
  ({ type: 'f64', unit, doc: `${doc}; -1 = not known`, none: -1 }) as const;
const endpoint = (whose: string) =>
  ({
    address: {
      type: 'i32',
      ...to('name'),
      doc: `the address of ${whose}; -1 = not known`,
      none: NONE,
    },
    port: { type: 'i32', unit: 'port', doc: `the port of ${whose}; -1 = not known`, none: -1 },
  }) as const;
const ownEnd = endpoint('its own end');
const peerEnd = endpoint('the other end');

export const tableSpecs = {
  cuda_call: {
    doc: 'CUDA runtime and driver API calls, from entry to return, sorted by start',
    columns: {
      startNs: start,
      durationNs: duration,
      thread,
      op,
      layer: { type: 'u8', unit: 'CudaLayer', doc: '1 runtime, 2 driver, 3 graph', required: true },
      bytes,
      direction: {
        type: 'u8',
        unit: 'Direction',
        doc: '0 not a copy, 1 H2D, 2 D2H, 3 D2D, 4 H2H, 5 P2P, 6 not known',
      },
      hostMemory: {
        type: 'u8',
        unit: 'HostMemory',
        doc: '0 not known, 1 pinned, 2 registered, 3 managed, 4 pageable',
      },
      stream: {
        type: 'i32',
        ...to('stream'),
        doc: 'CUDA stream; -1 = not known',
        none: NONE,
      },
      returnCode: {
        type: 'i32',
        unit: 'cudaError_t or CUresult',
        doc: 'return code, 0 = success; -1 = not known, or the recording ended before it returned',
        none: -1,
      },
      stack,
      parent: {
        type: 'i32',
        ...to('cuda_call'),
        doc: 'the runtime call that made this driver call; -1 = outermost',
        none: NONE,
      },
      offCpuNs: {
        type: 'f64',
        unit: 'ns',
        doc: 'off-CPU time inside the call; -1 = not known',
        none: -1,
      },
      runQueueNs: {
        type: 'f64',
        unit: 'ns',
        doc: 'time inside the call spent waiting for a CPU; -1 = not known',
        none: -1,
      },
      minorFaults: {
        type: 'i32',
        unit: 'count',
        doc: 'minor page faults inside the call; -1 = not known',
        none: -1,
      },
      majorFaults: {
        type: 'i32',
        unit: 'count',
        doc: 'major page faults inside the call; -1 = not known',
        none: -1,
      },
      stolenNs: {
        type: 'f64',
        unit: 'ns',
        doc: 'time inside the call on a CPU that interrupts or the hypervisor took; -1 = not known',
        none: -1,
      },
      correlation,
    },
  },
  gpu_work: {
    doc: 'kernels, copies, fills and whole graphs as the GPU ran them',
    columns: {
      startNs: start,
      durationNs: duration,
      op,
      gpu: {
        type: 'i32',
        ...to('gpu'),
        doc: 'GPU; -1 = not known',
        none: NONE,
        required: true,
      },
      stream: {
        type: 'i32',
        ...to('stream'),
        doc: 'CUDA stream; -1 = not known',
        none: NONE,
      },
      bytes,
      direction: { type: 'u8', unit: 'Direction', doc: 'as in cuda_call' },
      call: {
        type: 'i32',
        ...to('cuda_call'),
        doc: 'the call that submitted it; -1 = not known',
        none: NONE,
      },
      kind: {
        type: 'u8',
        unit: 'GpuWorkKind',
        doc: '0 not known, 1 kernel, 2 copy, 3 fill, 4 graph launched as a whole',
      },
      process: {
        type: 'i32',
        ...to('process'),
        doc: 'the process it was done for; -1 = not known',
        none: NONE,
      },
      context: {
        type: 'i32',
        ...to('context'),
        doc: 'the context it ran in; -1 = not known',
        none: NONE,
      },
      sourceMemory: memory('memory that a copy read'),
      destinationMemory: memory('memory that a copy or fill wrote'),
      correlation,
      gridX: shape('blocks of the kernel’s grid in x'),
      gridY: shape('blocks of the kernel’s grid in y'),
      gridZ: shape('blocks of the kernel’s grid in z'),
      blockX: shape('threads of each block in x'),
      blockY: shape('threads of each block in y'),
      blockZ: shape('threads of each block in z'),
      graph: {
        type: 'u32',
        unit: 'graph id',
        doc: 'the CUDA graph it belongs to; 0 = none, or not known',
        none: 0,
      },
      node: {
        type: 'f64',
        unit: 'graph node id',
        doc: 'its node in that graph; -1 = none, or not known',
        none: -1,
      },
    },
  },
  off_cpu: {
    doc: 'intervals in which a thread was off the CPU, from switch-out to switch-in, sorted by start',
    columns: {
      startNs: start,
      durationNs: duration,
      thread,
      state: {
        type: 'i32',
        unit: 'TASK_* bits',
        doc: 'raw task state at switch-out, 0 = still runnable (preempted); -1 = not known',
        none: -1,
      },
      runQueueNs: {
        type: 'f64',
        unit: 'ns',
        doc: 'end part spent runnable, waiting for a CPU; -1 = not known',
        none: -1,
      },
      throttledNs: {
        type: 'f64',
        unit: 'ns',
        doc: 'part of run_queue_ns in which a CPU quota kept it from running; -1 = not known',
        none: -1,
      },
      waker: otherThread('the thread that woke it'),
      wakerContext: {
        type: 'u8',
        unit: 'WakeContext',
        doc: '0 not known, 1 task, 2 softirq, 3 irq, 4 timer',
      },
      nextThread: otherThread('who ran next on the CPU it left'),
      previousThread: otherThread('who ran before it on the CPU it came back on'),
      syscall: {
        type: 'i32',
        unit: 'system call number',
        doc: 'system call it was in; -1 = none or not known',
        none: -1,
      },
      syscallArg0: {
        type: 'f64',
        unit: 'raw',
        doc: 'first system call argument (fd, uaddr); -1 = not known',
        none: -1,
      },
      syscallArg1: {
        type: 'f64',
        unit: 'raw',
        doc: 'second system call argument (the futex operation); -1 = not known',
        none: -1,
      },
      syscallArg2: {
        type: 'f64',
        unit: 'raw',
        doc: 'third system call argument; -1 = not known',
        none: -1,
      },
      file: {
        type: 'i32',
        ...to('name'),
        doc: 'what it waited on: what its file descriptor was, the memory of a lock that processes share, or, outside a system call, the file that is mapped where it touched memory; -1 = not known',
        none: NONE,
      },
      cpuOut: { ...cpu, doc: 'CPU it left; -1 = not known' },
      cpuIn: { ...cpu, doc: 'CPU it came back on; -1 = not known' },
      ioWait: {
        type: 'u8',
        unit: 'boolean',
        doc: '1 = the kernel counted it as waiting for I/O, 0 = it did not, or not known',
      },
      executedNs: {
        type: 'f64',
        unit: 'ns',
        doc: 'CPU time the kernel charged to it since it last came on a CPU; -1 = not known',
        none: -1,
      },
      minorFaults: {
        type: 'i32',
        unit: 'count',
        doc: 'minor page faults since it last came on a CPU; -1 = not known',
        none: -1,
      },
      majorFaults: {
        type: 'i32',
        unit: 'count',
        doc: 'major page faults since it last came on a CPU; -1 = not known',
        none: -1,
      },
      stack: { ...stack, doc: 'call stack it left the CPU in; -1 = none' },
    },
  },
  on_cpu: {
    doc: 'slices in which a thread held a CPU: at least wherever a traced thread waited for one',
    columns: { startNs: start, durationNs: duration, thread, cpu: { ...cpu, required: true } },
  },
  wakeup: {
    doc: 'wake-ups recorded on their own',
    columns: { startNs: start, thread, waker: otherThread('the thread that woke it') },
  },
  page_fault: {
    doc: 'page faults, one row each',
    columns: {
      startNs: start,
      durationNs: duration,
      thread,
      address: { type: 'f64', unit: 'address', doc: 'faulting address; -1 = not known', none: -1 },
      major: { type: 'u8', unit: 'boolean', doc: '1 = needed I/O, 0 = it did not, or not known' },
    },
  },
  page_alloc: {
    doc: 'kernel page allocations',
    columns: { startNs: start, thread, bytes: { ...bytes, required: true } },
  },
  block_io: {
    doc: 'block device requests, from issue to completion',
    columns: {
      startNs: start,
      durationNs: duration,
      thread,
      op,
      bytes,
      sector: { type: 'f64', unit: 'sector', doc: 'first sector; -1 = not known', none: -1 },
      device: { type: 'i32', ...to('name'), doc: 'device; -1 = not known', none: NONE },
      queueNs: {
        type: 'f64',
        unit: 'ns',
        doc: 'time it was queued before it was issued; -1 = not known',
        none: -1,
      },
    },
  },
  syscall: {
    doc: 'long system calls',
    columns: {
      startNs: start,
      durationNs: duration,
      thread,
      op,
      bytes,
      fd: {
        type: 'i32',
        unit: 'file descriptor',
        doc: 'first argument where it is a descriptor; -1 = not known',
        none: -1,
      },
    },
  },
  process_event: {
    doc: 'fork, exec, exit, rename, OOM kill: moments in the life of a process or thread',
    columns: {
      startNs: start,
      thread,
      op,
      kind: {
        type: 'u8',
        unit: 'ProcessEventKind',
        doc: '0 other, 1 fork, 2 exec, 3 exit, 4 rename, 5 OOM kill',
        required: true,
      },
      subject: otherThread(
        'the thread it was done to: the child of a fork, the victim of an OOM kill',
      ),
    },
  },
  cpu_sample: {
    doc: 'timer samples of threads on a CPU',
    columns: {
      startNs: start,
      thread,
      mode: { type: 'u8', unit: 'CpuMode', doc: '0 not known, 1 user, 2 kernel' },
      stack,
    },
  },
  range: {
    doc: 'named ranges and moments: NVTX, profiler steps, operators, Python functions, DataLoader __next__, reclaim of memory, events of a kind this model has no table for',
    columns: {
      startNs: start,
      durationNs: duration,
      thread,
      op,
      category: {
        type: 'name',
        ...to('name'),
        doc: 'what kind of range it is, or who made it: user_annotation, cpu_op, kernel',
        required: true,
      },
      domain: {
        type: 'i32',
        ...to('name'),
        doc: 'the part of the program that keeps its ranges apart from others, as an NVTX domain; -1 = none',
        none: NONE,
      },
      parent: {
        type: 'i32',
        ...to('range'),
        doc: 'the range around it that it is a part of; -1 = outermost, or not known',
        none: NONE,
      },
      endThread: otherThread('the thread it ended on, where that is another than it began on'),
      value: {
        type: 'f64',
        unit: 'as its name says',
        doc: 'a number that the program gave with it; -Infinity = none',
        none: Number.NEGATIVE_INFINITY,
      },
      stack: { ...stack, doc: 'call stack it began in; -1 = none' },
    },
  },
  sample: {
    doc: 'values of the machine and its GPUs over time',
    columns: {
      startNs: start,
      metric: {
        type: 'name',
        ...to('name'),
        doc: 'what was measured, with its unit: "CPU (%)"',
        required: true,
      },
      gpu: { type: 'i32', ...to('gpu'), doc: 'GPU; -1 = the machine', none: NONE },
      host: { ...host, doc: 'the machine; -1 = that of the GPU, else the first' },
      value: { type: 'f64', unit: 'as the metric says', doc: 'the value', required: true },
    },
  },
  aggregate: {
    doc: 'counts and sums the recorder kept over a time bucket instead of, or beside, single events',
    columns: {
      startNs: start,
      durationNs: { ...duration, doc: 'length of the bucket' },
      thread,
      source: {
        type: 'name',
        ...to('name'),
        doc: 'the layer that was counted',
        required: true,
      },
      op,
      count: { type: 'f64', unit: 'count', doc: 'events that happened', required: true },
      stored: {
        type: 'f64',
        unit: 'count',
        doc: 'of these, kept as single events; -1 = not known',
        none: -1,
      },
      totalNs: { type: 'f64', unit: 'ns', doc: 'sum of their durations; -1 = not known', none: -1 },
      minNs: { type: 'f64', unit: 'ns', doc: 'shortest; -1 = not known', none: -1 },
      maxNs: { type: 'f64', unit: 'ns', doc: 'longest; -1 = not known', none: -1 },
      bytes,
    },
  },
  gap: {
    doc: 'time in which the recorder lost events',
    columns: {
      startNs: start,
      durationNs: duration,
      lost: {
        type: 'f64',
        unit: 'count',
        doc: 'events lost; -1 = not known',
        none: -1,
        required: true,
      },
      op,
      host: { ...host, doc: 'the machine whose recorder lost them; -1 = any of them' },
    },
  },
  connection: {
    doc: 'TCP connections of the job, read now and then: what the kernel has counted of each since it began; no row where nothing came or went since the row before',
    columns: {
      startNs: start,
      process: {
        type: 'i32',
        ...to('process'),
        doc: 'the process that has it; of those that share it by a fork, the oldest; -1 = not known',
        none: NONE,
      },
      socket: counted('inode', 'inode of its socket, by which rows of one connection are told'),
      ownAddress: ownEnd.address,
      ownPort: ownEnd.port,
      peerAddress: peerEnd.address,
      peerPort: peerEnd.port,
      newNs: {
        type: 'f64',
        unit: 'ns',
        doc: 'the connection did not exist this long before, so all that it counts happened since then; -1 = it may be older, or has an earlier row',
        none: -1,
      },
      bytesReceived: counted('bytes', 'bytes received so far'),
      bytesSent: counted('bytes', 'bytes sent so far, without those that were sent again'),
      segmentsReceived: counted('count', 'segments with data received so far'),
      segmentsSent: counted('count', 'segments with data sent so far, including those sent again'),
      retransmits: counted('count', 'segments that were sent again so far'),
      rttNs: counted(
        'ns',
        'smoothed round trip: of data to its acknowledgement, for which the other end may wait some 40 ms',
      ),
      minRttNs: counted('ns', 'quickest round trip of the last minutes, that of connecting too'),
    },
  },
} as const satisfies Record<string, TableSpec>;

export type TableName = keyof typeof tableSpecs;

export const tableNames = Object.keys(tableSpecs) as TableName[];

/** The columns of a table, seen without their exact names: for code that walks any table. */
export function columnSpecs(table: TableName): [name: string, spec: ColumnSpec][] {
  return Object.entries(tableSpecs[table].columns as Record<string, ColumnSpec>);
}

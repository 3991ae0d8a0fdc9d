import { roles } from '../../../shared/model/trace.ts';
import type { SqlType } from './schema.ts';

/**
 * What event rows refer to, and what must be known about a recording as a whole. Columns marked
 * `kept` are for people and later versions: this version writes NULL and does not read them.
 */

export interface EntityColumn {
  readonly sqlType: SqlType;
  readonly unit: string;
  readonly doc: string;
  readonly kept?: true;
  /** 64 bits wide: read as text, because a float is exact to 2^53 only. */
  readonly wide?: true;
}

export interface EntityTable {
  readonly doc: string;
  readonly columns: Readonly<Record<string, EntityColumn>>;
}

const text = (doc: string, unit = 'text'): EntityColumn => ({ sqlType: 'TEXT', unit, doc });
const integer = (unit: string, doc: string): EntityColumn => ({ sqlType: 'INTEGER', unit, doc });
const wide = (column: EntityColumn): EntityColumn => ({ ...column, wide: true });
const kept = (column: EntityColumn): EntityColumn => ({ ...column, kept: true });
const id = (doc: string): EntityColumn => ({
  sqlType: 'INTEGER PRIMARY KEY',
  unit: 'id',
  doc,
});
const lifeStart = integer('ns', 'when it was created, from the begin; NULL = before, or not seen');
const lifeEnd = integer('ns', 'when it ended, from the begin; NULL = did not, or not seen');
const hostId = integer('host.id', 'its host; NULL = the only one');
const role = text(`${roles.join(', ')}; NULL = other`, 'one of these words');

export const entityTables = {
  README: {
    doc: 'what every table and column of this file means, for whoever opens it with sqlite3',
    columns: {
      table_name: text('a table'),
      column_name: text('one of its columns; empty for the table itself'),
      unit: text('unit of the values'),
      meaning: text('what the values say, and what NULL says'),
    },
  },
  meta: {
    doc: 'facts about the whole recording, one a row; the keys are listed under "meta keys"',
    columns: {
      key: { sqlType: 'TEXT PRIMARY KEY', unit: 'key', doc: 'name of the fact' },
      value: { sqlType: '', unit: 'as the key says', doc: 'the fact' },
    },
  },
  host: {
    doc: 'the machines that were recorded; whatever names none is of the only one',
    columns: {
      id: id('number of the host'),
      hostname: text('host name'),
      os: text('operating system'),
      kernel: text('kernel release'),
      cpu_model: text('CPU model'),
      cpu_count: integer('count', 'CPUs online'),
      memory_bytes: integer('bytes', 'memory'),
      cuda_version: text('CUDA version'),
      python_version: text('Python version'),
    },
  },
  clock: {
    doc: 'how the time of each host leads to that of this file; no row: of the only host they are the same, of one of several nobody measured it',
    columns: {
      id: id('number of the clock'),
      host_id: integer('host.id', 'its host'),
      offset_ns: integer('ns', 'what was added to the times that the host’s recorder wrote'),
      uncertainty_ns: integer('ns', 'the offset is right to ± this; NULL = not known'),
    },
  },
  clock_reading: {
    doc: 'the same moment on four clocks of a host, once a second, to bring recordings in line',
    columns: {
      clock_id: integer('clock.id', 'the clock; NULL = the only one'),
      start_ns: integer('ns', 'the moment, from the begin'),
      monotonic_ns: wide(integer('ns', 'CLOCK_MONOTONIC (bpf_ktime_get_ns, perf_counter)')),
      boot_ns: wide(integer('ns', 'CLOCK_BOOTTIME')),
      raw_ns: wide(integer('ns', 'CLOCK_MONOTONIC_RAW')),
      real_ns: wide(integer('ns', 'CLOCK_REALTIME: Unix time')),
    },
  },
  gpu: {
    doc: 'GPUs',
    columns: {
      id: id('GPU, of one host in the order of nvidia-smi'),
      model: text('model'),
      memory_bytes: integer('bytes', 'memory'),
      driver: text('driver version'),
      pci_bus_id: text('PCI bus address'),
      host_id: hostId,
      uuid: text('its UUID: GPU-…; NULL = not known'),
      numa_node: integer('node number', 'NUMA node it is attached to; NULL = none or not known'),
    },
  },
  cpu: {
    doc: 'CPUs and where they are',
    columns: {
      id: id('by which events name it: of a single host its CPU number'),
      core: integer(
        'core number',
        'physical core: two CPUs of a socket with the same one share it',
      ),
      package: integer('package number', 'socket'),
      numa_node: integer('node number', 'NUMA node'),
      host_id: hostId,
      number: integer('CPU number', 'its number on its host; NULL = the id'),
    },
  },
  job: {
    doc: 'what a scheduler or launcher started as one; its processes may be on several hosts. Merges keep it; no recorder names one yet',
    columns: { id: id('number of the job'), name: text('what its scheduler calls it') },
  },
  process: {
    doc: 'processes that events refer to',
    columns: {
      id: id('the writer’s own number: process ids are used again, this is not'),
      pid: integer('process id', 'process id in the host’s namespace; NULL = not known'),
      namespace_pid: integer('process id', 'process id inside its container'),
      name: text('name (comm)'),
      command_line: text('command line, secrets removed; NULL = not known'),
      parent_id: integer('process.id', 'who forked it; NULL = not known'),
      role,
      role_basis: text('why this role, in a few words'),
      start_ns: lifeStart,
      end_ns: lifeEnd,
      rank: integer('rank', 'RANK of its environment'),
      local_rank: integer('rank', 'LOCAL_RANK of its environment'),
      world_size: integer('count', 'WORLD_SIZE of its environment'),
      cgroup: text('control group path'),
      cpus_allowed: text('CPUs it may run on, as in /proc: 0-3,8'),
      cpu_quota: {
        sqlType: 'REAL',
        unit: 'CPUs',
        doc: 'CPU quota of its control group; NULL = none or not known',
      },
      host_id: hostId,
      job_id: integer('job.id', 'the job it is a part of; NULL = none or not known'),
      group_cpus: text('CPUs that its control group leaves it: 0-3,8; NULL = not known'),
      pinned_nodes: text(
        'where its pinned host memory lies, as last read, bytes at least by NUMA node: N0=1048576 N1=4096; NULL = not known, or the machine has one node',
      ),
    },
  },
  thread: {
    doc: 'threads that events refer to',
    columns: {
      id: id('the writer’s own number: thread ids are used again, this is not'),
      process_id: integer('process.id', 'its process'),
      tid: integer('thread id', 'thread id in the host’s namespace; NULL = not known'),
      namespace_tid: integer('thread id', 'thread id inside its container'),
      name: text('last known name (comm)'),
      role,
      start_ns: lifeStart,
      end_ns: lifeEnd,
      policy: text(
        'scheduling policy as last seen; NULL = not known',
        'other, fifo, rr, batch, idle, deadline or ext',
      ),
      priority: integer('priority', 'of fifo and rr: 1 to 99, the higher goes first; else NULL'),
      nice: integer('nice value', '-20 to 19, the lower has more of a CPU; NULL = not known'),
    },
  },
  name: {
    doc: 'texts that event rows refer to: operations, metrics, files, devices',
    columns: {
      id: id('number of the text'),
      source: text('layer an operation belongs to: CUDA, DRIVER, HOST, IO; empty for other texts'),
      text: text('the text, at most 1,024 characters are read'),
    },
  },
  context: {
    doc: 'CUDA contexts: what a process set up on a GPU',
    columns: {
      id: id('number of the context'),
      process_id: integer('process.id', 'its process; NULL = not known'),
      gpu_id: integer('gpu.id', 'its GPU; NULL = not known'),
      number: kept(integer('context id', 'the number CUPTI gives it in its process')),
    },
  },
  stream: {
    doc: 'CUDA streams',
    columns: {
      id: id('number of the stream'),
      name: text('how it is shown: stream 7'),
      context_id: integer('context.id', 'its context; NULL = not known'),
      handle: kept(integer('address', 'cudaStream_t, 0 = the default stream')),
    },
  },
  stack: {
    doc: 'call stacks: each is one frame and the stack of its caller',
    columns: {
      id: id('number of the stack'),
      prefix_id: integer('stack.id', 'the stack of the caller; NULL = this frame is the outermost'),
      frame_id: integer('frame.id', 'its innermost frame (the leaf); NULL = it has no frames'),
    },
  },
  frame: {
    doc: 'frames of the call stacks, each once',
    columns: {
      id: id('number of the frame'),
      symbol: text(
        'function as its file names it (C++ and Rust: mangled); one that ends in … was longer; NULL = not resolved',
      ),
      file: text('source file or library; NULL = not known'),
      line: integer('line', 'line in a source file; NULL = not known'),
      language: text('python or native'),
      address: integer(
        'address',
        'return address in the process, shown where there is no symbol; NULL in the kernel',
      ),
    },
  },
  mapping: {
    doc: 'executable memory mappings, to resolve addresses after the recording',
    columns: {
      process_id: kept(integer('process.id', 'the process')),
      start_ns: kept(integer('ns', 'when it was mapped, from the begin')),
      address: kept(integer('address', 'first address')),
      size_bytes: kept(integer('bytes', 'size')),
      file_offset: kept(integer('bytes', 'offset in the file')),
      file: kept(text('the file')),
      build_id: kept(text('its build id, hexadecimal')),
    },
  },
  provenance: {
    doc: 'how far a table or a column can be trusted; a table without a row here counts as partial',
    columns: {
      table_name: text('a table of events'),
      column_name: text('one of its columns; empty for the whole table'),
      kind: text('how it was recorded', 'exact, partial, sampled, aggregated, inferred or absent'),
      every_ns: integer('ns', 'period, where sampled or aggregated; else NULL'),
      note: text('one sentence: how it was recorded, what is missing, and why'),
      recorded_source: text('layer its rows belong to, where the table has no op_id; else NULL'),
      recorded_op: text('operation its rows are, where the table has no op_id; else NULL'),
    },
  },
  capability: {
    doc: 'what the recorder tried to use on this machine, and whether it could',
    columns: {
      name: text(
        'what was tried: a way to record (bpf, inside, imports, perf_switch, python, proc, gpu_samples, machine), a source of events (switches, cuda_calls, …); from inside a job: cupti_subscribe, cupti_activity, schedstat, remote_python',
      ),
      available: integer('boolean', '1 = used; 0 = not to be had'),
      detail: text('how, or why not, in one sentence'),
    },
  },
  source_finding: {
    doc: 'causes another recording tool found by itself, kept when its file was converted',
    columns: {
      id: id('number of the finding'),
      found_by: text('the tool'),
      node: text('the machine it speaks of; NULL = not said'),
      ops: text('operations it calls slow', 'JSON array of texts'),
      causes: text('causes', 'JSON array of texts'),
      severity: text('severity', 'as the tool writes it: HIGH, MEDIUM, LOW or a word of its own'),
      summary: text('the tool’s own words'),
      explanation: text('the tool’s own words'),
      recommendations: text('what it recommends', 'JSON array of texts'),
    },
  },
  source_finding_occurrence: {
    doc: 'when the tool found them',
    columns: {
      finding_id: integer('source_finding.id', 'the finding'),
      op: text('operation it calls slow this time'),
      detected_ns: integer('ns', 'when, from the begin'),
      severity: text('severity this time', 'as the tool writes it'),
      p50_us: { sqlType: 'REAL', unit: 'µs', doc: 'median the tool saw' },
      p99_us: { sqlType: 'REAL', unit: 'µs', doc: '99th percentile the tool saw' },
      ratio: {
        sqlType: 'REAL',
        unit: 'times',
        doc: 'how many times its median the operation took; NULL = not said',
      },
      detail: text('the tool’s own words'),
    },
  },
  notice: {
    doc: 'what a reader must know before trusting this file',
    columns: {
      level: text('level', 'info or warning'),
      text: text('one or two sentences'),
    },
  },
} as const satisfies Record<string, EntityTable>;

export type EntityTableName = keyof typeof entityTables;

export interface MetaKey {
  readonly key: string;
  readonly doc: string;
  readonly kept?: true;
}

/** The keys of `meta` with a meaning; a writer may add its own. */
export const metaKeys: readonly MetaKey[] = [
  {
    key: 'begin_unix_ns',
    doc: 'Unix time of the begin in ns: a 64-bit integer, or the same as decimal text. Required',
  },
  {
    key: 'begin_monotonic_ns',
    doc: 'CLOCK_MONOTONIC at the begin, ns',
    kept: true,
  },
  { key: 'length_ns', doc: 'from the begin to the last recorded moment, ns; written at the end' },
  {
    key: 'finished_ns',
    doc: 'when the recorder finished the file, ns from the begin. Missing = it was killed or lost power',
  },
  { key: 'recorder', doc: 'what wrote the file, with its version' },
  { key: 'options', doc: 'options of the recording, JSON, secrets removed', kept: true },
  {
    key: 'packages',
    doc: 'versions of Python packages beside the interpreter, JSON: {"torch":"2.4.0+cu121"}',
    kept: true,
  },
  { key: 'synthetic', doc: 'one sentence, only where no machine was recorded: what made the file' },
  {
    key: 'simulated',
    doc: 'one sentence, only where a part of the machine was not real: a simulated GPU',
  },
  {
    key: 'inside',
    doc: 'where the job itself was listened to from inside, JSON: how that began, the version of libcupti, another profiler that was there',
    kept: true,
  },
  { key: 'converted_from', doc: 'format and version of the file this was converted from' },
  {
    key: 'reader_needs',
    doc: 'lowest version a reader must know to read this file rightly; missing = any',
  },
];

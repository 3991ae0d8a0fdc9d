import {
  cpuModes,
  cudaLayers,
  directions,
  gpuWorkKinds,
  hostMemoryKinds,
  memoryKinds,
  processEventKinds,
  wakeContexts,
} from '../../shared/model/codes.ts';

interface View {
  readonly name: string;
  readonly doc: string;
  readonly select: string;
}

/** The word of a code. */
function word(column: string, words: readonly string[], name = column): string {
  const cases = words.map((text, code) => `WHEN ${code} THEN '${text}'`).join(' ');
  return `CASE e.${column} ${cases} END AS ${name}`;
}

const ms = (column: string) => `e.${column}_ns / 1e6 AS ${column}_ms`;
const times = `e.start_ns, e.duration_ns, ${ms('start')}, ${ms('duration')}`;
const moment = `e.start_ns, ${ms('start')}`;
const task = 'p.pid, p.name AS process, t.tid, t.name AS thread, t.role';
const joinTask =
  'LEFT JOIN thread t ON t.id = e.thread_id LEFT JOIN process p ON p.id = t.process_id';
const text = (column: string, as: string) => `LEFT JOIN name ${as} ON ${as}.id = e.${column}`;
const other = (column: string, as: string) => `LEFT JOIN thread ${as} ON ${as}.id = e.${column}`;

/** The tables of events with names in place of ids, words in place of codes, and times in ms beside ns. */
export const views: readonly View[] = [
  {
    name: 'calls',
    doc: 'cuda_call; call_id is the row that explain --call takes',
    select: `SELECT e.call_id, ${times}, n.text AS call, ${task}, ${word('layer', cudaLayers)},
      ${word('direction', directions)}, e.bytes, ${word('host_memory', hostMemoryKinds)}, s.name AS stream,
      e.return_code, e.stack_id, e.parent_call_id, ${ms('off_cpu')}, ${ms('run_queue')},
      e.minor_faults, e.major_faults, ${ms('stolen')}
      FROM cuda_call e ${text('op_id', 'n')} ${joinTask} LEFT JOIN stream s ON s.id = e.stream_id`,
  },
  {
    name: 'gpu_runs',
    doc: 'gpu_work: kernels, copies and fills as the GPU ran them',
    select: `SELECT ${times}, n.text AS work, ${word('kind', gpuWorkKinds)}, e.gpu_id, s.name AS stream,
      p.pid, p.name AS process, ${word('direction', directions)}, e.bytes,
      ${word('source_memory', memoryKinds)}, ${word('destination_memory', memoryKinds)}, e.call_id
      FROM gpu_work e ${text('op_id', 'n')} LEFT JOIN stream s ON s.id = e.stream_id
      LEFT JOIN process p ON p.id = e.process_id`,
  },
  {
    name: 'waits',
    doc: 'off_cpu; preempted = 1 where the thread could have gone on',
    select: `SELECT ${times}, ${task}, e.state = 0 AS preempted, ${ms('run_queue')}, ${ms('throttled')},
      w.name AS waker, ${word('waker_context', wakeContexts)}, nt.name AS next_thread,
      pt.name AS previous_thread, f.text AS file, e.syscall, e.cpu_out, e.cpu_in, e.io_wait, e.stack_id
      FROM off_cpu e ${joinTask} ${other('waker_id', 'w')} ${other('next_thread_id', 'nt')}
      ${other('previous_thread_id', 'pt')} ${text('file_id', 'f')}`,
  },
  {
    name: 'cpu_slices',
    doc: 'on_cpu: who held which CPU',
    select: `SELECT ${times}, ${task}, e.cpu FROM on_cpu e ${joinTask}`,
  },
  {
    name: 'wakeups',
    doc: 'wakeup',
    select: `SELECT ${moment}, ${task}, w.name AS waker FROM wakeup e ${joinTask} ${other('waker_id', 'w')}`,
  },
  {
    name: 'page_faults',
    doc: 'page_fault',
    select: `SELECT ${times}, ${task}, e.address, e.major FROM page_fault e ${joinTask}`,
  },
  {
    name: 'page_allocs',
    doc: 'page_alloc',
    select: `SELECT ${moment}, ${task}, e.bytes FROM page_alloc e ${joinTask}`,
  },
  {
    name: 'disk_requests',
    doc: 'block_io',
    select: `SELECT ${times}, n.text AS request, ${task}, d.text AS device, e.bytes, ${ms('queue')}
      FROM block_io e ${text('op_id', 'n')} ${text('device_id', 'd')} ${joinTask}`,
  },
  {
    name: 'syscalls',
    doc: 'syscall',
    select: `SELECT ${times}, n.text AS syscall, ${task}, e.bytes, e.fd
      FROM syscall e ${text('op_id', 'n')} ${joinTask}`,
  },
  {
    name: 'process_events',
    doc: 'process_event',
    select: `SELECT ${moment}, ${word('kind', processEventKinds)}, n.text AS event, ${task}, x.name AS subject
      FROM process_event e ${text('op_id', 'n')} ${joinTask} ${other('subject_id', 'x')}`,
  },
  {
    name: 'cpu_samples',
    doc: 'cpu_sample with the innermost frame',
    select: `SELECT ${moment}, ${task}, ${word('mode', cpuModes)}, f.symbol, f.file, f.line, e.stack_id
      FROM cpu_sample e ${joinTask} LEFT JOIN stack k ON k.id = e.stack_id
      LEFT JOIN frame f ON f.id = k.frame_id`,
  },
  {
    name: 'ranges',
    doc: 'range',
    select: `SELECT e.range_id, ${times}, n.text AS name, c.text AS category, ${task}, e.value, e.parent_range_id
      FROM range e ${text('op_id', 'n')} ${text('category_id', 'c')} ${joinTask}`,
  },
  {
    name: 'samples',
    doc: 'sample',
    select: `SELECT ${moment}, m.text AS metric, e.gpu_id, e.value FROM sample e ${text('metric_id', 'm')}`,
  },
  {
    name: 'sums',
    doc: 'aggregate: what the recorder counted instead of keeping each event',
    select: `SELECT ${times}, src.text AS source, n.text AS name, ${task}, e.count, e.stored,
      ${ms('total')}, ${ms('min')}, ${ms('max')}, e.bytes
      FROM aggregate e ${text('source_id', 'src')} ${text('op_id', 'n')} ${joinTask}`,
  },
  {
    name: 'losses',
    doc: 'gap: time in which events were lost',
    select: `SELECT ${times}, n.text AS of, e.lost FROM gap e ${text('op_id', 'n')}`,
  },
  {
    name: 'connections',
    doc: 'connection: TCP connections, read now and then, with what was counted since each began',
    select: `SELECT ${moment}, p.pid, p.name AS process, e.socket, o.text AS own_address, e.own_port,
      a.text AS peer_address, e.peer_port, ${ms('new')}, e.bytes_received, e.bytes_sent, e.segments_received,
      e.segments_sent, e.retransmits, ${ms('rtt')}, ${ms('min_rtt')}
      FROM connection e LEFT JOIN process p ON p.id = e.process_id ${text('own_address_id', 'o')}
      ${text('peer_address_id', 'a')}`,
  },
];

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type HostKind, hostKinds } from '../../shared/answers/host-time.ts';
import type { Rank } from '../../shared/answers/jobs.ts';
import type { Frame } from '../../shared/model/stacks.ts';
import { buildTrace, type Row, type TracePlan } from '../testing/build-trace.ts';
import { hostTimeOf, visitPieces } from './host-time.ts';

const MS = 1e6;
const python = (symbol: string, file: string, line = 1): Frame => ({
  symbol,
  file,
  line,
  language: 'python',
});
const native = (symbol: string, file: string): Frame => ({ symbol, file, language: 'native' });
const LIB = '/usr/lib/python3.11';
const PACKAGES = '/opt/lib/python3.11/site-packages';
const train = python('train', '/home/u/train.py', 9);
const own = (symbol: string, line = 40) => python(symbol, '/home/u/train.py', line);

/** Each by what it shows. */
const shown = {
  plain: [own('shuffle_ids'), train],
  'torch.save': [python('save', `${PACKAGES}/torch/serialization.py`), own('keep'), train],
  'torch.load': [python('load', `${PACKAGES}/torch/serialization.py`), own('fetch'), train],
  recompute: [python('checkpoint', `${PACKAGES}/torch/utils/checkpoint.py`), own('block'), train],
  tqdm: [python('tqdm.update', `${PACKAGES}/tqdm/std.py`), train],
  logging: [python('StreamHandler.flush', `${LIB}/logging/__init__.py`), own('say'), train],
  sklearn: [python('roc_auc_score', `${PACKAGES}/sklearn/metrics/_ranking.py`), own('rank'), train],
  numpy: [native('0x12', `${PACKAGES}/numpy/core/_multiarray_umath.so`), own('rank'), train],
  rank: [own('rank'), train],
  'ranked lines': [native('anon_pipe_write', '[kernel]'), own('rank'), train],
  'BLAS of PyTorch': [
    native('sgemm_', '/usr/lib/x86_64-linux-gnu/blas/libblas.so.3'),
    python('Linear.forward', `${PACKAGES}/torch/nn/modules/linear.py`),
    own('rank'),
    train,
  ],
  tensors: [native('0x12', `${PACKAGES}/torch/lib/libtorch_cpu.so`), own('ready'), train],
  validate: [own('compare'), own('validate'), train],
  test: [own('compare'), own('test'), train],
  set_eval_mode: [own('set_eval_mode'), train],
  validate_inputs: [own('validate_inputs'), train],
  test_data: [own('compare'), own('test_data'), train],
  train_and_validate: [own('compare'), own('train_and_validate'), train],
  save_state: [own('save_state'), train],
  load_state: [own('load_checkpoint'), train],
  release_memory: [own('release_memory'), train],
  encode_texts: [own('encode_texts'), train],
  f1_score: [own('compare'), own('f1_score'), train],
  score_predictions: [own('compare'), own('score_predictions'), train],
  score_negatives: [own('compare'), own('score_negatives'), train],
  'FrechetDistance.compute': [own('root_of'), own('FrechetDistance.compute'), train],
  'Trainer.compute': [own('root_of'), own('Trainer.compute'), train],
  compute: [own('root_of'), own('compute'), train],
  set_mixed_precision: [own('compare'), own('set_mixed_precision'), train],
  preprocess: [own('Frames.preprocess'), train],
  decode_outputs: [own('decode_outputs'), train],
  collector: [native('gc_collect_main.lto_priv.0', '/usr/bin/python3.12'), own('append'), train],
  'torch.compile': [
    python('Kernel.codegen', `${PACKAGES}/torch/_inductor/codegen/triton.py`),
    python('_compile', `${PACKAGES}/torch/_dynamo/convert_frame.py`),
    python('_fn', `${PACKAGES}/torch/_dynamo/eval_frame.py`),
    own('answer'),
    train,
  ],
  'its compiled code': [
    python('call', '/tmp/torchinductor_u/ab/cab.py'),
    python('CompiledFxGraph.__call__', `${PACKAGES}/torch/_inductor/output_code.py`),
    python('CachingAutotuner.run', `${PACKAGES}/torch/_inductor/runtime/triton_heuristics.py`),
    python('runtime_wrapper', `${PACKAGES}/torch/_functorch/_aot_autograd/runtime_wrappers.py`),
    python('_fn', `${PACKAGES}/torch/_dynamo/eval_frame.py`),
    own('answer'),
    train,
  ],
  'its late backward': [
    python('compile_fx_inner', `${PACKAGES}/torch/_inductor/compile_fx.py`),
    python('backward', `${PACKAGES}/torch/_functorch/_aot_autograd/runtime_wrappers.py`),
    train,
  ],
  autotuning: [
    python('bench', `${PACKAGES}/torch/_inductor/runtime/triton_heuristics.py`),
    python('CachingAutotuner.run', `${PACKAGES}/torch/_inductor/runtime/triton_heuristics.py`),
    own('answer'),
    train,
  ],
  'triton kernel': [python('JITFunction.run', `${PACKAGES}/triton/runtime/jit.py`), train],
  'triton compiler': [python('compile', `${PACKAGES}/triton/compiler/compiler.py`), train],
  nvrtc: [native('nvrtcCompileProgram', '/usr/lib/libnvrtc.so.12'), own('answer'), train],
  extension: [
    python('Popen.communicate', `${LIB}/subprocess.py`),
    python('_run_ninja_build', `${PACKAGES}/torch/utils/cpp_extension.py`),
    train,
  ],
  subprocess: [python('Popen.communicate', `${LIB}/subprocess.py`), own('zip_up'), train],
  queue: [python('Queue.put', `${LIB}/queue.py`), own('hand_over'), train],
  collective: [
    python('all_reduce', `${PACKAGES}/torch/distributed/distributed_c10d.py`),
    own('average'),
    train,
  ],
  loader: [
    python('Queue.get', `${LIB}/queue.py`),
    python('_BaseDataLoaderIter.__next__', `${PACKAGES}/torch/utils/data/dataloader.py`),
    train,
  ],
  length: [
    own('count_frames'),
    own('Frames.__len__'),
    python('BatchSampler.__len__', `${PACKAGES}/torch/utils/data/sampler.py`),
    python('DataLoader.__len__', `${PACKAGES}/torch/utils/data/dataloader.py`),
    own('Schedule.step'),
    train,
  ],
  report_time: [python('Decimal.quantize', `${LIB}/_pydecimal.py`), own('report_time'), train],
  report_growth: [
    python('Snapshot.compare_to', `${LIB}/tracemalloc.py`),
    own('report_growth'),
    train,
  ],
  'end of a batch': [native('shmem_evict_inode', '[kernel]'), native('munmap', 'libc.so.6'), train],
  eager: [
    native('0x12', `${PACKAGES}/torch/lib/libtorch_cpu.so`),
    python('Linear.forward', `${PACKAGES}/torch/nn/modules/linear.py`),
    train,
  ],
  'logging a request': [python('Connection.recv', `${LIB}/socket.py`), own('log_loss'), train],
  retrying: [
    python('Session.post', `${PACKAGES}/requests/sessions.py`),
    python('Retrying.__call__', `${PACKAGES}/tenacity/__init__.py`),
    own('post'),
    train,
  ],
  filelock: [python('BaseFileLock.acquire', `${PACKAGES}/filelock/_api.py`), own('note'), train],
  'under a filelock': [
    own('pause'),
    python('inner', `${PACKAGES}/fasteners/process_lock.py`),
    own('note'),
    train,
  ],
  'file write': [native('ext4_buffered_write_iter', '[kernel]'), own('put_away'), train],
  'pipe write': [native('anon_pipe_write', '[kernel]'), own('tell'), train],
  'network write': [native('tcp_sendmsg', '[kernel]'), own('tell'), train],
} satisfies Record<string, Frame[]>;
type Shown = keyof typeof shown;
const names = Object.keys(shown) as Shown[];
const stackOf = (name: Shown) => names.indexOf(name);

const rank: Rank = {
  process: 0,
  label: 'pid 100',
  mainThread: 0,
  cudaThreads: [0],
  pinThreads: [],
  generations: [{ workers: [1], startNs: 0, endNs: 1e9, loader: 0 }],
  processes: [0, 1],
};

function traceOf(rows: TracePlan['rows'], files: readonly string[] = []) {
  return buildTrace({
    processes: [
      { pid: 100, name: 'python3' },
      { pid: 101, parent: 0, name: 'python3', role: 'dataloader-worker' },
      { pid: 102, parent: 0, name: 'gzip' },
      { pid: 103, name: 'tee' },
      { pid: 107, parent: 0, name: 'gcc', role: 'compiler' },
    ],
    threads: [
      { tid: 100, process: 0 },
      { tid: 101, process: 1 },
      { tid: 102, process: 2 },
      { tid: 103, process: 3 },
      { tid: 104, process: 0, name: 'other' },
      { tid: 105, process: 0, name: 'omp' },
      { tid: 106, process: 0, role: 'queue-feeder' },
      { tid: 107, process: 4 },
    ],
    stacks: names.map((name) => shown[name]),
    names: files.map((file) => ['FILE', file] as const),
    rows: rows ?? {},
    provenance: { cpu_sample: { kind: 'sampled', note: '', everyNs: 20 * MS } },
    machine: { cpuModel: 'Intel Xeon' },
  });
}

function stretches(
  spans: readonly (readonly [number, number])[],
  isPreparing = false,
  isEvaluating: readonly number[] = spans.map(() => 0),
) {
  return {
    startsNs: Float64Array.from(spans, ([startNs]) => startNs),
    endsNs: Float64Array.from(spans, ([, endNs]) => endNs),
    window: [0, 1e12] as const,
    isPreparing: Uint8Array.from(spans, () => (isPreparing ? 1 : 0)),
    isEvaluating: Uint8Array.from(isEvaluating),
  };
}

function sampleKind(name: Shown, isPreparing = false): HostKind {
  const trace = traceOf({ cpu_sample: [{ startNs: 5, thread: 0, stack: stackOf(name) }] });
  const { evidence } = hostTimeOf(trace, rank, stretches([[0, 10]], isPreparing));
  return hostKinds[evidence.kind[0]];
}

test.each<[Shown, HostKind]>([
  ['plain', 'none'],
  ['torch.save', 'checkpoint'],
  ['torch.load', 'none'],
  ['recompute', 'none'],
  ['tqdm', 'slow-output'],
  ['logging', 'slow-output'],
  ['sklearn', 'host-metrics'],
  ['numpy', 'none'],
  ['BLAS of PyTorch', 'none'],
  ['tensors', 'none'],
  ['validate', 'evaluation'],
  ['test', 'evaluation'],
  // These run no model.
  ['set_eval_mode', 'none'],
  ['validate_inputs', 'none'],
  ['test_data', 'none'],
  ['train_and_validate', 'none'],
  ['save_state', 'checkpoint'],
  ['load_state', 'none'],
  ['collector', 'garbage-collection'],
  ['release_memory', 'garbage-collection'],
  ['encode_texts', 'host-data-movement'],
  ['f1_score', 'host-metrics'],
  ['score_predictions', 'host-metrics'],
  ['score_negatives', 'none'],
  ['FrechetDistance.compute', 'host-metrics'],
  ['Trainer.compute', 'none'],
  ['compute', 'none'],
  ['set_mixed_precision', 'none'],
  ['preprocess', 'host-data-movement'],
  ['decode_outputs', 'none'],
  ['torch.compile', 'compiling'],
  ['its compiled code', 'none'],
  ['its late backward', 'compiling'],
  ['autotuning', 'compiling'],
  ['triton kernel', 'none'],
  ['triton compiler', 'compiling'],
  ['nvrtc', 'compiling'],
  ['extension', 'compiling'],
  ['subprocess', 'subprocess-wait'],
  ['queue', 'thread-lock'],
  ['collective', 'helper'],
  ['loader', 'loader'],
  // Asking how many batches there are loads none.
  ['length', 'none'],
  // It puts nothing out while it is on a CPU, whatever it is called.
  ['report_time', 'none'],
  // Nor does a tool for a hunt.
  ['report_growth', 'none'],
  ['end of a batch', 'loader'],
  ['eager', 'none'],
  ['file write', 'checkpoint'],
  ['pipe write', 'slow-output'],
  ['network write', 'none'],
])('a stack in %s is of kind %s', (name, kind) => {
  expect(sampleKind(name)).toBe(kind);
});

test('what computes between a batch’s arrival and its copy gets the batch ready', () => {
  expect(sampleKind('numpy', true)).toBe('host-data-movement');
  expect(sampleKind('tensors', true)).toBe('host-data-movement');
  expect(sampleKind('sklearn', true)).toBe('host-metrics');
  expect(sampleKind('plain', true)).toBe('none');
});

test.each<[string, readonly Shown[], HostKind, HostKind]>([
  ['not what libraries compute in it', ['numpy', 'rank'], 'none', 'none'],
  [
    'not what a smaller part of it puts out',
    ['numpy', 'rank', 'rank', 'rank', 'numpy', 'ranked lines'],
    ...(['none', 'none'] as const),
  ],
  [
    'what as large a part of it puts out',
    ['numpy', 'rank', 'ranked lines'],
    'slow-output',
    'slow-output',
  ],
])('a function is %s', (_, shownOnes, first, second) => {
  const cpu_sample = shownOnes.map((name, at) => ({
    ...{ startNs: at * MS, thread: 0, stack: stackOf(name) },
  }));
  const { evidence } = hostTimeOf(traceOf({ cpu_sample }), rank, stretches([[0, 100 * MS]]));
  expect([hostKinds[evidence.kind[0]], hostKinds[evidence.kind[1]]]).toEqual([first, second]);
});

test('a function in which the whole loop runs says nothing of its parts by its name', () => {
  const kindsOf = (calls: readonly Shown[]) => {
    const cuda_call = calls.map((name, at) => ({
      ...{ startNs: at * 10, durationNs: 1, thread: 0, layer: 1, op: 0, stack: stackOf(name) },
    }));
    const cpu_sample = (['validate', 'sklearn'] as const).map((name, at) => ({
      ...{ startNs: at * 10 + 5, thread: 0, stack: stackOf(name) },
    }));
    const trace = traceOf({ cuda_call, cpu_sample }, ['cudaLaunchKernel']);
    const { evidence } = hostTimeOf(trace, rank, stretches([[0, 1000]]));
    return Array.from(evidence.kind.subarray(0, evidence.length), (code) => hostKinds[code]);
  };
  const validates = Array.from({ length: 30 }, () => 'validate' as const);
  expect(kindsOf(validates)).toEqual(['none', 'host-metrics']);
  expect(kindsOf([...validates, 'plain'])).toEqual(['evaluation', 'host-metrics']);
  // Of few calls nothing is known.
  expect(kindsOf(validates.slice(0, 5))).toEqual(['evaluation', 'host-metrics']);
});

test('what is of no kind while it evaluates is of that, and is shared out among that alone', () => {
  const shown = ['plain', 'numpy', 'sklearn', 'plain', 'validate'] as const;
  const cpu_sample = shown.map((name, at) => ({
    ...{ startNs: (at * 10 + 5) * MS, thread: 0, stack: stackOf(name) },
  }));
  const spans = shown.map((_, at) => [at * 10 * MS, (at * 10 + 8) * MS] as const);
  const { evidence, pooled } = hostTimeOf(
    traceOf({ cpu_sample }),
    rank,
    stretches(spans, false, [1, 1, 1, 0, 0]),
  );
  const kinds = Array.from(evidence.kind.subarray(0, evidence.length), (code) => hostKinds[code]);
  expect(kinds).toEqual(['evaluation', 'evaluation', 'host-metrics', 'none', 'evaluation']);
  expect(pooled[0]).toEqual([
    { kind: 'none', share: 0.5 },
    { kind: 'evaluation', share: 0.5 },
  ]);
  const inside = new Map(pooled[1].map(({ kind, share }) => [kind, share]));
  expect(inside.get('evaluation')).toBeCloseTo(2 / 3);
  expect(inside.get('host-metrics')).toBeCloseTo(1 / 3);
});

const [READ, WRITE, POLL, FSYNC, WAIT4, FUTEX, NANOSLEEP, OPENAT] = [
  0, 1, 7, 74, 61, 202, 230, 257,
];
const [FLOCK, EPOLL] = [73, 232];
const [TASK, SOFTIRQ, TIMER] = [1, 2, 4];

function wait(row: Row<'off_cpu'>): Row<'off_cpu'> {
  const base = { startNs: 2 * MS, durationNs: 6 * MS, thread: 0, state: 1, runQueueNs: 0 };
  return {
    ...base,
    waker: -1,
    wakerContext: 0,
    syscall: -1,
    file: -1,
    stack: -1,
    ioWait: 0,
    ...row,
  };
}

function waitKinds(rows: readonly Row<'off_cpu'>[], more: TracePlan['rows'] = {}): HostKind[] {
  const files = [
    ...['pipe:[7]', '/data/model.pt (ext4)', '/data/run.log (ext4)', 'socket to 10.0.0.2:443'],
    ...['socket to 127.0.0.1:5000 (python3, pid 107)', 'shared memory /dev/shm/sem.a', 'socket'],
  ];
  const trace = traceOf({ off_cpu: rows, ...more }, files);
  const { evidence } = hostTimeOf(trace, rank, stretches([[0, 1000 * MS]]));
  const found = [...evidence.kind.subarray(0, evidence.length)];
  return found.flatMap((kind, at) => (evidence.isSample[at] === 1 ? [] : [hostKinds[kind]]));
}

test.each<[string, Row<'off_cpu'>, HostKind]>([
  ['a write to a pipe', { syscall: WRITE, file: 0, waker: 3, wakerContext: TASK }, 'slow-output'],
  ['an fsync', { syscall: FSYNC, file: 1, state: 2, ioWait: 1 }, 'checkpoint'],
  ['an fsync of a log', { syscall: FSYNC, file: 2, state: 2, ioWait: 1 }, 'slow-output'],
  [
    'a write to a file that waits for the disk',
    { syscall: WRITE, file: 1, state: 2 },
    'checkpoint',
  ],
  ['a child', { syscall: WAIT4, waker: 2, wakerContext: TASK }, 'subprocess-wait'],
  ['a compiler', { syscall: WAIT4, waker: 7, wakerContext: TASK }, 'compiling'],
  [
    'what a compiler says, in subprocess',
    { syscall: READ, file: 0, waker: 7, wakerContext: TASK, stack: stackOf('subprocess') },
    'compiling',
  ],
  [
    'a read of what a child writes',
    { syscall: READ, file: 0, waker: 2, wakerContext: TASK },
    'subprocess-wait',
  ],
  [
    'a read of what a stranger writes',
    { syscall: READ, file: 0, waker: 3, wakerContext: TASK },
    'slow-server',
  ],
  ['an answer of a server', { syscall: READ, file: 3, wakerContext: SOFTIRQ }, 'slow-server'],
  ['room to send a request', { syscall: WRITE, file: 3, wakerContext: SOFTIRQ }, 'slow-server'],
  [
    'an answer of a server that the job started',
    { syscall: READ, file: 4, wakerContext: SOFTIRQ },
    'slow-server',
  ],
  [
    'an answer over UDP, whose socket names no server, of what is called like output',
    { syscall: POLL, file: 6, wakerContext: SOFTIRQ, stack: stackOf('logging a request') },
    'slow-server',
  ],
  ['a socket that nobody answers', { syscall: POLL, file: 6, wakerContext: TIMER }, 'none'],
  [
    'an answer, of what is called like output',
    { syscall: READ, file: 3, wakerContext: SOFTIRQ, stack: stackOf('logging a request') },
    'slow-server',
  ],
  [
    'an answer, of what tries again and again',
    { syscall: READ, file: 3, wakerContext: SOFTIRQ, stack: stackOf('retrying') },
    'slow-server',
  ],
  [
    'an answer, of what saves',
    { syscall: READ, file: 3, wakerContext: SOFTIRQ, stack: stackOf('save_state') },
    'checkpoint',
  ],
  // What epoll watches did not end it.
  [
    'a time, with a connection that is open',
    { syscall: EPOLL, file: 3, wakerContext: TIMER },
    'sleep',
  ],
  [
    'a file’s lock that a worker had',
    { syscall: FLOCK, file: 1, waker: 1, wakerContext: TASK },
    'shared-lock',
  ],
  [
    'a lock in shared memory that a worker had',
    { syscall: FUTEX, syscallArg1: 0x109, file: 5, waker: 1, wakerContext: TASK },
    'shared-lock',
  ],
  [
    'a file’s lock, of what is called like figures',
    { syscall: FLOCK, file: 1, waker: 3, wakerContext: TASK, stack: stackOf('validate') },
    'shared-lock',
  ],
  [
    'a lock that is tried again and again',
    { syscall: NANOSLEEP, wakerContext: TIMER, stack: stackOf('filelock') },
    'shared-lock',
  ],
  [
    'a time, under such a lock',
    { syscall: NANOSLEEP, wakerContext: TIMER, stack: stackOf('under a filelock') },
    'sleep',
  ],
  ['a batch of a worker', { syscall: POLL, waker: 1, wakerContext: TASK }, 'loader'],
  ['the end of a worker', { syscall: WAIT4, waker: 1, wakerContext: TASK }, 'loader'],
  ['a time', { syscall: NANOSLEEP, wakerContext: TIMER }, 'sleep'],
  ['a time in a poll of nothing', { syscall: POLL, wakerContext: TIMER }, 'sleep'],
  ['the loader’s queue', { syscall: FUTEX, waker: 6, wakerContext: TASK }, 'loader'],
  ['a lock of another thread', { syscall: FUTEX, waker: 4, wakerContext: TASK }, 'thread-lock'],
  [
    'other ranks, through a thread of its own',
    { syscall: FUTEX, waker: 4, wakerContext: TASK, stack: stackOf('collective') },
    'helper',
  ],
  [
    'a time, while it evaluates',
    { syscall: NANOSLEEP, wakerContext: TIMER, stack: stackOf('validate') },
    'evaluation',
  ],
  [
    'a child, of what saves',
    { syscall: WAIT4, waker: 2, wakerContext: TASK, stack: stackOf('save_state') },
    'subprocess-wait',
  ],
])('a wait for %s is of that kind by itself', (_, row, kind) => {
  expect(waitKinds([wait(row)])).toEqual([kind]);
});

test('what starts a compiler is compiling too, and what another program does beside it is not', () => {
  const byGcc = wait({ syscall: WAIT4, waker: 7, wakerContext: TASK });
  const byGzip = { ...wait({ syscall: WAIT4, waker: 2, wakerContext: TASK }), startNs: 20 * MS };
  const starting = wait({ syscall: READ, file: 0, stack: stackOf('subprocess'), startNs: 40 * MS });
  expect(waitKinds([byGcc, byGzip, starting])).toEqual([
    'compiling',
    'subprocess-wait',
    'compiling',
  ]);
  expect(waitKinds([byGzip, starting])).toEqual(['subprocess-wait', 'subprocess-wait']);
});

test('sleeps of SQLite’s are waits for the lock of a database', () => {
  let startNs = 0;
  const rows = [1, 2, 5, 10, 15].map((ms) => {
    startNs += 20 * MS;
    const at = { startNs, durationNs: ms * MS, syscall: NANOSLEEP, wakerContext: TIMER };
    return wait({ ...at, stack: stackOf('plain') });
  });
  expect(new Set(waitKinds(rows))).toEqual(new Set(['shared-lock']));
});

test('who waits for another rank of its job waits for no server', () => {
  const trace = (role: 'main' | 'other') =>
    buildTrace({
      processes: [
        { pid: 10, name: 'torchrun', role: 'other' },
        { pid: 11, parent: 0, role: 'main' },
        { pid: 12, parent: 0, role },
      ],
      threads: [1, 2].map((process) => ({ tid: process + 10, process })),
      names: [['', 'socket to 127.0.0.1:29500 (python3, pid 12)']],
      machine: { cpuModel: 'Intel Xeon' },
      rows: { off_cpu: [wait({ syscall: READ, file: 0, wakerContext: SOFTIRQ })] },
    });
  const kind = (role: 'main' | 'other') => {
    const { evidence } = hostTimeOf(
      trace(role),
      { ...rank, process: 1, generations: [] },
      stretches([[0, 1000 * MS]]),
    );
    return hostKinds[evidence.kind[0]];
  };
  expect([kind('main'), kind('other')]).toEqual(['none', 'slow-server']);
});

test('who waits for a thread that waits for a program waits for the program, and not for one of a pool', () => {
  const kind = (commandLine: string) => {
    const started = { startNs: 0, durationNs: 10 * MS, state: 1, runQueueNs: 0 };
    const trace = buildTrace({
      processes: [
        { pid: 1, role: 'main', commandLine: 'python3 train.py' },
        { pid: 2, parent: 0, commandLine },
      ],
      threads: [0, 0, 1].map((process, at) => ({ tid: at + 1, process })),
      machine: { cpuModel: 'Intel Xeon' },
      rows: {
        off_cpu: [
          { ...started, thread: 0, syscall: FUTEX, waker: 1, wakerContext: TASK },
          // With a limit of time, subprocess looks again and again whether the program has ended.
          {
            ...started,
            durationNs: 8 * MS,
            thread: 1,
            syscall: POLL,
            waker: 2,
            wakerContext: TASK,
          },
          {
            ...{ ...started, startNs: 9 * MS, durationNs: MS / 2, thread: 1 },
            ...{ syscall: NANOSLEEP, wakerContext: TIMER },
          },
        ],
      },
    });
    const host = hostTimeOf(trace, { ...rank, generations: [] }, stretches([[0, 10 * MS]]));
    return hostKinds[host.evidence.kind[0]];
  };
  expect(kind('sh -c tests')).toBe('subprocess-wait');
  expect(kind('python3 train.py')).not.toBe('subprocess-wait');
  expect(kind('python3 -c from multiprocessing.spawn import spawn_main')).not.toBe(
    'subprocess-wait',
  );
});

/** Of a wait for a lock that thread 5 let go of, one that ran and never in Python; the threads by process. */
function kindOfWaitFor(processes: readonly number[]) {
  const rows = [wait({ syscall: FUTEX, waker: 5, wakerContext: TASK })];
  const stacks = [native('gomp_barrier_wait', '/usr/lib/libgomp.so.1')];
  const trace = buildTrace({
    threads: processes.map((process, at) => ({ tid: at, process })),
    ...{ processes: [{ pid: 1 }, { pid: 2 }], stacks: [stacks] },
    machine: { cpuModel: 'Intel Xeon' },
    rows: { off_cpu: rows, cpu_sample: [{ startNs: 1, thread: 5, stack: 0 }] },
  });
  const { evidence } = hostTimeOf(trace, rank, stretches([[0, 10 * MS]]));
  return hostKinds[evidence.kind[0]];
}

test('a thread that shares the work of one operation holds no lock', () => {
  expect(kindOfWaitFor([0, 0, 0, 0, 0, 0])).toBe('helper');
});

test('one of another process shares no work, whatever it runs', () => {
  expect(kindOfWaitFor([0, 0, 0, 0, 0, 1])).not.toBe('helper');
});

describe('what says nothing by itself', () => {
  test('is of the kind of its function, where a part of that is known', () => {
    const stack = stackOf('plain');
    const rows = [
      wait({ syscall: FSYNC, file: 1, state: 2, ioWait: 1, stack, durationNs: 60 * MS }),
    ];
    const samples = [100, 120, 140].map((ms) => ({ startNs: ms * MS, thread: 0, stack }));
    const trace = traceOf({ off_cpu: rows, cpu_sample: samples }, ['', '/data/model.pt (ext4)']);
    const { evidence } = hostTimeOf(trace, rank, stretches([[0, 1000 * MS]]));
    const kinds = [...evidence.kind.subarray(0, 4)].map((kind) => hostKinds[kind]);
    expect(kinds).toEqual(['checkpoint', 'checkpoint', 'checkpoint', 'checkpoint']);
  });

  test('is for what the others wait for the same lock for, where these have a stack', () => {
    const full = { syscall: FUTEX, syscallArg1: 0x109, file: 5, waker: 1, wakerContext: TASK };
    const put = wait({ ...full, stack: stackOf('logging') });
    expect(waitKinds([put, wait({ ...full, startNs: 20 * MS })])).toEqual([
      'slow-output',
      'slow-output',
    ]);
  });

  test('belongs to the saving, where it waits for the disk beside it', () => {
    const disk = { state: 2, ioWait: 1 };
    const rows = [
      wait({ ...disk, syscall: OPENAT }),
      wait({ ...disk, syscall: FSYNC, file: 1, startNs: 20 * MS }),
    ];
    expect(waitKinds(rows)).toEqual(['checkpoint', 'checkpoint']);
    expect(waitKinds(rows.slice(0, 1))).toEqual(['none']);
  });
});

describe('time', () => {
  test('of a long stretch goes to its own samples, of short ones to all of theirs', () => {
    // 600 ms in one piece, of which the first half saves; 100 stretches of 1 ms, one in ten met by a sample.
    const long = Array.from({ length: 30 }, (_, at) => ({
      startNs: (10 + at * 20) * MS,
      thread: 0,
      stack: stackOf(at < 15 ? 'torch.save' : 'plain'),
    }));
    const short = Array.from({ length: 10 }, (_, at) => ({
      startNs: (1000 + at * 20) * MS + 1,
      thread: 0,
      stack: stackOf(at < 5 ? 'tqdm' : 'sklearn'),
    }));
    const spans: (readonly [number, number])[] = [
      [0, 600 * MS],
      ...Array.from(
        { length: 100 },
        (_, at) => [(1000 + at * 2) * MS, (1001 + at * 2) * MS] as const,
      ),
    ];
    const host = hostTimeOf(traceOf({ cpu_sample: [...long, ...short] }), rank, stretches(spans));
    const ns = new Map<HostKind, number>();
    for (const [startNs, endNs] of spans)
      visitPieces(host, startNs, endNs, (fromNs, toNs, kinds) => {
        for (const { kind, share } of kinds)
          ns.set(kind, (ns.get(kind) ?? 0) + (toNs - fromNs) * share);
      });
    expect(Object.fromEntries(ns)).toEqual({
      checkpoint: 300 * MS,
      none: 300 * MS,
      'slow-output': 50 * MS,
      'host-metrics': 50 * MS,
    });
  });

  test('is tiled by pieces whose shares sum to one, and evidence never outweighs it', () => {
    const event = fc.record({
      at: fc.integer({ min: 0, max: 2000 }),
      ms: fc.integer({ min: 0, max: 80 }),
      name: fc.constantFrom(...names),
      call: fc.constantFrom(READ, WRITE, FSYNC, FUTEX, NANOSLEEP, OPENAT, -1),
    });
    const gap = fc.integer({ min: 1, max: 120 });
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 40 }),
        fc.array(gap, { maxLength: 20 }),
        (events, gaps) => {
          let endMs = 0;
          const spans = gaps.map((ms) => {
            const startMs = endMs + 3;
            endMs = startMs + ms;
            return [startMs * MS, endMs * MS] as const;
          });
          let freeMs = 0;
          const rows = events
            .toSorted((a, b) => a.at - b.at)
            .flatMap(({ at, ms, name, call }) => {
              if (ms === 0 || at < freeMs) return [];
              freeMs = at + ms;
              const times = { startNs: at * MS, durationNs: ms * MS };
              return [wait({ ...times, syscall: call, stack: ms % 3 === 0 ? -1 : stackOf(name) })];
            });
          const samples = events
            .filter(({ ms }) => ms === 0)
            .map(({ at, name }) => ({ startNs: at * MS, thread: 0, stack: stackOf(name) }));
          const host = hostTimeOf(
            traceOf({
              off_cpu: rows,
              cpu_sample: samples.toSorted((a, b) => a.startNs - b.startNs),
            }),
            rank,
            stretches(spans),
          );
          for (const [startNs, endNs] of spans) {
            let reachedNs: number = startNs;
            visitPieces(host, startNs, endNs, (fromNs, toNs, kinds) => {
              expect(fromNs).toBe(reachedNs);
              expect(toNs).toBeGreaterThan(fromNs);
              const sum = kinds.reduce((all, { share }) => all + share, 0);
              expect(kinds.length === 0 || Math.abs(sum - 1) < 1e-9).toBe(true);
              reachedNs = toNs;
            });
            expect(reachedNs).toBe(endNs);
          }
          const all = spans.reduce((sum, [startNs, endNs]) => sum + endNs - startNs, 0);
          expect(host.evidence.ns.reduce((sum, ns) => sum + ns, 0)).toBeLessThanOrEqual(all + 1);
        },
      ),
      { numRuns: 300 },
    );
  });
});

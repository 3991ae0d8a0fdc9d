import type { Frame } from '../../../shared/model/stacks.ts';
import type { Row, TracePlan } from '../../testing/build-trace.ts';
import { MS } from './build-facts.ts';

const PACKAGES = '/opt/venv/lib/python3.11/site-packages';
const UTILS = `${PACKAGES}/torch/utils/data/_utils`;

function python(symbol: string, file: string, line: number): Frame {
  return { symbol, file, line, language: 'python' };
}

const fetch = python('_MapDatasetFetcher.fetch', `${UTILS}/fetch.py`, 61);
const items = python('_MapDatasetFetcher.fetch.<locals>.<listcomp>', `${UTILS}/fetch.py`, 58);
const loop = python('_worker_loop', `${UTILS}/worker.py`, 302);
const ownItem = python('Rows.__getitem__', '/home/user/train.py', 20);

const STANDARD = '/usr/lib/python3.11';
const taking = [
  python('Queue.get', `${STANDARD}/multiprocessing/queues.py`, 122),
  python('_BaseDataLoaderIter.__next__', `${PACKAGES}/torch/utils/data/dataloader.py`, 628),
];

const nextIndex = [
  python('_BaseDataLoaderIter._next_index', `${PACKAGES}/torch/utils/data/dataloader.py`, 674),
  python('_BaseDataLoaderIter.__next__', `${PACKAGES}/torch/utils/data/dataloader.py`, 628),
];

const training = python('<module>', '/home/user/train.py', 60);

/** Stacks of a worker, leaf first, by what they show. */
const stacks = {
  item: [python('decode', '/home/user/train.py', 12), ownItem, items, fetch, loop],
  picking: [
    python('TensorDataset.__getitem__', `${PACKAGES}/torch/utils/data/dataset.py`, 196),
    ...[items, fetch, loop],
  ],
  collate: [python('pad', '/home/user/train.py', 30), fetch, loop],
  defaultCollate: [python('default_collate', `${UTILS}/collate.py`, 265), fetch, loop],
  transforms: [
    python('hflip', `${PACKAGES}/torchvision/transforms/functional.py`, 700),
    ...[ownItem, items, fetch, loop],
  ],
  tokenizing: [
    python('encode', `${PACKAGES}/tokenizers/implementations/base_tokenizer.py`, 200),
    ...[ownItem, items, fetch, loop],
  ],
  /** Of the training loop itself. */
  step: [python('reweight', '/home/user/train.py', 51), training],
  hunting: [
    python('Snapshot.compare_to', `${STANDARD}/tracemalloc.py`, 480),
    python('report_growth', '/home/user/train.py', 77),
    training,
  ],
  compiling: [
    python('Scheduler.codegen', `${PACKAGES}/torch/_inductor/scheduler.py`, 4300),
    python('compile_fx', `${PACKAGES}/torch/_inductor/compile_fx.py`, 1600),
    python('ConvertFrame.__call__', `${PACKAGES}/torch/_dynamo/convert_frame.py`, 1240),
    python(
      '_TorchDynamoContext.__call__.<locals>._fn',
      `${PACKAGES}/torch/_dynamo/eval_frame.py`,
      574,
    ),
    python('answer', '/home/user/train.py', 72),
    training,
  ],
  building: [
    python('_run_ninja_build', `${PACKAGES}/torch/utils/cpp_extension.py`, 2100),
    python('answer', '/home/user/train.py', 72),
    training,
  ],
  buildingOwn: [
    python('Popen._wait', `${STANDARD}/subprocess.py`, 2011),
    python('answer', '/home/user/train.py', 72),
    training,
  ],
  runningCompiled: [
    python('call', '/tmp/torchinductor_user/ab/cab.py', 40),
    python('CompiledFxGraph.__call__', `${PACKAGES}/torch/_inductor/output_code.py`, 460),
    python('run', `${PACKAGES}/torch/_inductor/compile_fx.py`, 1100),
    python(
      'runtime_wrapper',
      `${PACKAGES}/torch/_functorch/_aot_autograd/runtime_wrappers.py`,
      300,
    ),
    python(
      '_TorchDynamoContext.__call__.<locals>._fn',
      `${PACKAGES}/torch/_dynamo/eval_frame.py`,
      574,
    ),
    python('answer', '/home/user/train.py', 72),
    training,
  ],
  saving: [
    python('_save', `${PACKAGES}/torch/serialization.py`, 650),
    python('save', `${PACKAGES}/torch/serialization.py`, 423),
    python('keep', '/home/user/train.py', 70),
    training,
  ],
  /** It makes bytes of tensors, and writes none of them to a file. */
  serialising: [
    { symbol: 'crc32_fast', file: '/usr/lib/libtorch_cpu.so', language: 'native' },
    python('_save', `${PACKAGES}/torch/serialization.py`, 650),
    python('serialise', '/home/user/train.py', 71),
    training,
  ],
  logging: [
    python('StreamHandler.emit', '/usr/lib/python3.11/logging/__init__.py', 1100),
    python('tell', '/home/user/train.py', 74),
    training,
  ],
  formatting: [
    python('_tensor_str', `${PACKAGES}/torch/_tensor_str.py`, 600),
    python('describe', '/home/user/train.py', 76),
    training,
  ],
  collecting: [
    { symbol: 'gc_collect_main', file: '/usr/bin/python3.11', language: 'native' },
    python('tidy', '/home/user/train.py', 78),
    training,
  ],
  scoring: [
    python('roc_auc_score', `${PACKAGES}/sklearn/metrics/_ranking.py`, 570),
    python('rank_all', '/home/user/train.py', 82),
    training,
  ],
  evaluating: [
    python('compare', '/home/user/train.py', 85),
    python('evaluate', '/home/user/train.py', 88),
    training,
  ],
  waitingForChild: [
    python('Popen._wait', '/usr/lib/python3.11/subprocess.py', 2000),
    python('compress', '/home/user/train.py', 92),
    training,
  ],
  waitingForThread: [
    python('Condition.wait', '/usr/lib/python3.11/threading.py', 320),
    python('Queue.put', '/usr/lib/python3.11/queue.py', 140),
    python('hand_over', '/home/user/train.py', 95),
    training,
  ],
  waitingForMade: [
    python('Queue.get', '/usr/lib/python3.11/queue.py', 171),
    python('take', '/home/user/train.py', 96),
    training,
  ],
  /** Of a thread that fills a queue, and of a process of a pool. */
  filling: [
    python('decode', '/home/user/train.py', 12),
    python('fill', '/home/user/train.py', 15),
    python('Thread.run', '/usr/lib/python3.11/threading.py', 953),
  ],
  pooled: [
    python('round_up', '/home/user/numbers.py', 3),
    python('decode_batch', '/home/user/train.py', 18),
    python('worker', '/usr/lib/python3.11/multiprocessing/pool.py', 125),
    python('BaseProcess.run', '/usr/lib/python3.11/multiprocessing/process.py', 108),
    training,
  ],
  asking: [
    python('SocketIO.readinto', `${STANDARD}/socket.py`, 705),
    python('ask', '/home/user/train.py', 101),
    training,
  ],
  locking: [python('note', '/home/user/train.py', 103), training],
  polling: [
    python('BaseFileLock.acquire', `${PACKAGES}/filelock/_api.py`, 300),
    python('note', '/home/user/train.py', 104),
    training,
  ],
  /** Of a server that is asked. */
  answering: [python('look_up', '/home/user/server.py', 9)],
  sleeping: [python('pause', '/home/user/train.py', 98), training],
  /** Until a coroutine goes on. */
  dozing: [
    python('EpollSelector.select', `${STANDARD}/selectors.py`, 468),
    python('BaseEventLoop._run_once', `${STANDARD}/asyncio/base_events.py`, 1884),
    python('serve', '/home/user/train.py', 99),
    training,
  ],
  /** A coroutine that goes on. */
  resumed: [
    python('answer', '/home/user/train.py', 120),
    python('Batcher.fill', '/home/user/train.py', 112),
    python('Handle._run', `${STANDARD}/asyncio/events.py`, 80),
    python('BaseEventLoop._run_once', `${STANDARD}/asyncio/base_events.py`, 1922),
    python('serve', '/home/user/train.py', 99),
    training,
  ],
  converting: [
    { symbol: '', file: `${PACKAGES}/torch/lib/libtorch_cpu.so`, language: 'native' },
    python('ready', '/home/user/train.py', 99),
    training,
  ],
  /** Of the training process as it takes a batch from a worker, and of the thread that pins it. */
  unpickling: [{ symbol: 'load', file: '/usr/bin/python3.11', language: 'native' }, ...taking],
  rebuilding: [python('Box.__setstate__', '/home/user/boxes.py', 9), ...taking],
  receiving: [
    python('Connection._recv', `${STANDARD}/multiprocessing/connection.py`, 379),
    ...taking,
  ],
  opening: [
    python('rebuild_storage_fd', `${PACKAGES}/torch/multiprocessing/reductions.py`, 500),
    ...taking,
  ],
  /** Of the training process as it asks which samples come next: in the job's own sampler, or in PyTorch's. */
  pickingOwn: [
    { symbol: '', file: '/usr/bin/python3.11', language: 'native' },
    python('draw', '/home/user/order.py', 8),
    python('Balanced.__iter__', '/home/user/order.py', 14),
    ...nextIndex,
  ],
  pickingTorch: [
    python('RandomSampler.__iter__', `${PACKAGES}/torch/utils/data/sampler.py`, 130),
    python('BatchSampler.__iter__', `${PACKAGES}/torch/utils/data/sampler.py`, 245),
    ...nextIndex,
  ],
  pinning: [
    python('pin_memory', `${UTILS}/pin_memory.py`, 57),
    python('_pin_memory_loop', `${UTILS}/pin_memory.py`, 31),
  ],
  pickling: [
    python('ForkingPickler.dumps', `${STANDARD}/multiprocessing/reduction.py`, 51),
    python('Queue._feed', `${STANDARD}/multiprocessing/queues.py`, 244),
  ],
  /** In the worker's loop, as it waits for something to do. */
  waiting: [python('Queue.get', '/usr/lib/python3.11/multiprocessing/queues.py', 113), loop],
  /** In the dataset, for lack of memory. */
  makingRoom: [
    { symbol: 'try_to_free_mem_cgroup_pages', file: '[kernel]', language: 'native' },
    ...[ownItem, items, fetch, loop],
  ],
  /** In the dataset, in the function that reads. */
  joiningPaths: [
    { symbol: '', file: '/usr/bin/python3.11', language: 'native' },
    python('join', `<frozen posixpath>`, 77),
    ...[ownItem, items, fetch, loop],
  ],
  /** In the dataset, which looks something up in a manager. */
  asksManager: [
    python('Connection._recv', `${STANDARD}/multiprocessing/connection.py`, 379),
    python('BaseProxy._callmethod', `${STANDARD}/multiprocessing/managers.py`, 820),
    ...[ownItem, items, fetch, loop],
  ],
  /** In the dataset, of what is not in memory. */
  reading: [
    { symbol: 'filemap_read_folio', file: '[kernel]', language: 'native' },
    ...[ownItem, items, fetch, loop],
  ],
  /** Of the training loop, in another function of its own. */
  merging: [python('merge_boxes', '/home/user/train.py', 57), training],
  mergingWithin: [
    python('merge_boxes', '/home/user/train.py', 57),
    python('reweight', '/home/user/train.py', 52),
    training,
  ],
  /** Of the training loop, in a collective of Python objects, and beside it in the function that calls it. */
  gathering: [
    python('all_gather_object', `${PACKAGES}/torch/distributed/distributed_c10d.py`, 2000),
    python('gather_metrics', '/home/user/train.py', 90),
    training,
  ],
  /** In one that the loader calls: the rank's batch comes from another. */
  dispatching: [
    python('broadcast', `${PACKAGES}/torch/distributed/distributed_c10d.py`, 1400),
    python('DataLoaderDispatcher.broadcast_batch', '/home/user/train.py', 54),
    python('DataLoaderDispatcher.__iter__', '/home/user/train.py', 60),
    training,
  ],
  packing: [python('gather_metrics', '/home/user/train.py', 88), training],
  /** Of the training loop: it saves what it worked out as text. */
  spelling: [
    python('_iterencode_list', '/usr/lib/python3.11/json/encoder.py', 320),
    python('dump', '/usr/lib/python3.11/json/__init__.py', 180),
    python('save', '/home/user/train.py', 61),
    training,
  ],
  attending: [
    python('attend', '/home/user/model.py', 38),
    python('Module._call_impl', `${PACKAGES}/torch/nn/modules/module.py`, 1194),
    training,
  ],
  tokenized: [
    python('tokenize', '/home/user/train.py', 34),
    python('pad', '/home/user/train.py', 31),
    ...[fetch, loop],
  ],
  /** In the job's own sampler, which gives one index at a time and draws each. */
  pickingDrawn: [
    python('Random.choices', `${STANDARD}/random.py`, 507),
    python('Balanced.__iter__', '/home/user/order.py', 14),
    python('BatchSampler.__iter__', `${PACKAGES}/torch/utils/data/sampler.py`, 245),
    ...nextIndex,
  ],
  /** In a collate_fn that calls what pads, in one that pads nothing, in a stream that changes each example, and in a method of the dataset. */
  padding: [
    python('pad_all', '/home/user/train.py', 28),
    python('pad', '/home/user/train.py', 30),
    ...[fetch, loop],
  ],
  joining: [python('join', '/home/user/train.py', 27), fetch, loop],
  streamed: [
    python('reweight', '/home/user/train.py', 13),
    python('Rows.__iter__', '/home/user/train.py', 22),
    python('_IterableDatasetFetcher.fetch', `${UTILS}/fetch.py`, 33),
    loop,
  ],
  madeByItself: [
    python('Rows.rays_of', '/home/user/train.py', 14),
    ...[ownItem, items, fetch, loop],
  ],
} satisfies Record<string, Frame[]>;

type Shown = keyof typeof stacks;

/** The number of a stack, for the rows of a trace with all of them. */
export const stackNumber = (name: Shown): number => (Object.keys(stacks) as Shown[]).indexOf(name);

interface SampledTrace extends TracePlan {
  readonly stacks: NonNullable<TracePlan['stacks']>;
  readonly rows: { readonly cpu_sample: readonly Row<'cpu_sample'>[] };
}

/** A trace in which `thread` was sampled so often with each of these stacks, 20 ms apart from 0 on. */
export function sampled(counts: Partial<Record<Shown, number>>, thread = 1): SampledTrace {
  const shown = Object.keys(stacks) as Shown[];
  const each = shown.flatMap((name, stack) =>
    Array.from({ length: counts[name] ?? 0 }, () => stack),
  );
  return {
    stacks: shown.map((name) => stacks[name]),
    rows: { cpu_sample: each.map((stack, at) => ({ startNs: at * 20 * MS, thread, stack })) },
  };
}

/** Samples of the main thread, that of a worker, or another one of that, 0 to 2, in one trace. */
export type ThreadSamples = readonly [counts: Partial<Record<Shown, number>>, thread: number];

export function sampledThreads(...all: readonly ThreadSamples[]): SampledTrace {
  const rows = all.flatMap(([counts, thread]) => sampled(counts, thread).rows.cpu_sample);
  const cpu_sample = rows.toSorted((a, b) => (a.startNs ?? 0) - (b.startNs ?? 0));
  return {
    ...sampled({}),
    rows: { cpu_sample },
    processes: [
      { pid: 100, role: 'main' },
      { pid: 101, parent: 0, role: 'dataloader-worker' },
    ],
    threads: [0, 1, 1].map((process, thread) => ({ tid: 100 + thread, process })),
  };
}

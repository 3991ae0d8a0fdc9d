import {
  type Channel,
  INTERRUPTIBLE,
  type Program,
  UNINTERRUPTIBLE,
  type WaitReason,
} from './task.ts';
import { futexWait, KERNEL, pipeRead, run, STOP, type Workload } from './workload.ts';

const SYS_READ = 0;
const SYS_POLL = 7;
const SYS_PREAD64 = 17;

/** A DataLoader worker: for each index it reads, gathers and collates one batch. */
export function* worker(load: Workload, thread: number, index: number): Program {
  const { scheduler, recorder, random } = load;
  const { texts } = recorder;
  const queue = load.indexQueues[index] as Channel<number>;
  const feeder = load.feederQueues[index] as Channel<number>;
  const pipe = texts.name('', `pipe:[88${210 + index}]`);
  const gather = texts.stack(`at::native::index_kernel @ libtorch_cpu.so
    __getitem__ @ dataset.py:41
    <listcomp> @ torch/utils/data/_utils/fetch.py:52
    fetch @ torch/utils/data/_utils/fetch.py:52
    _worker_loop @ torch/utils/data/_utils/worker.py:349`);
  const collate = texts.stack(`clear_page_erms @ [kernel]
    at::native::cat_serial_kernel @ libtorch_cpu.so
    collate_tensor_fn @ torch/utils/data/_utils/collate.py:272
    fetch @ torch/utils/data/_utils/fetch.py:55
    _worker_loop @ torch/utils/data/_utils/worker.py:349`);
  yield run(
    random(90_000_000, 140_000_000),
    texts.stack('_worker_loop @ torch/utils/data/_utils/worker.py:229'),
  );
  for (;;) {
    yield pipeRead(queue, 12 + index, pipe);
    const batch = queue.items.shift() ?? STOP;
    if (batch === STOP) break;
    const chunks = random(22, 30);
    for (let chunk = 0; chunk < chunks; chunk++) {
      yield run(random(14_000_000, 24_000_000), gather);
      if (chunk % 3 === 0) yield* readShard(load, thread, index);
    }
    yield run(random(60_000_000, 110_000_000), collate, KERNEL);
    scheduler.put(feeder, batch, load.task(thread));
  }
  scheduler.put(feeder, STOP, load.task(thread));
  yield run(random(800_000, 1_500_000));
}

function* readShard(load: Workload, thread: number, index: number): Program {
  const { scheduler, recorder, random } = load;
  const bytes = random(1, 8) * 128 * 1024;
  const file = recorder.texts.name('', `/data/train-${String(index).padStart(5, '0')}.bin (ext4)`);
  const durationNs = random(120_000, 900_000);
  recorder.add('block_io', {
    startNs: scheduler.nowNs,
    durationNs,
    thread,
    op: recorder.texts.name('IO', 'read'),
    bytes,
    device: recorder.texts.name('', 'nvme0n1'),
    queueNs: random(2_000, 20_000),
  });
  const reason: WaitReason = {
    state: UNINTERRUPTIBLE,
    syscall: SYS_PREAD64,
    syscallArg0: 20 + index,
    file,
  };
  yield { do: 'sleep', ns: durationNs, reason, wokenBy: 'irq' };
  yield run(random(40_000, 120_000), -1, KERNEL);
}

/** The QueueFeederThread of a worker: pickles a finished batch's handles into the result pipe. */
export function* feeder(load: Workload, thread: number, index: number): Program {
  const queue = load.feederQueues[index] as Channel<number>;
  const stack = load.recorder.texts.stack('_feed @ multiprocessing/queues.py:269');
  for (;;) {
    yield futexWait(queue, 0x7f10_0000_1000 + index * 64);
    const batch = queue.items.shift() ?? STOP;
    yield run(load.random(180_000, 420_000), stack);
    if (batch === STOP) return;
    load.scheduler.put(load.results, batch, load.task(thread));
  }
}

/** The pin-memory thread. The batches are of a class it can't pin, so it hands them on as they are. */
export function* pinMemory(load: Workload, thread: number): Program {
  const { texts } = load.recorder;
  const stack = texts.stack('do_one_step @ torch/utils/data/_utils/pin_memory.py:38');
  const pipe = texts.name('', 'pipe:[88400]');
  for (let batch = 0; batch < load.steps; batch++) {
    yield pipeRead(load.results, 9, pipe);
    const done = load.results.items.shift() ?? STOP;
    yield run(load.random(350_000, 900_000), stack);
    load.scheduler.put(load.batches, done, load.task(thread));
  }
}

/** The thread that reads and compresses, then hands on to ssh. */
export function* rsync(load: Workload, thread: number): Program {
  const { random, recorder, scheduler, archive } = load;
  const stack = recorder.texts.stack(`deflate_slow @ rsync
    send_deflated_token @ rsync
    match_sums @ rsync`);
  const disk = recorder.texts.name('', '/data/archive/2025.tar (ext4)');
  for (;;) {
    yield run(random(9_000_000, 26_000_000), stack);
    scheduler.put(archive, 0, load.task(thread));
    const reason = { state: UNINTERRUPTIBLE, syscall: SYS_READ, syscallArg0: 3, file: disk };
    yield { do: 'sleep', ns: random(300_000, 2_500_000), reason, wokenBy: 'irq' };
  }
}

/** The ssh that rsync sends through: encrypts, then waits for the network. */
export function* ssh(load: Workload): Program {
  const { random, recorder, archive } = load;
  const stack = recorder.texts.stack('chacha20_encrypt_bytes @ ssh');
  const socket = recorder.texts.name('', 'socket:[41877] (TCP)');
  const pipe = recorder.texts.name('', 'pipe:[41870]');
  for (;;) {
    yield pipeRead(archive, 5, pipe);
    archive.items.shift();
    yield run(random(1_500_000, 6_000_000), stack);
    const reason = { state: INTERRUPTIBLE, syscall: SYS_POLL, syscallArg0: 4, file: socket };
    yield { do: 'sleep', ns: random(200_000, 2_000_000), reason, wokenBy: 'softirq' };
  }
}

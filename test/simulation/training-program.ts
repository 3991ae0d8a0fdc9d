import type { CallFacts } from './recorder.ts';
import type { Action, Channel, Program } from './task.ts';
import { type TrainingStacks, trainingStacks } from './training-stacks.ts';
import { futexWait, run, STOP, USER, type Workload } from './workload.ts';

const MIB = 2 ** 20;

/** One CUDA runtime call around one driver call; `inside` is what the driver call does. */
function* cudaCall(
  load: Workload,
  thread: number,
  [runtime, driver]: readonly [string, string],
  facts: CallFacts,
  inside: () => Program,
): Program {
  const { recorder, scheduler, random } = load;
  const task = load.task(thread);
  const { stack, ...driverFacts } = facts;
  recorder.enter(task, scheduler.nowNs, runtime, 'runtime');
  yield run(random(300, 700));
  recorder.enter(task, scheduler.nowNs, driver, 'driver');
  yield* inside();
  recorder.leave(task, scheduler.nowNs, driverFacts);
  yield run(random(150, 400));
  recorder.leave(task, scheduler.nowNs, stack === undefined ? driverFacts : facts);
}

const COPY_BYTES = [96 * MIB, 96 * MIB, 64 * MIB] as const;

/** The staging copy of pageable memory: the calling thread moves the bytes. */
function* copyBatch(load: Workload, thread: number, stacks: TrainingStacks): Program {
  for (const [index, bytes] of COPY_BYTES.entries()) {
    const stack = stacks.copies[index] ?? -1;
    const facts: CallFacts = {
      bytes,
      direction: 'H2D',
      hostMemory: 'pageable',
      stack,
      minorFaults: Math.floor(bytes / 65_536) + load.random(0, 90),
    };
    yield* cudaCall(load, thread, ['cudaMemcpyAsync', 'cuMemcpyHtoDAsync_v2'], facts, function* () {
      const startNs = load.scheduler.nowNs;
      // 5.6 to 7.4 bytes per ns.
      yield run(Math.floor((bytes * 10) / load.random(56, 74)), stack);
      load.gpuBusy.push([load.scheduler.nowNs - 1_500_000, load.scheduler.nowNs]);
      if (startNs === load.scheduler.nowNs) throw new Error('a copy took no time');
    });
    yield run(load.random(60_000, 180_000), stacks.host);
  }
  yield* synchronize(load, thread, stacks.copySync, 0);
}

/** cudaStreamSynchronize spins until the stream is done. */
function* synchronize(load: Workload, thread: number, stack: number, doneNs: number): Program {
  const names = ['cudaStreamSynchronize', 'cuStreamSynchronize'] as const;
  yield* cudaCall(load, thread, names, { stack }, function* () {
    yield run(load.random(2_000, 5_000), stack);
    if (doneNs > load.scheduler.nowNs) yield { do: 'spin', untilNs: doneNs, stack, mode: USER };
  });
}

/** Launches the step's kernels; gives the moment the GPU will have run them all. */
function* launchKernels(
  load: Workload,
  thread: number,
  stacks: TrainingStacks,
): Generator<Action, number, void> {
  let doneNs = 0;
  for (const stack of stacks.kernels) {
    yield* cudaCall(load, thread, ['cudaLaunchKernel', 'cuLaunchKernel'], { stack }, function* () {
      yield run(load.random(2_600, 4_200));
    });
    const startNs = Math.max(doneNs, load.scheduler.nowNs);
    doneNs = startNs + load.random(500_000, 1_300_000);
    load.gpuBusy.push([startNs, doneNs]);
    yield run(load.random(12_000, 60_000), stacks.host);
  }
  return doneNs;
}

/** Waits for batch `wanted`; batches that come before their turn are kept. */
function* nextBatch(load: Workload, wanted: number, early: Set<number>, stack: number): Program {
  yield run(load.random(60_000, 140_000), stack);
  while (!early.delete(wanted)) {
    yield futexWait(load.batches, 0x7f20_0000_2040);
    early.add(load.batches.items.shift() ?? STOP);
    yield run(load.random(30_000, 90_000), stack);
  }
}

const PREFETCH = 2;

/** The training script: wait for a batch, copy it, compute, read the loss. */
export function* training(load: Workload, thread: number, startWorkers: () => void): Program {
  const { scheduler, recorder, random, workers, steps } = load;
  const { texts } = recorder;
  const stacks = trainingStacks(texts);
  const early = new Set<number>();
  const annotate = (op: number, startNs: number, category: string) =>
    recorder.add('range', {
      startNs,
      durationNs: scheduler.nowNs - startNs,
      thread,
      op,
      category: texts.name('', category),
    });
  yield run(random(240_000_000, 280_000_000), texts.stack('<module> @ train.py:12'));
  startWorkers();
  const request = (batch: number) => {
    const queue = load.indexQueues[batch % workers] as Channel<number>;
    scheduler.put(queue, batch < steps ? batch : STOP, load.task(thread));
  };
  for (let batch = 0; batch < PREFETCH * workers; batch++) request(batch);
  for (let step = 0; step < steps; step++) {
    const startNs = scheduler.nowNs;
    yield* nextBatch(load, step, early, stacks.next);
    const next = '_MultiProcessingDataLoaderIter.__next__';
    annotate(texts.name('ANNOTATION', `enumerate(DataLoader)#${next}`), startNs, 'user_annotation');
    request(step + PREFETCH * workers);
    yield* copyBatch(load, thread, stacks);
    const doneNs = yield* launchKernels(load, thread, stacks);
    const loss: CallFacts = {
      bytes: 4,
      direction: 'D2H',
      hostMemory: 'pageable',
      stack: stacks.itemCopy,
    };
    yield* cudaCall(load, thread, ['cudaMemcpyAsync', 'cuMemcpyDtoHAsync_v2'], loss, function* () {
      yield run(random(5_000, 9_000), stacks.itemCopy);
    });
    yield* synchronize(load, thread, stacks.item, doneNs);
    annotate(texts.name('ANNOTATION', `ProfilerStep#${step}`), startNs, 'user_annotation');
  }
  yield run(random(2_000_000, 4_000_000), stacks.host);
}

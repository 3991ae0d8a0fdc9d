import type { Trace } from '../../src-main/shared/model/trace.ts';
import { buildTrace } from './build-trace.ts';
import {
  feederThread,
  MAIN,
  PIN,
  processes,
  RSYNC,
  SSH,
  threads,
  WORKERS,
  workerThread,
} from './cast.ts';
import { feeder, pinMemory, rsync, ssh, worker } from './loader-programs.ts';
import { createRandom } from './random.ts';
import { Recorder } from './recorder.ts';
import { addPageAllocations, addSamples, GAP, sampleCpus } from './sampling.ts';
import { Scheduler } from './scheduler.ts';
import type { Program, Task } from './task.ts';
import { training } from './training-program.ts';
import { createQueues, type Workload } from './workload.ts';

const SEED = 2;
const CPUS = 4;
const STEPS = 64;
/** How long the recording goes on after the job ended. */
const AFTER_JOB_NS = 200_000_000;
/** How far CPU samples are planned ahead. */
const LATEST_END_NS = 40_000_000_000;

/** Moments at which threads were created, by thread. */
type Births = Map<number, number>;

function createWorkload(): { load: Workload; start(thread: number, program: Program): void } {
  const recorder = new Recorder();
  const random = createRandom(SEED);
  const scheduler = new Scheduler(CPUS, random, recorder);
  const tasks = new Map<number, Task>();
  const load: Workload = {
    scheduler,
    recorder,
    random,
    workers: WORKERS,
    steps: STEPS,
    gpuBusy: [],
    ...createQueues(WORKERS),
    task(thread) {
      const task = tasks.get(thread);
      if (task === undefined) throw new Error(`thread ${thread} was not started`);
      return task;
    },
  };
  return { load, start: (thread, program) => tasks.set(thread, scheduler.spawn(thread, program)) };
}

/** Forks the workers and starts the pin-memory thread, as DataLoader’s iterator does. */
function startLoader(
  load: Workload,
  births: Births,
  start: (thread: number, program: Program) => void,
) {
  const { scheduler, recorder } = load;
  const fork = (parent: number, thread: number, program: Program) => {
    births.set(thread, scheduler.nowNs);
    recorder.add('process_event', {
      startNs: scheduler.nowNs,
      thread: parent,
      op: recorder.texts.name('HOST', 'process_fork'),
      kind: 1,
      subject: thread,
    });
    start(thread, program);
  };
  for (let index = 0; index < WORKERS; index++) {
    fork(MAIN, workerThread(index), worker(load, workerThread(index), index));
    fork(workerThread(index), feederThread(index), feeder(load, feederThread(index), index));
  }
  fork(MAIN, PIN, pinMemory(load, PIN));
}

/** Runs until the job is over; gives the end of the recording. */
function runJob(load: Workload): number {
  const { scheduler, recorder } = load;
  let endNs = 0;
  const watch = () => {
    if (recorder.endNs.has(MAIN)) endNs = Math.max(...recorder.endNs.values()) + AFTER_JOB_NS;
    if (endNs > 0) return;
    scheduler.at(scheduler.nowNs + 50_000_000, watch);
  };
  scheduler.at(0, watch);
  scheduler.runUntil(() => endNs);
  return endNs;
}

/** The bundled sample: four DataLoader workers, the main thread and a backup on four CPUs. */
export function simulateDataloaderStarvation(): Trace {
  const births: Births = new Map();
  const { load, start } = createWorkload();
  start(RSYNC, rsync(load, RSYNC));
  start(SSH, ssh(load));
  start(
    MAIN,
    training(load, MAIN, () => startLoader(load, births, start)),
  );
  const lost = sampleCpus(load, LATEST_END_NS, (thread) => thread < RSYNC);
  const endNs = runJob(load);
  addSamples(load, endNs);
  const workers = Array.from({ length: WORKERS }, (_, index) => workerThread(index));
  addPageAllocations(load, endNs, workers);
  load.recorder.add('gap', {
    ...GAP,
    lost: lost.count,
    op: load.recorder.texts.name('LOST', 'cpu_sample'),
  });
  return buildTrace(load.recorder, births, endNs, processes, threads);
}

import { codeOf, wakeContexts } from '../../src-main/shared/model/codes.ts';
import { EventQueue } from './event-queue.ts';
import type { Random } from './random.ts';
import {
  type Action,
  type Channel,
  type Program,
  RUNNING,
  type Task,
  type WaitReason,
  type WakeContext,
} from './task.ts';

/**
 * A small scheduler of the kind Linux has: a queue per CPU, the least served task first, slices of
 * about 2.4 ms, a woken task to an idle CPU or back to its last one, an idle CPU takes from the
 * longest queue. Switches cost nothing. What it does is what the recorder is told.
 */

const SLICE_NS = [1_900_000, 2_900_000] as const;
const WAKE_LATENCY_NS = [3_000, 14_000] as const;
/** A task that runs is not preempted by a woken one before this. */
const MIN_RUN_NS = 700_000;

/** A simulation that gets here hangs. */
const LATEST_END_NS = 60_000_000_000;

interface Cpu {
  readonly index: number;
  readonly queue: Task[];
  current: Task | undefined;
  /** Who ran last. */
  lastThread: number;
  /** Counts switches, so that a planned end of slice knows whether it is still meant. */
  turn: number;
}

/** What the scheduler reports: exact, in the order it happens. */
export interface SchedulerListener {
  ran(task: Task, cpu: number, startNs: number, endNs: number): void;
  wasOff(task: Task, endNs: number, cpuIn: number, previousThread: number): void;
  exited(task: Task, atNs: number): void;
}

const preempted: WaitReason = { state: RUNNING, syscall: -1, syscallArg0: -1, file: -1 };

export class Scheduler {
  nowNs = 0;
  readonly tasks: Task[] = [];
  readonly #cpus: Cpu[];
  readonly #events = new EventQueue();
  readonly #random: Random;
  readonly #listener: SchedulerListener;

  constructor(cpuCount: number, random: Random, listener: SchedulerListener) {
    this.#random = random;
    this.#listener = listener;
    this.#cpus = Array.from({ length: cpuCount }, (_, index) => ({
      index,
      queue: [],
      current: undefined,
      lastThread: -1,
      turn: 0,
    }));
  }

  /** The task on the CPU, if any. */
  currentOf(cpu: number): Task | undefined {
    return this.#cpus[cpu]?.current;
  }

  at(atNs: number, run: () => void): void {
    this.#events.add(atNs, run);
  }

  /** Starts `program` as `thread`, runnable from now on. */
  spawn(thread: number, program: Program): Task {
    const task: Task = {
      thread,
      program,
      action: undefined,
      leftNs: 0,
      servedNs: this.#leastServed(),
      chargedFromNs: 0,
      cpu: thread % this.#cpus.length,
      onSinceNs: 0,
      offSinceNs: this.nowNs,
      runnableSinceNs: this.nowNs,
      reason: preempted,
      waker: -1,
      wakerContext: 0,
      nextThread: -1,
      cpuOut: -1,
      offCpuNs: 0,
      runQueueNs: 0,
    };
    this.tasks.push(task);
    this.#enqueue(task);
    return task;
  }

  /** Puts an item into a channel and wakes who waits for it. */
  put<Item>(channel: Channel<Item>, item: Item, by: Task): void {
    channel.items.push(item);
    const waiting = channel.waiting.shift();
    if (waiting !== undefined) this.#wake(waiting, by.thread, 'task');
  }

  /**
   * Runs until the moment that `endNs` gives once it is not 0; what goes on then is reported up to
   * there.
   */
  runUntil(endNs: () => number): void {
    for (let next = this.#events.take(); next !== undefined; next = this.#events.take()) {
      if (next.atNs > LATEST_END_NS) throw new Error('the simulation does not end');
      if (endNs() > 0 && next.atNs > endNs()) break;
      this.nowNs = next.atNs;
      next.run();
    }
    this.nowNs = endNs();
    for (const task of this.tasks) {
      const cpu = this.#cpus.find(({ current }) => current === task);
      if (cpu !== undefined) this.#listener.ran(task, cpu.index, task.onSinceNs, this.nowNs);
      else if (task.offSinceNs >= 0) this.#listener.wasOff(task, this.nowNs, -1, -1);
    }
  }

  #leastServed(): number {
    const served = this.#cpus.flatMap(({ current }) => (current ? [current.servedNs] : []));
    return served.length === 0 ? 0 : Math.min(...served);
  }

  #wake(task: Task, waker: number, context: WakeContext): void {
    task.waker = waker;
    task.wakerContext = codeOf(wakeContexts, context);
    task.runnableSinceNs = this.nowNs;
    task.servedNs = Math.max(task.servedNs, this.#leastServed());
    this.#enqueue(task);
  }

  #enqueue(task: Task): void {
    const isIdle = ({ current, queue }: Cpu) => current === undefined && queue.length === 0;
    const last = this.#cpus[task.cpu] as Cpu;
    const cpu = isIdle(last) ? last : (this.#cpus.find(isIdle) ?? last);
    task.cpu = cpu.index;
    cpu.queue.push(task);
    if (cpu.current === undefined)
      this.at(this.nowNs + this.#random(...WAKE_LATENCY_NS), () => this.#dispatch(cpu));
    // Not at once: the program of the running task may be in the middle of waking this one.
    else this.at(this.nowNs, () => this.#preemptFor(cpu, task));
  }

  #preemptFor(cpu: Cpu, task: Task): void {
    const { current, queue } = cpu;
    if (current === undefined || !queue.includes(task)) return;
    const ranNs = this.nowNs - current.onSinceNs;
    const unchargedNs = this.nowNs - current.chargedFromNs;
    if (ranNs < MIN_RUN_NS || task.servedNs + MIN_RUN_NS >= current.servedNs + unchargedNs) return;
    this.#charge(current);
    this.#leave(cpu, current, preempted);
  }

  /** The least served of the queue; an empty one takes from the longest. */
  #pick(cpu: Cpu): Task | undefined {
    let from = cpu.queue;
    if (from.length === 0)
      for (const { queue, current } of this.#cpus)
        if (current !== undefined && queue.length > from.length) from = queue;
    let best: Task | undefined;
    for (const task of from) if (best === undefined || task.servedNs < best.servedNs) best = task;
    if (best !== undefined) from.splice(from.indexOf(best), 1);
    return best;
  }

  #dispatch(cpu: Cpu): void {
    if (cpu.current !== undefined) return;
    const task = this.#pick(cpu);
    if (task === undefined) return;
    if (task.offSinceNs < this.nowNs) {
      task.offCpuNs += this.nowNs - task.offSinceNs;
      task.runQueueNs += this.nowNs - task.runnableSinceNs;
      this.#listener.wasOff(task, this.nowNs, cpu.index, cpu.lastThread);
    }
    task.cpu = cpu.index;
    task.onSinceNs = this.nowNs;
    cpu.current = task;
    cpu.turn++;
    if (task.action?.do === 'spin') task.leftNs = Math.max(0, task.action.untilNs - this.nowNs);
    if (task.leftNs === 0) this.#advance(cpu, task);
    else this.#planEnd(cpu, task);
  }

  #planEnd(cpu: Cpu, task: Task): void {
    const turn = ++cpu.turn;
    task.chargedFromNs = this.nowNs;
    const runNs = Math.min(task.leftNs, this.#random(...SLICE_NS));
    this.at(this.nowNs + runNs, () => {
      if (cpu.turn !== turn) return;
      this.#charge(task);
      if (task.leftNs === 0) this.#advance(cpu, task);
      else if (cpu.queue.some(({ servedNs }) => servedNs < task.servedNs))
        this.#leave(cpu, task, preempted);
      else this.#planEnd(cpu, task);
    });
  }

  #charge(task: Task): void {
    const ns = this.nowNs - task.chargedFromNs;
    task.leftNs -= ns;
    task.servedNs += ns;
  }

  /** Lets the program go on to its next action. */
  #advance(cpu: Cpu, task: Task): void {
    const { done, value } = task.program.next();
    if (done === true) {
      this.#exit(cpu, task);
      return;
    }
    task.action = value;
    this.#begin(cpu, task, value);
  }

  #begin(cpu: Cpu, task: Task, action: Action): void {
    if (action.do === 'run' || action.do === 'spin') {
      task.leftNs = Math.max(1, action.do === 'run' ? action.ns : action.untilNs - this.nowNs);
      this.#planEnd(cpu, task);
    } else if (action.do === 'sleep') {
      this.at(this.nowNs + action.ns, () => this.#wake(task, -1, action.wokenBy));
      this.#leave(cpu, task, action.reason);
    } else if (action.channel.items.length > 0) this.#advance(cpu, task);
    else {
      action.channel.waiting.push(task);
      this.#leave(cpu, task, action.reason);
    }
  }

  #leave(cpu: Cpu, task: Task, reason: WaitReason): void {
    this.#stop(cpu, task);
    task.offSinceNs = this.nowNs;
    task.runnableSinceNs = reason.state === RUNNING ? this.nowNs : Number.POSITIVE_INFINITY;
    task.reason = reason;
    task.waker = -1;
    task.wakerContext = 0;
    task.cpuOut = cpu.index;
    if (reason.state === RUNNING) cpu.queue.push(task);
    this.#dispatch(cpu);
    task.nextThread = cpu.current?.thread ?? -1;
  }

  #exit(cpu: Cpu, task: Task): void {
    this.#stop(cpu, task);
    task.offSinceNs = -1;
    this.#listener.exited(task, this.nowNs);
    this.#dispatch(cpu);
  }

  #stop(cpu: Cpu, task: Task): void {
    this.#listener.ran(task, cpu.index, task.onSinceNs, this.nowNs);
    cpu.current = undefined;
    cpu.lastThread = task.thread;
    cpu.turn++;
  }
}

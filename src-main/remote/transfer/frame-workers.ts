import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { FrameOutcome, FrameTask } from './frame-task.ts';

/** Each proves some 500 MB/s: more than three would wait for the connection. */
const MOST_PROVERS = 3;

/** Threads that take frames on, and one for the hash of the whole. */
export interface FrameWorkers {
  prove(task: Extract<FrameTask, { kind: 'prove' }>): Promise<FrameOutcome>;
  /** In the order it is asked for. */
  hashWhole(task: Exclude<FrameTask, { kind: 'prove' }>): Promise<FrameOutcome>;
  /** Nothing must be under way. */
  close(): Promise<void>;
}

export function openFrameWorkers(): FrameWorkers {
  const count = Math.min(MOST_PROVERS, Math.max(1, availableParallelism() - 1));
  const provers = Array.from({ length: count }, () => new FrameThread());
  const hasher = new FrameThread();
  return {
    prove(task) {
      const [least = hasher] = provers.toSorted((one, other) => one.pending - other.pending);
      return least.ask(task);
    },
    hashWhole: (task) => hasher.ask(task),
    async close() {
      await Promise.all([...provers, hasher].map((thread) => thread.close()));
    },
  };
}

/** Beside this file, or beside the entries where it was built. */
function program(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./frame-worker.${extension}`, import.meta.url);
}

class FrameThread {
  private readonly worker = new Worker(program(), { execArgv: [], stdin: false });
  private readonly waiting: PromiseWithResolvers<FrameOutcome>[] = [];
  private broken: Error | undefined;

  constructor() {
    this.worker.on('message', (outcome: FrameOutcome) => this.waiting.shift()?.resolve(outcome));
    this.worker.on('error', (error) => this.fail(error));
    this.worker.on('exit', () => this.fail(new Error('the frame worker has ended')));
  }

  get pending(): number {
    return this.waiting.length;
  }

  ask(task: FrameTask): Promise<FrameOutcome> {
    if (this.broken !== undefined) return Promise.reject(this.broken);
    const answer = Promise.withResolvers<FrameOutcome>();
    this.waiting.push(answer);
    this.worker.postMessage(task);
    return answer.promise;
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  /** Out of memory, or a bug: nobody shall wait for an answer that never comes. */
  private fail(error: Error): void {
    this.broken ??= error;
    for (const { reject } of this.waiting.splice(0)) reject(this.broken);
  }
}

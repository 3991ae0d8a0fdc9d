import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { type BuiltIndex, traceIndex } from '../../analysis/index/trace-index.ts';
import type { Asked, LongWork } from '../../questions/question.ts';
import { fail, type Result } from '../../shared/rpc/result.ts';
import {
  type ArgumentsOf,
  createRpcClient,
  type ReplyFrame,
  type RpcClient,
} from '../../shared/rpc/rpc.ts';
import { AT_REST_MS, atRest } from '../../system/at-rest.ts';
import type { AnswerThreadCalls, IndexMessage, ThreadData } from './answer-thread.ts';

type Name = keyof AnswerThreadCalls & string;

/** Threads of a trace process that answer what takes long: one for each kind of long work. All but that of diagnoses end at rest. */
export interface AnswerThreads {
  /**
   * What `asked` answers to the question `name`. Cancelled when nobody else waits for this kind of work, its
   * thread ends in the middle of it; the next question starts another.
   */
  ask<N extends Name>(
    work: LongWork,
    asked: Asked,
    name: N,
    args: ArgumentsOf<AnswerThreadCalls, N>,
    signal: AbortSignal,
  ): Promise<Result<unknown>>;
  /** Has it worked out ahead, where no thread does such work yet. */
  prepare<N extends Name>(
    work: LongWork,
    asked: Asked,
    name: N,
    args: ArgumentsOf<AnswerThreadCalls, N>,
  ): void;
  /** Ends all of them: what they know is of a trace that is another one now. */
  forget(): void;
}

export function createAnswerThreads(): AnswerThreads {
  const running = new Map<LongWork, AnswerThread>();

  function threadFor(work: LongWork, { trace, summary }: Asked): AnswerThread {
    const known = running.get(work);
    if (known !== undefined && !known.hasEnded) return known;
    const index = traceIndex(trace);
    const started = new AnswerThread({ trace, summary, work, index: index.built() }, (built) => {
      // Lanes hold ours.
      index.adopt(built, 'own');
      return index.built();
    });
    running.set(work, started);
    return started;
  }

  return {
    async ask(work, asked, name, args, signal) {
      const thread = threadFor(work, asked);
      const result = await thread.ask(name, args, signal);
      // A diagnosis is kept, so that its findings open at once; other threads are quick to start again.
      if (work !== 'diagnosis') thread.endAtRest();
      return result;
    },
    prepare(work, asked, name, args) {
      if (running.has(work)) return;
      void threadFor(work, asked).ask(name, args, new AbortController().signal);
    },
    forget() {
      for (const thread of running.values()) thread.end(CHANGED);
      running.clear();
    },
  };
}

/** Of what was asked about a trace that has other roles now. */
export const CHANGED = 'The trace has changed meanwhile: ask again.';
const AT_REST = 'Nobody has asked for a while.';
const ENDED =
  'This took more memory than there is: close other traces, or choose a shorter range, and try again.';

/** Beside this file, or beside the entries where it was built. */
function program(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./answer-thread.${extension}`, import.meta.url);
}

class AnswerThread {
  hasEnded = false;
  readonly #worker: Worker;
  readonly #client: RpcClient<AnswerThreadCalls>;
  /** Of those who wait for an answer: each question has a signal of its own. */
  readonly #wanted = new Set<AbortSignal>();
  #close: (reason: string) => void = () => undefined;

  constructor(workerData: ThreadData, joinIndex: (built: BuiltIndex) => BuiltIndex) {
    const maxOldGenerationSizeMb = getHeapStatistics().heap_size_limit / 2 ** 20;
    const resourceLimits = { maxOldGenerationSizeMb };
    const worker = new Worker(program(), {
      execArgv: [],
      stdin: false,
      workerData,
      resourceLimits,
    });
    // The process ends when its host wants it to, whatever is being worked out.
    worker.unref();
    worker.on('error', (error) => {
      console.error('a thread that answers has ended:', error);
      this.end(ENDED);
    });
    worker.on('exit', () => this.end(ENDED));
    this.#worker = worker;
    this.#client = createRpcClient({
      post: (frame) => worker.postMessage(frame),
      onFrame: (listener) =>
        worker.on('message', (message: ReplyFrame | IndexMessage) => {
          if ('index' in message)
            worker.postMessage({ index: joinIndex(message.index) } satisfies IndexMessage);
          else listener(message);
        }),
      onClose: (listener) => {
        this.#close = listener;
      },
    });
  }

  async ask<N extends Name>(
    name: N,
    args: ArgumentsOf<AnswerThreadCalls, N>,
    signal: AbortSignal,
  ): Promise<Result<unknown>> {
    this.#wanted.add(signal);
    // A thread in the middle of its work hears nothing: only its end stops it.
    const onAbort = () => {
      this.#wanted.delete(signal);
      if (this.#wanted.size === 0) this.end('Cancelled.');
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const result = await this.#client.call(name, args, { signal });
    signal.removeEventListener('abort', onAbort);
    this.#wanted.delete(signal);
    if (signal.aborted) return fail('cancelled', 'Cancelled.');
    const isLost = !result.ok && result.error.code === 'disconnected';
    return isLost ? fail('internal', result.error.message) : result;
  }

  /** Ends it once nobody has asked for a while: its memory goes back to the system. */
  readonly endAtRest = atRest(() => {
    if (this.#wanted.size === 0) this.end(AT_REST);
  }, AT_REST_MS / 2);

  end(reason: string): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.#close(reason);
    void this.#worker.terminate();
  }
}

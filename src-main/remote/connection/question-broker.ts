import { randomUUID } from 'node:crypto';
import type { RemoteAnswer, RemoteQuestion } from '../../shared/remote/questions.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { Ask } from '../link/ask.ts';
import type { EmitRemote } from './remote-options.ts';

const CANCEL: RemoteAnswer = { kind: 'cancel' };
/** Where the host that passes the question on keeps secrets, it says so in its place. */
const NOT_KEPT = { possible: false, why: 'Nothing can be kept here.' } as const;

interface Waiting {
  readonly connection: string;
  settle(answer: RemoteAnswer): void;
}

/** Passes questions to whoever listens, and their answers back; each is answered once or taken back. */
export class QuestionBroker {
  readonly #emit: EmitRemote;
  readonly #waiting = new Map<string, Waiting>();

  constructor(emit: EmitRemote) {
    this.#emit = emit;
  }

  /** Asks on behalf of `connection`. */
  askFor(connection: string): Ask {
    return (question, signal) => {
      if (signal.aborted) return Promise.resolve(CANCEL);
      const id = randomUUID();
      return new Promise((resolve) => {
        const takeBack = () => this.#waiting.get(id)?.settle(CANCEL);
        this.#waiting.set(id, {
          connection,
          settle: (answer) => {
            this.#waiting.delete(id);
            signal.removeEventListener('abort', takeBack);
            this.#emit('questionGone', { id });
            resolve(answer);
          },
        });
        signal.addEventListener('abort', takeBack, { once: true });
        this.#emit('question', {
          ...question,
          ...('attempt' in question && { keeping: NOT_KEPT }),
          id,
          connection,
        } as RemoteQuestion);
      });
    };
  }

  answer(id: string, answer: RemoteAnswer): Result<null, 'not-found'> {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined)
      return fail('not-found', 'That question is not waiting any more: connect again.');
    waiting.settle(answer);
    return ok(null);
  }

  /** Takes back what a connection asked. */
  cancelAll(connection: string): void {
    for (const waiting of [...this.#waiting.values()])
      if (waiting.connection === connection) waiting.settle(CANCEL);
  }
}

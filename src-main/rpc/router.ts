import { z } from 'zod';
import { fail, type Result } from '../shared/rpc/result.ts';
import type {
  CallContext,
  CallTable,
  Handlers,
  Progress,
  ReplyFrame,
  RequestFrame,
} from '../shared/rpc/rpc.ts';

const id = z.number().int().nonnegative();

/** What a peer may send. */
const requestFrame: z.ZodType<RequestFrame> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('call'), id, name: z.string(), args: z.unknown() }),
  z.strictObject({ kind: z.literal('cancel'), id }),
]);

/** Where an exception from a handler goes: a bug, logged by the host, never shown raw. */
export type BugLog = (call: string, bug: unknown) => void;

/** One connected peer: a window, a WebSocket, a parent process. */
export interface Session {
  /** Takes whatever the peer sent; anything that is no frame of the protocol is answered or dropped. */
  receive(message: unknown): void;
  /** Aborts what still runs for this peer. */
  close(): void;
}

/**
 * Serves a table of calls: validates names and arguments, maps results, reports progress, cancels.
 * The only place that catches what a handler throws.
 */
export function createRouter<Table extends CallTable>(
  table: Table,
  handlers: Handlers<Table>,
  logBug: BugLog,
): { connect(reply: (frame: ReplyFrame) => void): Session } {
  async function run(name: string, args: unknown, context: CallContext): Promise<Result<unknown>> {
    if (!Object.hasOwn(table, name))
      return fail('bad-arguments', `There is no call named "${name.slice(0, 80)}".`);
    const parsed = table[name]?.arguments.safeParse(args);
    if (parsed === undefined || !parsed.success) {
      return fail(
        'bad-arguments',
        `The arguments of ${name} are not valid.`,
        parsed?.error.message,
      );
    }
    try {
      const result = await handlers[name as keyof Table](parsed.data as never, context);
      return context.signal.aborted && result.ok ? fail('cancelled', 'Cancelled.') : result;
    } catch (bug) {
      if (context.signal.aborted) return fail('cancelled', 'Cancelled.');
      logBug(name, bug);
      return fail(
        'internal',
        `Something went wrong inside Stalltrace (${name}): the log has the details.`,
      );
    }
  }

  function connect(reply: (frame: ReplyFrame) => void): Session {
    const running = new Map<number, AbortController>();
    const ended = new AbortController();
    /** Whether the frame could be sent: one can be too long for a string, or hold what can't be cloned. */
    function send(name: string, frame: ReplyFrame): boolean {
      if (ended.signal.aborted) return true;
      try {
        reply(frame);
        return true;
      } catch (bug) {
        logBug(name, bug);
        return false;
      }
    }
    async function answer(id: number, name: string, args: unknown, signal: AbortSignal) {
      const result = await run(name, args, {
        signal,
        session: ended.signal,
        progress: (progress: Progress) => void send(name, { kind: 'progress', id, progress }),
      });
      running.delete(id);
      if (send(name, { kind: 'result', id, result })) return;
      const unsent = `The answer to ${name} could not be sent: the log has the details.`;
      send(name, { kind: 'result', id, result: fail('internal', unsent) });
    }
    return {
      receive(message) {
        const parsed = requestFrame.safeParse(message);
        if (!parsed.success) return;
        const frame = parsed.data;
        if (frame.kind === 'cancel') {
          running.get(frame.id)?.abort();
          return;
        }
        if (running.has(frame.id)) return;
        const controller = new AbortController();
        running.set(frame.id, controller);
        void answer(frame.id, frame.name, frame.args, controller.signal);
      },
      close() {
        ended.abort();
        for (const controller of running.values()) controller.abort();
      },
    };
  }

  return { connect };
}

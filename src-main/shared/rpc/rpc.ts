import type { z } from 'zod';
import { type Failure, fail, type Result } from './result.ts';

/**
 * One protocol for every pair that talks: renderer and host over Electron's ipc or a WebSocket,
 * host and its processes over their message port. Frames are JSON-safe; bulk data goes elsewhere.
 */

export interface Progress {
  /** 0…1, or `undefined` while the amount of work is not known. */
  readonly fraction?: number;
  readonly text: string;
  /** What is known already of what is asked for; what that is, the call says. */
  readonly soFar?: unknown;
}

interface CallSpec {
  readonly arguments: z.ZodType;
  readonly result: unknown;
  readonly errors: readonly string[];
}
export type CallTable = Readonly<Record<string, CallSpec>>;

export interface ResultType<Value> {
  readonly phantom?: Value;
}

/** Names a result type in a table of calls. */
export function returns<Value>(): ResultType<Value> {
  return {};
}

/** One entry of a table: the schema of its arguments, its result type, the codes it can fail with. */
export function defineCall<
  Arguments extends z.ZodType,
  Value,
  const Errors extends readonly string[],
>(
  args: Arguments,
  _result: ResultType<Value>,
  ...errors: Errors
): { readonly arguments: Arguments; readonly result: Value; readonly errors: Errors } {
  // The value is never read: the table carries the type only.
  return { arguments: args, result: undefined as Value, errors };
}

export type ArgumentsOf<Table extends CallTable, N extends keyof Table> = z.infer<
  Table[N]['arguments']
>;

/** Codes any call can fail with: the router's and the connection's own. */
export type CommonError = 'cancelled' | 'bad-arguments' | 'internal' | 'disconnected';
export type ErrorOf<Table extends CallTable, N extends keyof Table> =
  | Table[N]['errors'][number]
  | CommonError;
export type ResultOf<Table extends CallTable, N extends keyof Table> = Result<
  Table[N]['result'],
  ErrorOf<Table, N>
>;

/** What a call's implementation gets beside its arguments. */
export interface CallContext {
  /** Aborted when the caller cancels this call. */
  readonly signal: AbortSignal;
  /** Aborted when the caller has gone: its window was closed or reloaded, its connection lost. */
  readonly session: AbortSignal;
  progress(progress: Progress): void;
}

export type Handlers<Table extends CallTable> = {
  readonly [N in keyof Table]: (
    args: ArgumentsOf<Table, N>,
    context: CallContext,
  ) => Promise<Result<Table[N]['result'], ErrorOf<Table, N>>>;
};

export type RequestFrame =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly args: unknown }
  | { readonly kind: 'cancel'; readonly id: number };

export type ReplyFrame =
  | { readonly kind: 'result'; readonly id: number; readonly result: Result<unknown> }
  | { readonly kind: 'progress'; readonly id: number; readonly progress: Progress }
  | { readonly kind: 'event'; readonly name: string; readonly payload: unknown };

/** One end of a message connection. */
export interface FramePipe {
  post(frame: RequestFrame): void;
  onFrame(listener: (frame: ReplyFrame) => void): void;
  /** Called once when nothing more can arrive, with the sentence for whoever waits. */
  onClose(listener: (reason: string) => void): void;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface RpcClient<Table extends CallTable> {
  call<N extends keyof Table & string>(
    name: N,
    args: ArgumentsOf<Table, N>,
    options?: CallOptions,
  ): Promise<ResultOf<Table, N>>;
  on(event: string, listener: (payload: unknown) => void): () => void;
}

interface Waiting {
  settle(result: Result<unknown>): void;
  onProgress: ((progress: Progress) => void) | undefined;
}

/** A client of the `Table` served at the other end of `pipe`. */
export function createRpcClient<Table extends CallTable>(pipe: FramePipe): RpcClient<Table> {
  const waiting = new Map<number, Waiting>();
  const listeners = new Map<string, Set<(payload: unknown) => void>>();
  let nextId = 0;
  let closed: Failure<'disconnected'> | undefined;

  pipe.onFrame((frame) => {
    if (frame.kind === 'event') {
      for (const listener of listeners.get(frame.name) ?? []) listener(frame.payload);
      return;
    }
    const call = waiting.get(frame.id);
    if (frame.kind === 'progress') call?.onProgress?.(frame.progress);
    else call?.settle(frame.result);
  });
  pipe.onClose((reason) => {
    closed = { code: 'disconnected', message: reason };
    for (const call of [...waiting.values()]) call.settle({ ok: false, error: closed });
  });

  function call(name: string, args: unknown, options: CallOptions = {}): Promise<Result<unknown>> {
    if (closed !== undefined) return Promise.resolve({ ok: false, error: closed });
    const { signal } = options;
    if (signal?.aborted) return Promise.resolve(fail('cancelled', 'Cancelled.'));
    const id = nextId++;
    return new Promise((resolve) => {
      const onAbort = () => pipe.post({ kind: 'cancel', id });
      waiting.set(id, {
        onProgress: options.onProgress,
        settle(result) {
          waiting.delete(id);
          signal?.removeEventListener('abort', onAbort);
          resolve(result);
        },
      });
      signal?.addEventListener('abort', onAbort, { once: true });
      pipe.post({ kind: 'call', id, name, args });
    });
  }

  return {
    call: call as RpcClient<Table>['call'],
    on(event, listener) {
      const set = listeners.get(event) ?? new Set();
      listeners.set(event, set.add(listener));
      return () => set.delete(listener);
    },
  };
}

import type { Page, WebSocketRoute } from 'playwright-core';
import type {
  CallArguments,
  CallName,
  CallValue,
  EventName,
  Events,
} from '../../../src-main/contract/contract.ts';
import { fail, ok, type Result } from '../../../src-main/shared/rpc/result.ts';
import type { Progress } from '../../../src-main/shared/rpc/rpc.ts';

type RemoteName = Extract<CallName, `remote.${string}`>;
interface Told {
  readonly signal: AbortSignal;
  progress(progress: Progress): void;
}
type Answer<N extends RemoteName> = (
  args: CallArguments<N>,
  told: Told,
) => Result<CallValue<N>> | Promise<Result<CallValue<N>>>;

/**
 * Hosts that a test makes up, between the page and the app's real host: the page's calls `remote.*` are
 * answered here, everything else goes on. What no test host can be had for (40 hosts, 500 processes,
 * hostile names) is looked at with it; that the calls do what they say, real hosts prove.
 */
export class ScriptedRemote {
  readonly #answers = new Map<string, Answer<never>>();
  #socket: WebSocketRoute | undefined;
  readonly asked: { readonly name: string; readonly args: unknown }[] = [];

  answer<N extends RemoteName>(name: N, answer: Answer<N>): this {
    this.#answers.set(name, answer as Answer<never>);
    return this;
  }

  emit<E extends EventName>(name: E, payload: Events[E]): void {
    this.#socket?.send(JSON.stringify({ kind: 'event', name, payload }));
  }

  /** Before the page is loaded. */
  async attach(page: Page): Promise<void> {
    await page.routeWebSocket(/\/rpc$/, (socket) => {
      const server = socket.connectToServer();
      const running = new Map<number, AbortController>();
      this.#socket = socket;
      socket.onMessage((message) => {
        const frame = JSON.parse(String(message));
        if (frame.kind === 'cancel' && running.has(frame.id)) running.get(frame.id)?.abort();
        else if (frame.kind === 'call' && frame.name.startsWith('remote.'))
          void this.#serve(socket, frame, running);
        else server.send(message);
      });
    });
  }

  async #serve(
    socket: WebSocketRoute,
    { id, name, args }: { id: number; name: string; args: unknown },
    running: Map<number, AbortController>,
  ): Promise<void> {
    this.asked.push({ name, args });
    const abort = new AbortController();
    running.set(id, abort);
    const cancelled = new Promise<Result<never>>((resolve) => {
      abort.signal.addEventListener('abort', () => resolve(fail('cancelled', 'Cancelled.')));
    });
    const answer = this.#answers.get(name) as Answer<RemoteName> | undefined;
    const told: Told = {
      signal: abort.signal,
      progress: (progress) => socket.send(JSON.stringify({ kind: 'progress', id, progress })),
    };
    const answered = answer === undefined ? ok(null) : answer(args as never, told);
    const result = await Promise.race([answered, cancelled]);
    running.delete(id);
    socket.send(JSON.stringify({ kind: 'result', id, result }));
  }
}

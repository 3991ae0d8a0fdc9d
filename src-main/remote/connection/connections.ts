import type { ConnectError, ConnectedHost, HostError } from '../../shared/remote/connection.ts';
import type { HostTarget } from '../../shared/remote/host-target.ts';
import type { HostProcess } from '../../shared/remote/preflight.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import type { Link } from '../link/link.ts';
import { openLink } from '../link/open-link.ts';
import { openSession } from '../preflight/open-session.ts';
import type { HostSession } from '../shell/host-session.ts';
import { openHost } from './open-host.ts';
import type { QuestionBroker } from './question-broker.ts';
import type { EmitRemote, RemoteOptions } from './remote-options.ts';

/** A host that is signed in to, until its user lets go of it. */
export interface Connection {
  readonly id: string;
  readonly link: Link;
  /** Ends with it: for all that goes on over it. */
  readonly signal: AbortSignal;
  /** Of the last look at the host; absent before the first, and once its agent was removed. */
  session: HostSession | undefined;
  /** Names for what is captured: the list the user chose from. */
  processes: readonly HostProcess[];
  /** Whether the user wants the agent to stay. */
  keepAgent: boolean;
}

interface Kept extends Connection {
  readonly end: AbortController;
  readonly forget: () => void;
  looking: Promise<Result<HostSession, HostError | 'cancelled'>> | undefined;
}

/** All hosts that are signed in to, by the ids their callers chose. */
export class Connections {
  readonly #options: RemoteOptions;
  readonly #emit: EmitRemote;
  readonly #questions: QuestionBroker;
  readonly #open = new Map<string, Kept>();
  readonly #opening = new Set<string>();

  constructor(options: RemoteOptions, emit: EmitRemote, questions: QuestionBroker) {
    this.#options = options;
    this.#emit = emit;
    this.#questions = questions;
  }

  get(id: string): Connection | undefined {
    return this.#open.get(id);
  }

  all(): readonly Connection[] {
    return [...this.#open.values()];
  }

  async connect(
    id: string,
    target: HostTarget,
    label: string | undefined,
    { signal, progress }: Pick<CallContext, 'signal' | 'progress'>,
  ): Promise<Result<ConnectedHost, ConnectError | 'cancelled' | 'bad-arguments'>> {
    if (this.#open.has(id) || this.#opening.has(id))
      return fail('bad-arguments', 'That connection is there already.');
    this.#opening.add(id);
    try {
      const ask = this.#questions.askFor(id);
      const opened = await openHost(target, {
        folder: this.#options.folder,
        ask,
        signal,
        onStep: (text) => progress({ text }),
      });
      if (!opened.ok) return opened;
      const { host, open, forget } = opened.value;
      const linked = await openLink({
        connection: id,
        label: label ?? target.name,
        host,
        open,
        signal,
      });
      if (!linked.ok) {
        forget();
        return linked;
      }
      this.#keep(id, linked.value, forget);
      return ok(linked.value.connected);
    } finally {
      this.#opening.delete(id);
    }
  }

  /** Looks at the host anew with `again`, else only where that was not done yet. */
  async session(
    id: string,
    options: {
      readonly again?: boolean;
      readonly signal: AbortSignal;
      readonly progress: (text: string) => void;
    },
  ): Promise<Result<HostSession, HostError | 'cancelled'>> {
    const kept = this.#open.get(id);
    if (kept === undefined) return notConnected();
    if (kept.session !== undefined && options.again !== true) return ok(kept.session);
    // Two at once would put the agent there twice, and ask twice for a password.
    if (kept.looking !== undefined) {
      const looked = await kept.looking;
      const isAnothers = !looked.ok && looked.error.code === 'cancelled' && !options.signal.aborted;
      return isAnothers ? this.session(id, options) : looked;
    }
    const signal = AbortSignal.any([options.signal, kept.signal]);
    kept.looking = openSession(kept.link, {
      agentsFolder: this.#options.agentsFolder,
      ask: this.#questions.askFor(id),
      signal,
      progress: options.progress,
    }).finally(() => {
      kept.looking = undefined;
    });
    const looked = await kept.looking;
    if (looked.ok) kept.session = looked.value;
    return looked;
  }

  /** Ends all that goes on over a connection, and waits for a look at its host to have tidied up. */
  async end(id: string): Promise<void> {
    const kept = this.#open.get(id);
    kept?.end.abort();
    await kept?.looking;
  }

  /** Everything over it ends, and what was typed for it is forgotten. */
  disconnect(id: string): void {
    const kept = this.#open.get(id);
    if (kept === undefined) return;
    this.#open.delete(id);
    kept.end.abort();
    this.#questions.cancelAll(id);
    kept.link.close();
    kept.forget();
  }

  #keep(id: string, link: Link, forget: () => void): void {
    const end = new AbortController();
    const kept: Kept = {
      id,
      link,
      end,
      signal: end.signal,
      session: undefined,
      processes: [],
      keepAgent: false,
      forget,
      looking: undefined,
    };
    this.#open.set(id, kept);
    link.onState((state) => this.#emit('link', { connection: id, state }));
  }
}

export function notConnected(): Result<never, 'not-connected'> {
  return fail('not-connected', 'That host is not connected: connect to it again.');
}

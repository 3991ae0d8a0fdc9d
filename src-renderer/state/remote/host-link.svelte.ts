import type { Api } from '../../../src-main/contract/api.ts';
import type { ConnectedHost, LinkState } from '../../../src-main/shared/remote/connection.ts';
import type { HostTarget } from '../../../src-main/shared/remote/host-target.ts';
import type { RemoteAnswer, RemoteQuestion } from '../../../src-main/shared/remote/questions.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';

/** `ended`: it was cancelled or closed here. */
type LinkStatus = 'connecting' | 'connected' | 'failed' | 'ended';

/** Steps kept of one attempt: a host that tells thousands fills no memory. */
const STEPS_KEPT = 50;

/** One connection of this window to a host, from its first attempt until it is closed. */
export class HostLink {
  readonly #api: Api;
  readonly #abort = new AbortController();
  readonly #stops: (() => void)[];
  /** The connection's, by which questions and events find this window. */
  readonly id: string;
  readonly target: HostTarget;
  readonly label: string;
  #status = $state<LinkStatus>('connecting');
  #steps = $state.raw<readonly string[]>([]);
  #host = $state.raw<ConnectedHost | undefined>();
  #failure = $state.raw<Failure | undefined>();
  #state = $state.raw<LinkState>({ kind: 'connected' });
  #questions = $state.raw<readonly RemoteQuestion[]>([]);

  /** `host`: of a connection that is there already, as before a reload. */
  constructor(api: Api, target: HostTarget, label: string, host?: ConnectedHost) {
    this.#api = api;
    this.id = host?.connection ?? crypto.randomUUID();
    this.#host = host;
    if (host !== undefined) this.#status = 'connected';
    this.target = target;
    this.label = label;
    this.#stops = [
      api.on('remote.question', (question) => {
        if (question.connection === this.id) this.#questions = [...this.#questions, question];
      }),
      api.on('remote.questionGone', ({ id }) => this.#drop(id)),
      api.on('remote.link', ({ connection, state }) => {
        if (connection !== this.id) return;
        this.#state = state;
        if (state.kind === 'closed') this.#lose(state.why);
      }),
    ];
  }

  get status(): LinkStatus {
    return this.#status;
  }

  /** What was done so far, the last one is under way. */
  get steps(): readonly string[] {
    return this.#steps;
  }

  get host(): ConnectedHost | undefined {
    return this.#host;
  }

  /** Why there is no connection. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** Of a host that was signed in to. */
  get state(): LinkState {
    return this.#state;
  }

  /** What it waits for a person for. */
  get question(): RemoteQuestion | undefined {
    return this.#questions[0];
  }

  /** Signs in; whether it could. */
  async connect(): Promise<boolean> {
    const { id: connection, target, label } = this;
    const result = await this.#api.call(
      'remote.connect',
      { connection, target, label: label.slice(0, 255) },
      { signal: this.#abort.signal, onProgress: ({ text }) => this.#step(text) },
    );
    this.#questions = [];
    if (this.#status === 'ended') return false;
    this.#status = result.ok ? 'connected' : 'failed';
    if (result.ok) this.#host = result.value;
    else this.#failure = result.error;
    return result.ok;
  }

  /** Nothing of an answer is kept here. */
  async answer(question: RemoteQuestion, answer: RemoteAnswer): Promise<void> {
    this.#drop(question.id);
    await this.#api.call('remote.answer', { question: question.id, answer });
  }

  /** Tries a lost connection again at once; whether there is one that can be tried. */
  async retry(): Promise<boolean> {
    const tried = await this.#api.call('remote.retry', { connection: this.id });
    return tried.ok;
  }

  /** Ends the attempt or the connection. Captures go on. */
  end(): void {
    const wasThere = this.#status === 'connecting' || this.#status === 'connected';
    this.drop();
    if (wasThere) void this.#api.call('remote.disconnect', { connection: this.id });
  }

  /** Listens no more, where the connection is gone already. */
  drop(): void {
    this.#status = 'ended';
    this.#questions = [];
    this.#abort.abort();
    for (const stop of this.#stops) stop();
  }

  #lose(why: string): void {
    if (this.#status !== 'connected') return;
    this.#status = 'failed';
    this.#failure = { code: 'link-lost', message: why };
  }

  #step(text: string): void {
    if (text === '' || text === this.#steps.at(-1)) return;
    this.#steps = [...this.#steps, text].slice(-STEPS_KEPT);
  }

  #drop(id: string): void {
    this.#questions = this.#questions.filter((question) => question.id !== id);
  }
}

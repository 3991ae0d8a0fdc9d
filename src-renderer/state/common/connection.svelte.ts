import type { Result } from '../../../src-main/shared/rpc/result.ts';
import type { FramePipe } from '../../../src-main/shared/rpc/rpc.ts';

/** `refused`: the host does not know this page, only a new launch link helps. */
export type ConnectionStatus = 'connecting' | 'connected' | 'lost' | 'refused';

export type OpenPipe = () => Promise<Result<FramePipe, 'refused' | 'unreachable'>>;

/** What a lost connection means and what helps, wherever it is told. */
export const CONNECTION_LOST =
  'The connection to Stalltrace was lost; this page keeps trying to reconnect. If Stalltrace was stopped, start it again in its terminal and open the link it prints.';

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/** Keeps a pipe to the host: opens it, notices its end, tries again with growing pauses. */
export class Connection {
  readonly #openPipe: OpenPipe;
  readonly #attach: (pipe: FramePipe) => void;
  #status = $state<ConnectionStatus>('connecting');
  #whyLost = $state(CONNECTION_LOST);
  #everConnected = $state(false);
  #busy = $state(false);
  #retryMs = FIRST_RETRY_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `attach` gets every new pipe. */
  constructor(openPipe: OpenPipe, attach: (pipe: FramePipe) => void) {
    this.#openPipe = openPipe;
    this.#attach = attach;
  }

  get status(): ConnectionStatus {
    return this.#status;
  }

  /** While it is lost: what that means and what helps. */
  get whyLost(): string {
    return this.#whyLost;
  }

  /** Whether there is data on the screen that a lost connection must not take away. */
  get everConnected(): boolean {
    return this.#everConnected;
  }

  /** An attempt is under way. */
  get busy(): boolean {
    return this.#busy;
  }

  async connect(): Promise<void> {
    if (this.#busy) return;
    clearTimeout(this.#timer);
    this.#busy = true;
    const opened = await this.#openPipe();
    this.#busy = false;
    if (!opened.ok) {
      this.#whyLost = opened.error.message;
      this.#status = opened.error.code === 'refused' ? 'refused' : 'lost';
      if (this.#status === 'lost') this.#retryLater();
      return;
    }
    this.#retryMs = FIRST_RETRY_MS;
    opened.value.onClose(() => this.#lose());
    this.#attach(opened.value);
    this.#status = 'connected';
    this.#everConnected = true;
  }

  #lose(): void {
    this.#whyLost = CONNECTION_LOST;
    this.#status = 'lost';
    this.#retryLater();
  }

  #retryLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.connect(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }
}

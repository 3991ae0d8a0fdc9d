import type { Api } from '../../../src-main/contract/api.ts';
import type { HostProcess } from '../../../src-main/shared/remote/preflight.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';
import { gpuJobs, hostProcessRows, inShownOrder, walkProcesses } from '../../lib/host-processes.ts';
import { toggled } from '../../lib/toggled.ts';

/** From an answer to the next question. */
const REFRESH_MS = 3_000;
/** The most that a capture takes. */
const MOST_CHOSEN = 64;

/** The processes of a host, asked for again and again while they are on the screen. */
export class ProcessList {
  readonly #api: Api;
  #trees = $state.raw<readonly HostProcess[] | undefined>();
  #gpuDetail = $state<string | undefined>();
  #failure = $state.raw<Failure | undefined>();
  #filter = $state('');
  #closed = $state.raw<ReadonlySet<number>>(new Set());
  #chosen = $state.raw<ReadonlySet<number>>(new Set());
  #watching: { stop: () => void; again: () => void } | undefined;

  readonly rows = $derived(
    hostProcessRows(this.#trees ?? [], {
      filter: this.#filter,
      closed: this.#closed,
      chosen: this.#chosen,
    }),
  );
  readonly #byPid = $derived(
    new Map([...walkProcesses(this.#trees ?? [])].map((process) => [process.pid, process])),
  );
  /** The chosen ones that run. */
  readonly chosen: readonly HostProcess[] = $derived(
    [...this.#chosen].flatMap((pid) => this.#byPid.get(pid) ?? []),
  );
  /** How many have been chosen and have ended since. */
  readonly ended = $derived(this.#chosen.size - this.chosen.length);

  constructor(api: Api) {
    this.#api = api;
  }

  /** `undefined` until the first answer. */
  get trees(): readonly HostProcess[] | undefined {
    return this.#trees;
  }

  /** Why the GPUs' own list is missing. */
  get gpuDetail(): string | undefined {
    return this.#gpuDetail;
  }

  /** Why the list is not there, or not new any more. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  get filter(): string {
    return this.#filter;
  }

  /** Whether no more can be chosen. */
  get isFull(): boolean {
    return this.#chosen.size >= MOST_CHOSEN;
  }

  setFilter(filter: string): void {
    this.#filter = filter;
  }

  toggleOpen(pid: number): void {
    this.#closed = toggled(this.#closed, pid);
  }

  /** Chooses a process with all below it, or takes that back. */
  toggleChosen(pid: number): void {
    if (!this.#chosen.has(pid) && this.isFull) return;
    this.#chosen = toggled(this.#chosen, pid);
  }

  /** Forgets those that were chosen and have ended. */
  dropEnded(): void {
    this.#chosen = new Set(this.chosen.map(({ pid }) => pid));
  }

  /** Asks at once, and from then on until the returned function is called. */
  watch(connection: string): () => void {
    this.#watching?.stop();
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isAsking = false;
    const ask = async (): Promise<void> => {
      clearTimeout(timer);
      if (isAsking || abort.signal.aborted) return;
      isAsking = true;
      await this.#ask(connection, abort.signal);
      isAsking = false;
      if (!abort.signal.aborted) timer = setTimeout(() => void ask(), REFRESH_MS);
    };
    const watching = {
      again: () => void ask(),
      stop: () => {
        abort.abort();
        clearTimeout(timer);
      },
    };
    this.#watching = watching;
    watching.again();
    return watching.stop;
  }

  /** Asks now instead of in a few seconds. */
  again(): void {
    this.#watching?.again();
  }

  /** For another host. */
  clear(): void {
    this.#watching?.stop();
    this.#watching = undefined;
    this.#trees = this.#failure = this.#gpuDetail = undefined;
    this.#filter = '';
    this.#closed = this.#chosen = new Set();
  }

  async #ask(connection: string, signal: AbortSignal): Promise<void> {
    const listed = await this.#api.call('remote.processes', { connection }, { signal });
    if (signal.aborted) return;
    this.#failure = listed.ok ? undefined : listed.error;
    if (!listed.ok) return;
    const isFirst = this.#trees === undefined;
    this.#trees = inShownOrder(this.#trees ?? [], listed.value.trees);
    this.#gpuDetail = listed.value.gpuDetail;
    const [job, ...others] = gpuJobs(this.#trees);
    if (isFirst && this.#chosen.size === 0 && job !== undefined && others.length === 0)
      this.#chosen = new Set([job.pid]);
  }
}

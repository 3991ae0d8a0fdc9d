import type { Api } from '../../../src-main/contract/api.ts';
import type { CaptureRequest } from '../../../src-main/shared/remote/capture-request.ts';
import type { Run } from '../../../src-main/shared/remote/run.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';
import type { CaptureFields, CaptureOptions } from './capture-options.svelte.ts';
import type { HostLink } from './host-link.svelte.ts';
import type { OtherHost, OtherHosts } from './other-hosts.svelte.ts';

/** One of the hosts of a capture: the one that was connected to first, or another one. */
export type StartedHost = OtherHost | 'first';

/** What is to be started on one host. */
interface Start {
  readonly host: StartedHost;
  readonly link: HostLink;
  readonly request: CaptureRequest;
}

/** A capture that began, and what was filled in for it. */
export interface Begun {
  readonly run: string;
  readonly fields: CaptureFields;
}

interface Screen {
  readonly options: CaptureOptions;
  readonly others: OtherHosts;
  /** The first host, and its request or what is missing for it; undefined where there is none. */
  first(): { readonly link: HostLink; readonly request: CaptureRequest | string } | undefined;
  /** A capture began by a connection. */
  begun(run: Run, link: HostLink): void;
}

/** Starts captures on one host, or on several at once: where it fails on some, those are tried again. */
export class Starts {
  readonly #api: Api;
  readonly #screen: Screen;
  #starting = $state(false);
  #failure = $state.raw<Failure | undefined>();
  /** Those that began of what one press asked for, until it is ended. */
  #begun = $state.raw<ReadonlyMap<StartedHost, Begun>>(new Map());
  /** Which press an answer belongs to. */
  #press = 0;

  constructor(api: Api, screen: Screen) {
    this.#api = api;
    this.#screen = screen;
  }

  /** Whether captures are being started. */
  get starting(): boolean {
    return this.#starting;
  }

  /** Why it did not begin on the first host. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** On how many hosts it began, while on others it could not. */
  get count(): number {
    return this.#begun.size;
  }

  /** Whether it began on a host, while on another it could not. */
  has(host: StartedHost): boolean {
    return this.#begun.has(host);
  }

  /** The capture of a host that began. */
  runOf(host: StartedHost): string | undefined {
    return this.#begun.get(host)?.run;
  }

  /** Whether it began on all hosts that are still wanted. */
  get isWhole(): boolean {
    return this.count > 0 && this.#hosts().every((host) => this.has(host));
  }

  /** Those that began, the first host's first. */
  get inOrder(): readonly Begun[] {
    return this.#hosts().flatMap((host) => this.#begun.get(host) ?? []);
  }

  /** Why nothing can be started yet; of other hosts with the name of the first that hinders it. */
  get missing(): string | undefined {
    const starts = this.#wanted();
    return typeof starts === 'string' ? starts : undefined;
  }

  /** Starts it where it did not begin yet. */
  async start(): Promise<void> {
    const starts = this.#wanted();
    if (typeof starts === 'string' || this.#starting) return;
    const press = ++this.#press;
    this.#starting = true;
    await Promise.all(starts.map((each) => this.#start(each, press)));
    this.#starting = false;
  }

  /** A capture will bring nothing: its host can start another one. */
  giveUp(run: string): void {
    this.#begun = new Map([...this.#begun].filter(([, begun]) => begun.run !== run));
  }

  /** Those that began are no longer waited with. */
  end(): void {
    this.#press++;
    this.#begun = new Map();
    this.forgetFailures();
  }

  forgetFailures(): void {
    this.#failure = undefined;
    for (const host of this.#screen.others.list) host.noteStart(undefined);
  }

  #hosts(): readonly StartedHost[] {
    return ['first', ...this.#screen.others.list];
  }

  #wanted(): readonly Start[] | string {
    const { options, others } = this.#screen;
    const first = this.#screen.first();
    if (first === undefined) return '';
    const all = [
      { host: 'first' as const, ...first },
      ...others.list.map((host) => ({ host, link: host.link, request: host.request(options) })),
    ];
    const starts: Start[] = [];
    for (const { request, ...start } of all) {
      if (this.has(start.host)) continue;
      if (typeof request === 'string') return request;
      starts.push({ ...start, request });
    }
    return starts;
  }

  async #start({ host, link, request }: Start, press: number): Promise<void> {
    const { options } = this.#screen;
    const line = host === 'first' ? undefined : host.line;
    const fields = { ...options.fields, ...(line !== undefined && { line }) };
    this.#note(host, undefined);
    const started = await this.#api.call('remote.start', { connection: link.id, request });
    if (started.ok) this.#screen.begun(started.value, link);
    // Left meanwhile: it records by itself.
    if (press !== this.#press) return;
    if (started.ok)
      this.#begun = new Map([...this.#begun, [host, { run: started.value.id, fields }]]);
    else this.#note(host, started.error);
  }

  #note(host: StartedHost, failure: Failure | undefined): void {
    if (host === 'first') this.#failure = failure;
    else host.noteStart(failure);
  }
}

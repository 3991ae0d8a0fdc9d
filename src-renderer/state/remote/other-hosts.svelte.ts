import type { Api } from '../../../src-main/contract/api.ts';
import type { CaptureRequest } from '../../../src-main/shared/remote/capture-request.ts';
import type { HostTarget, KnownHost } from '../../../src-main/shared/remote/host-target.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';
import { shortWords } from '../../lib/run-words.ts';
import type { CaptureOptions } from './capture-options.svelte.ts';
import { HostLink } from './host-link.svelte.ts';
import { PreflightCheck } from './preflight-check.svelte.ts';
import { ProcessList } from './process-list.svelte.ts';

/** One more than these is the first host; a merge takes 64 files. */
const MOST_OTHERS = 63;

/** Another host, whose capture begins together with that of the first one. */
export class OtherHost {
  readonly #api: Api;
  readonly preflight: PreflightCheck;
  readonly processes: ProcessList;
  #link: HostLink = $state.raw() as HostLink;
  #line = $state<string | undefined>();
  #startFailure = $state.raw<Failure | undefined>();

  constructor(api: Api, target: HostTarget, label: string) {
    this.#api = api;
    this.preflight = new PreflightCheck(api);
    this.processes = new ProcessList(api);
    this.#link = new HostLink(api, target, label);
  }

  get link(): HostLink {
    return this.#link;
  }

  get label(): string {
    return this.#link.label;
  }

  /** Its own command; undefined: that of the first host. */
  get line(): string | undefined {
    return this.#line;
  }

  /** What went wrong last: why its capture did not begin, why it could not be looked at or reached. */
  get failure(): Failure | undefined {
    return this.#startFailure ?? this.preflight.failure ?? this.#link.failure;
  }

  /** Whether it is being reached or looked at. */
  get isBusy(): boolean {
    return this.#link.status === 'connecting' || this.preflight.busy;
  }

  setLine(line: string | undefined): void {
    this.#line = line;
  }

  /** What starting it led to. */
  noteStart(failure: Failure | undefined): void {
    this.#startFailure = failure;
  }

  /** Signs in, and looks at the host. */
  async connect(): Promise<void> {
    const link = this.#link;
    if ((await link.connect()) && link === this.#link) await this.preflight.run(link.id);
  }

  /** Does again what did not work: the connection, or the look at the host. */
  async again(): Promise<void> {
    this.#startFailure = undefined;
    const { target, label, status, id } = this.#link;
    if (status === 'connected') return this.preflight.run(id);
    this.#link.drop();
    this.#link = new HostLink(this.#api, target, label);
    await this.connect();
  }

  /** The request for this host; what is missing or wrong as a sentence instead. */
  request(options: CaptureOptions): CaptureRequest | string {
    const allowed = this.preflight.value?.mode;
    const name = shortWords(this.label);
    if (this.#link.status !== 'connected') return `${name} is not connected.`;
    if (allowed === undefined) return `What ${name} allows is not known yet.`;
    if (allowed === 'none') return `Nothing can be captured on ${name}.`;
    const pids = this.processes.chosen.map(({ pid }) => pid);
    const request = options.request(pids, allowed, this.#line);
    return typeof request === 'string' ? `${name}: ${request}` : request;
  }
}

export const isSameTarget = (one: HostTarget, other: HostTarget): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Rented hosts share an address: then the port tells them apart. */
function labelOf({ name, user, port }: HostTarget, taken: readonly HostLink[]): string {
  const words = [name, `${name}:${port ?? 22}`, `${user ?? ''}@${name}:${port ?? 22}`];
  return words.find((word) => taken.every(({ label }) => label !== word)) ?? name;
}

/** The hosts that are captured from together with the first one. */
export class OtherHosts {
  readonly #api: Api;
  #list = $state.raw<readonly OtherHost[]>([]);
  #problem = $state<string | undefined>();

  constructor(api: Api) {
    this.#api = api;
  }

  get list(): readonly OtherHost[] {
    return this.#list;
  }

  /** Why the last one was not added. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Whether no more can be added. */
  get isFull(): boolean {
    return this.#list.length >= MOST_OTHERS;
  }

  /** Adds what was typed: the name of a known host, or a pasted ssh command; none of those that are `taken`. */
  async add(
    text: string,
    known: readonly KnownHost[],
    taken: readonly HostLink[],
  ): Promise<boolean> {
    this.#problem = undefined;
    const name = text.trim();
    const host = known.find(({ label }) => label === name);
    if (host !== undefined) return this.#add(host.target, host.label, taken);
    const parsed = await this.#api.call('remote.parseTarget', { text: name.slice(0, 4096) });
    if (parsed.ok) return this.#add(parsed.value, labelOf(parsed.value, taken), taken);
    this.#problem = parsed.error.message;
    return false;
  }

  /** Takes one off; its connection ends where `isFollowing` says that nothing needs it. */
  remove(host: OtherHost, isFollowing: (link: HostLink) => boolean): void {
    this.#list = this.#list.filter((each) => each !== host);
    host.preflight.clear();
    host.processes.clear();
    if (!isFollowing(host.link)) host.link.end();
  }

  #add(target: HostTarget, label: string, taken: readonly HostLink[]): boolean {
    const same = taken.find((link) => isSameTarget(link.target, target));
    if (this.isFull) this.#problem = `A run can have at most ${MOST_OTHERS + 1} hosts.`;
    else if (same !== undefined)
      this.#problem = `${shortWords(same.label)} is among the hosts already.`;
    if (this.#problem !== undefined) return false;
    const host = new OtherHost(this.#api, target, label);
    this.#list = [...this.#list, host];
    void host.connect();
    return true;
  }
}

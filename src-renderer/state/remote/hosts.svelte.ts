import type { Api } from '../../../src-main/contract/api.ts';
import type {
  HostList,
  HostTarget,
  KnownHost,
} from '../../../src-main/shared/remote/host-target.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';
import type { Toasts } from '../common/toasts.svelte.ts';

const EMPTY: HostList = { hosts: [], problems: [] };

/** Last connected first; then by name. */
function byUse(one: KnownHost, other: KnownHost): number {
  const [a = '', b = ''] = [one.lastConnected, other.lastConnected];
  if (a !== b) return a < b ? 1 : -1;
  return one.label.localeCompare(other.label);
}

/** The hosts that can be chosen: of the SSH configuration, and those that were saved. */
export class Hosts {
  readonly #api: Api;
  readonly #toasts: Toasts;
  #list = $state.raw<HostList | undefined>();
  #failure = $state.raw<Failure | undefined>();
  #search = $state('');

  readonly shown: readonly KnownHost[] = $derived.by(() => {
    const words = this.#search.toLowerCase().split(/\s+/);
    const fits = ({ label, address = '', target }: KnownHost) => {
      const text = `${label} ${address} ${target.name}`.toLowerCase();
      return words.every((word) => text.includes(word));
    };
    return (this.#list ?? EMPTY).hosts.filter(fits).sort(byUse);
  });

  constructor(api: Api, toasts: Toasts) {
    this.#api = api;
    this.#toasts = toasts;
    api.on('remote.changed', () => {
      if (this.#list !== undefined) void this.load();
    });
  }

  /** `undefined` until it was read. */
  get list(): HostList | undefined {
    return this.#list;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  get search(): string {
    return this.#search;
  }

  setSearch(search: string): void {
    this.#search = search;
  }

  async load(): Promise<void> {
    const listed = await this.#api.call('remote.hosts', {});
    this.#failure = listed.ok ? undefined : listed.error;
    if (listed.ok) this.#list = listed.value;
  }

  /** Keeps a host, without any secret; `id` of the saved one that it replaces. */
  async save(label: string, target: HostTarget, id?: string): Promise<boolean> {
    const args = { label, target, ...(id !== undefined && { id }) };
    const saved = await this.#api.call('remote.saveHost', args);
    if (!saved.ok) this.#toasts.error(saved.error.message);
    else this.#toasts.show(`Saved as “${saved.value.label}”. Passwords are not part of it.`);
    if (saved.ok) await this.load();
    return saved.ok;
  }

  async forget(host: KnownHost): Promise<void> {
    const id = savedId(host);
    if (id === undefined) return;
    const forgotten = await this.#api.call('remote.forgetHost', { id });
    if (!forgotten.ok) this.#toasts.error(forgotten.error.message);
    else
      this.#toasts.show(`“${host.label}” is forgotten, with what was kept of its passwords.`, {
        label: 'Save it again',
        run: () => void this.save(host.label, host.target),
      });
    await this.load();
  }
}

/** The id a saved host is changed and forgotten by; none for those of the SSH configuration. */
export function savedId({ id, from }: KnownHost): string | undefined {
  return from === 'saved' ? id.slice('saved:'.length) : undefined;
}

import { SECRET_SCHEME, UNKNOWN_PAGE } from '../src-main/shared/browser-session.ts';
import { fail, ok, type Result } from '../src-main/shared/rpc/result.ts';
import { CONNECTION_LOST } from './state/common/connection.svelte.ts';
import type { TabSecrets } from './tab-secrets.ts';

/** `refused`: the host does not know this page, a new link is needed. `unreachable`: try again. */
export type ConnectError = 'refused' | 'unreachable';

/** In the storage of this tab and origin: a reload keeps it, a server on another port can't have it. */
const SECRET_KEY = 'stalltrace.secret';

/** The page's sessionStorage, which may throw where storage is forbidden. */
type SecretStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

interface SessionOptions {
  /** Of the link that opened the page. */
  readonly token: string | undefined;
  readonly storage: SecretStorage;
  readonly tabs: TabSecrets;
}

/** The token of a link's fragment (`#token=…`). */
export function tokenOfFragment(fragment: string): string | undefined {
  const token = new URLSearchParams(fragment.replace(/^#/, '')).get('token');
  return token === null || token === '' ? undefined : token;
}

/** What lets this page in at the browser host: the secret of this start of Stalltrace. */
export class PageSession {
  readonly #storage: SecretStorage;
  readonly #tabs: TabSecrets;
  readonly #refused = new Set<string>();
  #token: string | undefined;
  #secret: string | undefined;

  constructor({ token, storage, tabs }: SessionOptions) {
    this.#token = token;
    this.#storage = storage;
    this.#tabs = tabs;
    this.#secret = withStorage(() => storage.getItem(SECRET_KEY)) ?? undefined;
  }

  /** A link was opened in this page: its token is tried first. */
  take(token: string): void {
    this.#token = token;
  }

  /** The secret to try: of the link, else of this tab, else of another one. */
  async find(): Promise<Result<string, ConnectError>> {
    if (this.#token !== undefined) {
      const answer = await exchange(this.#token);
      if (answer === 'unreachable') return fail('unreachable', CONNECTION_LOST);
      this.#token = undefined;
      if (answer !== 'refused') this.#keep(answer);
    }
    if (this.#secret === undefined) this.#keep(await this.#tabs.ask(this.#refused));
    return this.#secret === undefined ? fail('refused', UNKNOWN_PAGE) : ok(this.#secret);
  }

  /** The host took the secret; until `lost`, other tabs get it. */
  proved(): void {
    this.#tabs.share(this.#secret);
  }

  lost(): void {
    this.#tabs.share(undefined);
  }

  /** The host does not know this secret: it was that of an earlier start. */
  reject(secret: string): void {
    this.#refused.add(secret);
    if (this.#secret === secret) this.#keep(undefined);
  }

  headers(): Record<string, string> {
    return { authorization: `${SECRET_SCHEME} ${this.#secret ?? ''}` };
  }

  /** A ticket for one request, `GET /archive/7`. */
  async ticket(action: string): Promise<Result<string, 'disconnected'>> {
    const headers = { ...this.headers(), 'content-type': 'application/json' };
    try {
      const body = JSON.stringify({ action });
      const answer = await fetch('/tickets', { method: 'POST', headers, body });
      if (answer.status === 403) return fail('disconnected', UNKNOWN_PAGE);
      const { ticket } = (await answer.json()) as { ticket: string };
      return ok(ticket);
    } catch {
      return fail('disconnected', CONNECTION_LOST);
    }
  }

  #keep(secret: string | undefined): void {
    this.#secret = secret;
    withStorage(() =>
      secret === undefined
        ? this.#storage.removeItem(SECRET_KEY)
        : this.#storage.setItem(SECRET_KEY, secret),
    );
  }
}

function withStorage<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}

async function exchange(token: string): Promise<string> {
  try {
    const answer = await fetch('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    if (!answer.ok) return 'refused';
    return ((await answer.json()) as { secret: string }).secret;
  } catch {
    return 'unreachable';
  }
}

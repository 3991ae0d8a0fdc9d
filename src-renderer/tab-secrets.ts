/** How long an open tab has to answer; it does so at once, unless the machine is busy. */
const ANSWER_MS = 700;
const SECRET = /^[\w-]{43}$/;

type Message = { readonly kind: 'ask' } | { readonly kind: 'secret'; readonly secret: string };

/** What this needs of a BroadcastChannel, which reaches the tabs of the same origin only. */
export interface TabChannel {
  postMessage(message: Message): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  removeEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

const ALONE: TabChannel = {
  postMessage: () => undefined,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
};

/** Where a browser forbids it, the tab hears of no other. */
export function openTabChannel(): TabChannel {
  try {
    return new BroadcastChannel('stalltrace');
  } catch {
    return ALONE;
  }
}

/** Tabs of one browser share the secret, so that a second one needs no link of its own. */
export class TabSecrets {
  readonly #channel: TabChannel;
  /** Only what the host took is handed on. */
  #proved: string | undefined;

  constructor(channel: TabChannel) {
    this.#channel = channel;
    channel.addEventListener('message', ({ data }) => {
      if (isMessage(data, 'ask') && this.#proved !== undefined)
        channel.postMessage({ kind: 'secret', secret: this.#proved });
    });
  }

  /** The secret to answer with from now on, `undefined` while the host is not there. */
  share(secret: string | undefined): void {
    this.#proved = secret;
  }

  /** The secret of another tab, unless it is one of `refused`. */
  ask(refused: ReadonlySet<string>): Promise<string | undefined> {
    return new Promise((resolve) => {
      const settle = (secret: string | undefined) => {
        clearTimeout(timer);
        this.#channel.removeEventListener('message', listen);
        resolve(secret);
      };
      const listen = ({ data }: { readonly data: unknown }) => {
        const secret = secretOf(data);
        if (secret !== undefined && !refused.has(secret)) settle(secret);
      };
      const timer = setTimeout(() => settle(undefined), ANSWER_MS);
      this.#channel.addEventListener('message', listen);
      this.#channel.postMessage({ kind: 'ask' });
    });
  }
}

function isMessage(data: unknown, kind: Message['kind']): data is { readonly kind: string } {
  return typeof data === 'object' && data !== null && 'kind' in data && data.kind === kind;
}

function secretOf(data: unknown): string | undefined {
  if (!isMessage(data, 'secret') || !('secret' in data)) return undefined;
  return typeof data.secret === 'string' && SECRET.test(data.secret) ? data.secret : undefined;
}

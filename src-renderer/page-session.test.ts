import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PageSession, tokenOfFragment } from './page-session.ts';
import { type TabChannel, TabSecrets } from './tab-secrets.ts';

const OLD = 'o'.repeat(43);
const NEW = 'n'.repeat(43);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Tabs of one origin: each hears the others, none itself. */
function tabsOfOneBrowser(count: number): TabChannel[] {
  const heard = Array.from({ length: count }, () => new Set<(event: { data: unknown }) => void>());
  return heard.map((own) => ({
    postMessage(data) {
      for (const others of heard)
        if (others !== own) for (const hear of [...others]) queueMicrotask(() => hear({ data }));
    },
    addEventListener: (_type, listener) => void own.add(listener),
    removeEventListener: (_type, listener) => void own.delete(listener),
  }));
}

function storageWith(secret?: string): Storage {
  const kept = new Map(secret === undefined ? [] : [['stalltrace.secret', secret]]);
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  } as Storage;
}

function sessionOf(channel: TabChannel, storage = storageWith(), token?: string): PageSession {
  return new PageSession({ token, storage, tabs: new TabSecrets(channel) });
}

async function found(session: PageSession): Promise<string> {
  const finding = session.find();
  await vi.advanceTimersByTimeAsync(1_000);
  const result = await finding;
  return result.ok ? result.value : result.error.code;
}

test('the token is taken from the fragment only', () => {
  expect(tokenOfFragment('#token=a_b-c')).toBe('a_b-c');
  expect(tokenOfFragment('#token=')).toBeUndefined();
  expect(tokenOfFragment('#content')).toBeUndefined();
  expect(tokenOfFragment('')).toBeUndefined();
});

test('a tab alone without a secret is refused', async () => {
  const [own] = tabsOfOneBrowser(1) as [TabChannel];
  expect(await found(sessionOf(own))).toBe('refused');
});

test('a tab hands on what the host took, and keeps what it does not know is right', async () => {
  const [first, second] = tabsOfOneBrowser(2) as [TabChannel, TabChannel];
  const open = sessionOf(first, storageWith(OLD));
  expect(await found(open)).toBe(OLD);
  expect(await found(sessionOf(second))).toBe('refused');
  open.proved();
  const storage = storageWith();
  expect(await found(sessionOf(second, storage))).toBe(OLD);
  expect(storage.getItem('stalltrace.secret')).toBe(OLD);
  open.lost();
  expect(await found(sessionOf(second))).toBe('refused');
});

test('a secret of an earlier start is given up for that of a newer tab', async () => {
  const [first, second] = tabsOfOneBrowser(2) as [TabChannel, TabChannel];
  const fresh = sessionOf(first, storageWith(NEW));
  fresh.proved();
  const storage = storageWith(OLD);
  const stale = sessionOf(second, storage);
  expect(await found(stale)).toBe(OLD);
  stale.reject(OLD);
  expect(storage.getItem('stalltrace.secret')).toBeNull();
  expect(await found(stale)).toBe(NEW);
  stale.reject(NEW);
  expect(await found(stale)).toBe('refused');
});

test('what is no secret is not taken from another tab', async () => {
  const [own, other] = tabsOfOneBrowser(2) as [TabChannel, TabChannel];
  other.addEventListener('message', () => {
    for (const data of ['x', null, { kind: 'secret' }, { kind: 'secret', secret: 'short' }])
      other.postMessage(data as never);
  });
  expect(await found(sessionOf(own))).toBe('refused');
});

test('a token that could not be sent is tried again, one that was refused is not', async () => {
  const [own] = tabsOfOneBrowser(1) as [TabChannel];
  const answers = [
    () => Promise.reject(new Error('down')),
    async () => Response.json({ secret: NEW }),
  ];
  vi.stubGlobal('fetch', () => answers.shift()?.());
  const session = sessionOf(own, storageWith(), 'a-token');
  expect(await found(session)).toBe('unreachable');
  expect(await found(session)).toBe(NEW);
  vi.stubGlobal('fetch', async () => new Response(null, { status: 403 }));
  expect(await found(sessionOf(own, storageWith(OLD), 'an-old-token'))).toBe(OLD);
});

test('a browser that forbids storage keeps the secret for as long as the page', async () => {
  const [own] = tabsOfOneBrowser(1) as [TabChannel];
  const forbidden = () => {
    throw new Error('SecurityError');
  };
  const storage = { getItem: forbidden, setItem: forbidden, removeItem: forbidden };
  vi.stubGlobal('fetch', async () => Response.json({ secret: NEW }));
  const session = sessionOf(own, storage as unknown as Storage, 'a-token');
  expect(await found(session)).toBe(NEW);
  expect(await found(session)).toBe(NEW);
});

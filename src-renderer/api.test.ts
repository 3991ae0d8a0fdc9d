import { afterEach, expect, test, vi } from 'vitest';
import { encodePacked } from '../src-main/shared/rpc/packed.ts';
import { tilesQuery } from '../src-main/shared/rpc/tiles-query.ts';
import { createApi } from './api.ts';
import type { PageSession } from './page-session.ts';

const traceId = '3f8e0a34-4b0a-4f6e-9a53-0d8f3c1f9a11';
const wanted = {
  filter: 'name:memcpy & more',
  runs: [{ track: 1, part: -1, level: 20, first: 3, count: 2 }],
};
const session = { headers: () => ({ 'x-secret': 'shown' }) } as unknown as PageSession;
const fetchTiles = (signal?: AbortSignal) =>
  createApi({ kind: 'browser', session }).fetchTiles(traceId, wanted, signal);

afterEach(() => vi.unstubAllGlobals());

test.each([
  [404, 'not-open'],
  [410, 'process-lost'],
  [403, 'disconnected'],
  [500, 'disconnected'],
])('tiles answered with %i have failed as %s', async (status, code) => {
  vi.stubGlobal('fetch', async () => new Response(null, { status }));
  expect(await fetchTiles()).toMatchObject({ ok: false, error: { code } });
});

test('tiles are fetched by their query, with the secret of the page, as one body', async () => {
  const answer = { lanes: [], lines: [], buckets: [{ track: 1, counts: Float64Array.of(1, 2) }] };
  const fetched = vi.fn<typeof fetch>(async () => new Response(encodePacked(answer).slice()));
  vi.stubGlobal('fetch', fetched);
  expect(await fetchTiles()).toEqual({ ok: true, value: answer });
  const [[path, options] = []] = fetched.mock.calls;
  expect(path).toBe(`/data/${traceId}/tiles?${tilesQuery(wanted)}`);
  expect(options?.headers).toEqual({ 'x-secret': 'shown' });
});

test('a body that is cut has failed, and so has one that never came', async () => {
  const whole = encodePacked({ lanes: [], counts: Float64Array.of(1) });
  vi.stubGlobal('fetch', async () => new Response(whole.slice(0, -1)));
  expect(await fetchTiles()).toMatchObject({ error: { code: 'disconnected' } });
  vi.stubGlobal('fetch', async () => {
    throw new TypeError('Failed to fetch');
  });
  expect(await fetchTiles()).toMatchObject({ error: { code: 'disconnected' } });
});

test('whoever gives up has cancelled', async () => {
  const waiting = new AbortController();
  vi.stubGlobal('fetch', (_: string, { signal }: { signal: AbortSignal }) => {
    const gone = Promise.withResolvers();
    signal.addEventListener('abort', () => gone.reject(signal.reason));
    return gone.promise;
  });
  const fetched = fetchTiles(waiting.signal);
  waiting.abort();
  expect(await fetched).toMatchObject({ error: { code: 'cancelled' } });
});

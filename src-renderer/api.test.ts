import { afterEach, expect, test, vi } from 'vitest';
import { createApi } from './api.ts';
import type { PageSession } from './page-session.ts';

const traceId = '3f8e0a34-4b0a-4f6e-9a53-0d8f3c1f9a11';

afterEach(() => vi.unstubAllGlobals());

test.each([
  [404, 'not-open'],
  [410, 'process-lost'],
  [403, 'disconnected'],
  [500, 'disconnected'],
])('columns answered with %i have failed as %s', async (status, code) => {
  vi.stubGlobal('fetch', async () => new Response(null, { status }));
  const session = { headers: () => ({}) } as PageSession;
  const fetched = await createApi({ kind: 'browser', session }).fetchColumns(traceId, 'cuda_call', [
    'startNs',
  ]);
  expect(fetched).toMatchObject({ ok: false, error: { code } });
});

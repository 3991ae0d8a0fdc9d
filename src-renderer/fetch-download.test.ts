import { afterEach, expect, test, vi } from 'vitest';
import { REASON_HEADER, UNKNOWN_PAGE } from '../src-main/shared/browser-session.ts';
import { fail, ok } from '../src-main/shared/rpc/result.ts';
import { fetchDownload } from './fetch-download.ts';
import type { PageSession } from './page-session.ts';

afterEach(() => void vi.unstubAllGlobals());

const session = {
  headers: () => ({}),
  ticket: async () => ok('a-ticket'),
} as unknown as PageSession;

function download(status: number, headers: Record<string, string> = {}) {
  vi.stubGlobal('fetch', async () => new Response(null, { status, headers }));
  return fetchDownload(session, '/archive/7', 'usual.stalltrace');
}

test.each([403, 404, 409, 500])('what the host says with %i is shown as it is', async (status) => {
  const reason = 'It lies outside of “löß”: locate the file.';
  const refused = await download(status, { [REASON_HEADER]: encodeURIComponent(reason) });
  expect(refused).toEqual(fail('disconnected', reason));
});

test('a page that the host does not know is told so', async () => {
  expect(await download(403)).toEqual(fail('disconnected', UNKNOWN_PAGE));
});

test('a download has the name that the host gives it', async () => {
  const named = { 'content-disposition': `attachment; filename*=UTF-8''l%C3%B6.stalltrace` };
  const address = '/archive/7?ticket=a-ticket';
  expect(await download(200, named)).toEqual(ok({ address, fileName: 'lö.stalltrace' }));
  expect(await download(200)).toEqual(ok({ address, fileName: 'usual.stalltrace' }));
});

import { afterEach, expect, test, vi } from 'vitest';
import { CLOSED_FULL, CLOSED_UNKNOWN } from '../src-main/shared/browser-session.ts';
import { fail, ok } from '../src-main/shared/rpc/result.ts';
import type { PageSession } from './page-session.ts';
import { openSocketPipe } from './socket-pipe.ts';
import { CONNECTION_LOST } from './state/common/connection.svelte.ts';

afterEach(() => void vi.unstubAllGlobals());

/** What a page shows whose only secret is answered by such a close. */
async function closedWith(code: number, reason: string) {
  const secrets = ['a-secret'];
  const session = {
    find: async () => {
      const [secret] = secrets;
      return secret === undefined ? fail('refused', 'No secret.') : ok(secret);
    },
    reject: () => void secrets.pop(),
  };
  class ClosedSocket {
    onclose: ((event: { code: number; reason: string }) => void) | undefined;
    constructor() {
      queueMicrotask(() => this.onclose?.({ code, reason }));
    }
  }
  vi.stubGlobal('location', { origin: 'http://127.0.0.1:1' });
  vi.stubGlobal('WebSocket', ClosedSocket);
  return openSocketPipe(session as unknown as PageSession);
}

test('a host with too many pages is quoted', async () => {
  const reason = '16 pages are connected already: close one of them.';
  expect(await closedWith(CLOSED_FULL, reason)).toEqual(fail('unreachable', reason));
});

test('no other close has words for the user', async () => {
  expect(await closedWith(1011, 'EPIPE')).toEqual(fail('unreachable', CONNECTION_LOST));
  expect(await closedWith(CLOSED_UNKNOWN, 'x')).toEqual(fail('refused', 'No secret.'));
});

import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import type { App } from '../app/app.ts';
import { fail } from '../shared/rpc/result.ts';
import { createUploadAnswer } from './upload-request.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('an upload that is refused before it is read leaves no timer, which would keep the host alive', async () => {
  vi.useFakeTimers();
  const app = { addStream: async () => fail('disk-full', 'Free some.') } as unknown as App;
  const answer = createUploadAnswer(app, 1, { bytes: 1, windowMs: 60_000 });
  const socket = { bytesRead: 0, setTimeout: () => undefined };
  const request = Object.assign(new PassThrough(), { headers: {}, socket });
  const response = Object.assign(new PassThrough(), { writeHead: () => undefined });
  request.end();
  await answer(
    request as unknown as IncomingMessage,
    response as unknown as ServerResponse,
    new URL('http://127.0.0.1/upload?name=a.db'),
  );
  expect(String(response.read())).toContain('Free some.');
  expect(vi.getTimerCount()).toBe(0);
});

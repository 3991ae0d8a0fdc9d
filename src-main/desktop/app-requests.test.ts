import { Readable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import type { App } from '../app/app.ts';
import { fail, ok } from '../shared/rpc/result.ts';
import { createAppRequestHandler } from './app-requests.ts';

const traceId = '3f8e0a34-4b0a-4f6e-9a53-0d8f3c1f9a11';

function openThree() {
  const stream = Readable.from([Buffer.from('abc')]);
  return { stream, openTable: vi.fn(async () => ok({ stream, byteLength: 3 })) };
}

function get(openTable: App['openTable'], url: string): Promise<Response> {
  return createAppRequestHandler('/nowhere', openTable)(new Request(url));
}

describe('createAppRequestHandler', () => {
  test('streams a table with its length', async () => {
    const { openTable } = openThree();
    const url = `app://stalltrace/data/${traceId}/cuda_call?columns=start,duration`;
    const response = await get(openTable, url);
    expect(openTable).toHaveBeenCalledWith(traceId, 'cuda_call', ['start', 'duration']);
    expect(response.headers.get('content-length')).toBe('3');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.text()).toBe('abc');
  });

  test('asks for all columns where none are named', async () => {
    const { openTable } = openThree();
    await get(openTable, `app://stalltrace/data/${traceId}/cuda_call`);
    expect(openTable).toHaveBeenCalledWith(traceId, 'cuda_call', undefined);
  });

  test('stops reading where the page left', async () => {
    const { openTable, stream } = openThree();
    const response = await get(openTable, `app://stalltrace/data/${traceId}/cuda_call`);
    await response.body?.cancel();
    await expect.poll(() => stream.destroyed).toBe(true);
  });

  test.each([
    ['not-open', 404],
    ['process-lost', 410],
  ] as const)('answers %s with %i', async (code, status) => {
    const response = await get(
      async () => fail(code, 'x'),
      `app://stalltrace/data/${traceId}/cuda_call`,
    );
    expect(response.status).toBe(status);
  });

  test.each([
    'app://other/data/a/b',
    'http://stalltrace/data/a/b',
    'app://stalltrace:81/data/a/b',
    'app://stalltrace/data/a',
    'app://stalltrace/data/a/b/c',
    'app://stalltrace/data/a/%2e%2e%2fb',
  ])('refuses %s', async (url) => {
    const { openTable } = openThree();
    expect((await get(openTable, url)).status).toBe(404);
    expect(openTable).not.toHaveBeenCalled();
  });
});

import { Readable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import type { App } from '../app/app.ts';
import { fail, ok } from '../shared/rpc/result.ts';
import { createAppRequestHandler } from './app-requests.ts';

const traceId = '3f8e0a34-4b0a-4f6e-9a53-0d8f3c1f9a11';

function openThree() {
  const stream = Readable.from([Buffer.from('abc')]);
  return { stream, openTiles: vi.fn(async () => ok({ stream, byteLength: 3 })) };
}

function get(openTiles: App['openTiles'], url: string): Promise<Response> {
  return createAppRequestHandler('/nowhere', openTiles)(new Request(url));
}

describe('createAppRequestHandler', () => {
  test('streams tiles with their length', async () => {
    const { openTiles } = openThree();
    const url = `app://stalltrace/data/${traceId}/tiles?filter=a%26b&runs=0.-1.9.0.1`;
    const response = await get(openTiles, url);
    expect(openTiles).toHaveBeenCalledWith(traceId, 'filter=a%26b&runs=0.-1.9.0.1');
    expect(response.headers.get('content-length')).toBe('3');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.text()).toBe('abc');
  });

  test('says where nothing is asked for', async () => {
    const { openTiles } = openThree();
    await get(openTiles, `app://stalltrace/data/${traceId}/tiles`);
    expect(openTiles).toHaveBeenCalledWith(traceId, '');
  });

  test('stops reading where the page left', async () => {
    const { openTiles, stream } = openThree();
    const response = await get(openTiles, `app://stalltrace/data/${traceId}/tiles`);
    await response.body?.cancel();
    await expect.poll(() => stream.destroyed).toBe(true);
  });

  test.each([
    ['not-open', 404],
    ['process-lost', 410],
  ] as const)('answers %s with %i', async (code, status) => {
    const response = await get(
      async () => fail(code, 'x'),
      `app://stalltrace/data/${traceId}/tiles`,
    );
    expect(response.status).toBe(status);
  });

  test.each([
    `app://other/data/${traceId}/tiles`,
    `http://stalltrace/data/${traceId}/tiles`,
    `app://stalltrace:81/data/${traceId}/tiles`,
    `app://stalltrace/data/${traceId}`,
    `app://stalltrace/data/${traceId}/cuda_call`,
    `app://stalltrace/data/${traceId}/tiles/c`,
    `app://stalltrace/data/${traceId}/%2e%2e%2ftiles`,
    'app://stalltrace/data/a/tiles',
  ])('refuses %s', async (url) => {
    const { openTiles } = openThree();
    expect((await get(openTiles, url)).status).toBe(404);
    expect(openTiles).not.toHaveBeenCalled();
  });
});

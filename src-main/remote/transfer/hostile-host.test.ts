import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FetchOptions, fetchTrace } from './fetch-trace.ts';
import { type Answering, MemoryHost } from './testing/memory-host.ts';

const MIB = 1024 ** 2;
const SIZE = 10 * MIB;
/** A minute of patience is over at once. */
const IMPATIENT = { secondMs: 4 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hostile-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function fetch(host: MemoryHost, more: Partial<FetchOptions> = {}) {
  return fetchTrace(host, {
    remoteFile: '/captures/run.trace.db',
    folder,
    mostBytes: SIZE,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    ...more,
  });
}

async function failureOf(fetched: ReturnType<typeof fetch>) {
  const result = await fetched;
  if (result.ok) throw new Error('it went well');
  return result.error;
}

const line = (event: Record<string, unknown>) =>
  Buffer.from(`${JSON.stringify({ v: 1, ...event })}\n`);
const hashing = (bytes: number) => line({ event: 'hashing', bytes });

describe('what is sent is no more than was to be expected', () => {
  test.each([
    ['than the capture was allowed', { mostBytes: SIZE - 1 }, /10\.00 MiB of a capture/],
    ['than its recorder had said', { finalBytes: 592 * 1024 }, /had said that it has 592\.0 KiB/],
  ])('%s', async (_, options, words) => {
    const host = new MemoryHost(Buffer.alloc(SIZE));
    const error = await failureOf(fetch(host, options));
    expect(error.code).toBe('host-broke-word');
    expect(error.message).toMatch(words);
    expect(host.asked).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a trace that has grown within its limit is no other than it should be', async () => {
    expect(await fetch(new MemoryHost(Buffer.alloc(SIZE, 'a')))).toMatchObject({ ok: true });
    const grown = new MemoryHost(Buffer.alloc(SIZE, 'b'));
    grown.inode = '4712';
    expect(await fetch(grown, { finalBytes: SIZE })).toMatchObject({ ok: true });
  });

  test('of what an earlier attempt brought nothing stays with a host that then breaks its word', async () => {
    const host = new MemoryHost(Buffer.alloc(SIZE, 'a'));
    host.holdAfter = 1;
    const cancel = new AbortController();
    const fetched = fetch(host, { signal: cancel.signal });
    await expect.poll(() => host.asked.length).toBeGreaterThan(1);
    cancel.abort();
    await fetched;
    expect(readdirSync(folder)).toContain('trace.part');
    host.content = Buffer.alloc(SIZE + 1);
    expect(await failureOf(fetch(host))).toMatchObject({ code: 'host-broke-word' });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a size that is another at each look is given up, and nothing of it stays', async () => {
    const host = new MemoryHost(Buffer.alloc(SIZE));
    let size = SIZE;
    host.greeting = (ready) => line({ ...ready, bytes: --size });
    expect(await failureOf(fetch(host))).toMatchObject({ code: 'trace-damaged' });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('waiting ends', () => {
  /** What a host does with its checksum, and what it comes to; with `kept`, what is here may be of use. */
  const checksums: Record<string, { say: () => Buffer; code: string; kept: boolean }> = {
    'that never begins': { say: () => Buffer.alloc(0), code: 'timed-out', kept: true },
    'that stands still': {
      say: () => Buffer.concat(Array.from({ length: 50 }, () => hashing(1))),
      code: 'timed-out',
      kept: true,
    },
    'that goes back': {
      say: () => Buffer.concat([hashing(2), hashing(1)]),
      code: 'host-broke-word',
      kept: false,
    },
    'of more than there is': { say: () => hashing(SIZE + 1), code: 'host-broke-word', kept: false },
    'of another size': {
      say: () => line({ event: 'hash', bytes: 1, sha256: 'ab'.repeat(32) }),
      code: 'host-broke-word',
      kept: false,
    },
  };

  test.each(Object.entries(checksums))('of a checksum %s', async (_, { say, code, kept }) => {
    const host = new MemoryHost(Buffer.alloc(SIZE));
    host.answer = ({ request }) => (request === 'hash' ? say() : undefined);
    const error = await failureOf(fetch(host, code === 'timed-out' ? IMPATIENT : {}));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/\. .*\.$|: .*\.$/);
    expect(readdirSync(folder).includes('trace.part')).toBe(kept);
  });

  test.each([
    ['nothing', () => 'silent' as const],
    ['a line and no more', ({ line: said }: Answering) => line(said)],
  ])('of parts of which comes %s', async (_, part) => {
    const host = new MemoryHost(Buffer.alloc(SIZE, 'a trace '));
    host.answer = (answering) => (answering.request === 'hash' ? undefined : part(answering));
    expect(await failureOf(fetch(host, IMPATIENT))).toMatchObject({ code: 'timed-out' });
  });

  test('for a link that is lost whenever something is asked for', async () => {
    const host = new MemoryHost(Buffer.alloc(SIZE));
    host.answer = () => {
      host.cut();
      host.connect();
      return undefined;
    };
    const error = await failureOf(fetch(host, IMPATIENT));
    expect(error).toMatchObject({ code: 'link-lost' });
    expect(error.message).toMatch(/again and again.*: check the network/);
  });
});

import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TransferProgress } from '../../shared/remote/run.ts';
import { type FetchOptions, fetchTrace } from './fetch-trace.ts';
import { type Answering, MemoryHost, packed } from './testing/memory-host.ts';

const MIB = 1024 ** 2;
const FRAME = 4 * MIB;

let folder: string;
let progress: TransferProgress[];
let notices: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'transfer-'));
  progress = [];
  notices = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function fetch(host: MemoryHost, more: Partial<FetchOptions> = {}) {
  return fetchTrace(host, {
    remoteFile: '/captures/run.trace.db',
    folder,
    mostBytes: 64 * 1024 * MIB,
    signal: new AbortController().signal,
    onProgress: (each) => progress.push(each),
    onNotice: (sentence) => notices.push(sentence),
    ...more,
  });
}

/** Half of it compresses. */
function content(bytes: number): Buffer {
  const all = Buffer.alloc(bytes, 'a trace ');
  for (let at = 0; at < bytes; at += 2 * MIB) randomBytes(Math.min(MIB, bytes - at)).copy(all, at);
  return all;
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function expectWhole(host: MemoryHost, fetched: ReturnType<typeof fetch>): Promise<void> {
  const result = await fetched;
  const path = join(folder, 'run.trace.db');
  const facts = { sizeBytes: host.content.length, sha256: sha256(host.content) };
  expect(result).toEqual({ ok: true, value: { path, fileName: 'run.trace.db', ...facts } });
  expect(readFileSync(path).equals(host.content)).toBe(true);
  const record = host.content.length === 0 ? [] : ['transfer.json'];
  expect(readdirSync(folder).sort()).toEqual(['run.trace.db', ...record]);
}

async function expectDropped(fetched: ReturnType<typeof fetch>): Promise<void> {
  const result = await fetched;
  expect(result).toMatchObject({ error: { code: 'host-broke-word' } });
  expect(result.ok ? '' : result.error.message).toMatch(
    /^The host sent what Stalltrace’s agent never sends: [ -~]+\. Nothing of the trace was kept here\. Find out/,
  );
  expect(readdirSync(folder)).toEqual([]);
}

/** Once so many frames are here. */
async function done(frames: number): Promise<void> {
  const bytes = () => progress.at(-1)?.doneBytes ?? 0;
  await expect.poll(bytes, { interval: 20 }).toBeGreaterThanOrEqual(frames * FRAME);
}

describe('a trace comes back whole', () => {
  test.each([0, 1, FRAME - 1, FRAME, FRAME + 1, 5 * FRAME + 17])('of %i bytes', async (bytes) => {
    const host = new MemoryHost(content(bytes));
    // So patient that no channel of a busy machine is taken for slow, and its frames asked of another one.
    await expectWhole(host, fetch(host, { secondMs: 60_000 }));
    expect(progress.at(-1)).toMatchObject({ totalBytes: bytes, doneBytes: bytes });
    expect(host.asked.toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: Math.ceil(bytes / FRAME) }, (_, frame) => frame * FRAME),
    );
  });

  test('over 8 channels and one for the hash at most', async () => {
    const host = new MemoryHost(content(40 * FRAME));
    // So long that on a busy machine too all are open before the last frame is here.
    host.latencyMs = () => 150;
    await expectWhole(host, fetch(host));
    expect(host.mostOpen).toBe(9);
  });

  test.each([1, 2, 3])('where the server allows %i sessions', async (sessions) => {
    const host = new MemoryHost(content(20 * FRAME));
    host.maxSessions = sessions;
    host.latencyMs = () => 5;
    await expectWhole(host, fetch(host));
    expect(host.mostOpen).toBe(sessions);
  });

  test('under a name that every file system takes', async () => {
    const host = new MemoryHost(content(10));
    const result = await fetch(host, { remoteFile: '/captures/..\\a:b|c?.trace.db' });
    expect(result).toMatchObject({ ok: true, value: { fileName: 'a b c .trace.db' } });
  });
});

describe('a lost link', () => {
  test('is waited for, and only what is missing is fetched', async () => {
    const host = new MemoryHost(content(12 * FRAME));
    host.holdAfter = 7;
    const fetched = fetch(host);
    await done(7);
    host.cut();
    host.holdAfter = Number.POSITIVE_INFINITY;
    host.asked.length = 0;
    await expect.poll(() => progress.at(-1)?.step).toBe('waiting');
    host.connect();
    await expectWhole(host, fetched);
    expect(new Set(host.asked).size).toBe(5);
  });

  test('for good ends it with why, and keeps what is here', async () => {
    const host = new MemoryHost(content(12 * FRAME));
    host.holdAfter = 7;
    const fetched = fetch(host);
    await done(7);
    const message = 'The password is not taken any more: connect again.';
    host.closeLink(message);
    expect(await fetched).toMatchObject({ error: { code: 'not-connected', message } });
    expect(readdirSync(folder).sort()).toEqual(['trace.part', 'transfer.json']);
  });

  test('at any moments, stalls and dying agents: the same file', { timeout: 120_000 }, async () => {
    const whole = content(9 * FRAME + 1000);
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ afterMs: fc.nat(60), what: fc.constantFrom('cut', 'die', 'restart') }),
          {
            maxLength: 5,
          },
        ),
        fc.integer(),
        async (troubles, seed) => {
          rmSync(join(folder, 'run.trace.db'), { force: true });
          const random = new Lcg(seed);
          const host = new MemoryHost(whole);
          host.latencyMs = () => random.below(15);
          let dying = 0;
          host.answer = () => (dying-- > 0 ? 'die' : undefined);
          let cancel = new AbortController();
          let fetched = fetch(host, { signal: cancel.signal });
          for (const { afterMs, what } of troubles) {
            await sleep(afterMs);
            if (what === 'die') dying = 1;
            if (what === 'cut') {
              host.cut();
              host.connect();
            }
            if (what === 'restart') {
              cancel.abort();
              const ended = await fetched;
              if (ended.ok) break;
              expect(ended.error.code).toBe('cancelled');
              cancel = new AbortController();
              fetched = fetch(host, { signal: cancel.signal });
            }
          }
          dying = 0;
          await expectWhole(host, fetched);
        },
      ),
      { numRuns: 8 },
    );
  });
});

/** Small numbers that a seed repeats. */
class Lcg {
  private state: number;
  constructor(seed: number) {
    this.state = seed >>> 0;
  }
  below(most: number): number {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    return (this.state >>> 8) % most;
  }
}

describe('what is here', () => {
  const HERE = 6;
  async function interrupt(host: MemoryHost): Promise<void> {
    const cancel = new AbortController();
    host.holdAfter = HERE;
    const fetched = fetch(host, { signal: cancel.signal });
    await done(HERE);
    cancel.abort();
    expect(await fetched).toMatchObject({ error: { code: 'cancelled' } });
    expect(readdirSync(folder).sort()).toEqual(['trace.part', 'transfer.json']);
    host.holdAfter = Number.POSITIVE_INFINITY;
    host.asked.length = 0;
    progress.length = 0;
  }

  test('is not fetched again after a restart', async () => {
    const host = new MemoryHost(content(12 * FRAME));
    await interrupt(host);
    await expectWhole(host, fetch(host));
    expect(new Set(host.asked).size).toBe(12 - HERE);
    const resumed = progress.find(({ step }) => step !== 'waiting');
    expect(resumed?.doneBytes).toBeGreaterThanOrEqual(HERE * FRAME);
  });

  test('and is damaged is found by the total hash, and fetched again', async () => {
    const host = new MemoryHost(content(12 * FRAME));
    await interrupt(host);
    const part = readFileSync(join(folder, 'trace.part'));
    part[0] = (part[0] ?? 0) ^ 1;
    writeFileSync(join(folder, 'trace.part'), part);
    await expectWhole(host, fetch(host));
    expect(new Set(host.asked).size).toBe(12 - HERE + 1);
  });

  test.each(['inode', 'content'])('of another file is not kept (%s)', async (what) => {
    const host = new MemoryHost(content(12 * FRAME));
    await interrupt(host);
    if (what === 'inode') host.inode = '1';
    else host.content = content(9 * FRAME);
    await expectWhole(host, fetch(host));
    expect(notices).toHaveLength(1);
    expect(new Set(host.asked).size).toBe(Math.ceil(host.content.length / FRAME));
  });

  test('without its part, or with a cut one, is fetched anew', async () => {
    const host = new MemoryHost(content(10 * FRAME));
    await interrupt(host);
    writeFileSync(join(folder, 'trace.part'), 'short');
    await expectWhole(host, fetch(host));
    expect(new Set(host.asked).size).toBe(10);
  });

  test('is not fetched again, nor touched, once it is complete and has its name', async () => {
    const host = new MemoryHost(content(3 * FRAME));
    await expectWhole(host, fetch(host));
    // The library has the same file under another name.
    const changedAt = () => statSync(join(folder, 'run.trace.db'), { bigint: true }).mtimeNs;
    const before = changedAt();
    host.asked.length = 0;
    await expectWhole(host, fetch(host));
    expect(host.asked).toEqual([]);
    expect(changedAt()).toBe(before);
  });

  test('is fetched again where it was damaged after it had its name', async () => {
    const host = new MemoryHost(content(3 * FRAME));
    await expectWhole(host, fetch(host));
    writeFileSync(join(folder, 'run.trace.db'), content(3 * FRAME));
    host.asked.length = 0;
    await expectWhole(host, fetch(host));
    expect(new Set(host.asked).size).toBe(3);
  });
});

describe('a host that does what it should not', () => {
  const once = (change: (answering: Answering) => Buffer | 'die' | undefined) => {
    let done = false;
    return (answering: Answering) => {
      if (done || !answering.request.startsWith('frame')) return undefined;
      done = true;
      return change(answering);
    };
  };
  const bomb = zstdCompressSync(Buffer.alloc(64 * MIB));

  type Fault = (answering: Answering) => Buffer | 'die' | undefined;
  /** What no agent of ours does, whatever befalls it. */
  const breaches: Record<string, Fault> = {
    'another offset': ({ line, body }) => packed({ ...line, offset: 12 * MIB }, body),
    'an offset beyond the file': ({ line, body }) => packed({ ...line, offset: 1e15 }, body),
    'another length': ({ line, body }) => packed({ ...line, length: 17 }, body),
    'more bytes than the frame has': ({ line, body }) => packed({ ...line, bytes: 1e12 }, body),
    'a stored frame of another size': ({ line, body }) =>
      packed({ ...line, encoding: 'stored' }, body),
    'a bomb': ({ line }) => packed({ ...line, encoding: 'zstd', bytes: bomb.length }, bomb),
    'a line without an end': () => Buffer.alloc(10 * MIB, 'x'),
    'an answer to nothing': ({ line, body }) =>
      Buffer.concat(Array.from({ length: 4 }, () => packed(line, body))),
    'a hash instead': ({ line }) =>
      packed({ v: 1, event: 'hash', bytes: line.length, sha256: line.sha256 }, Buffer.alloc(0)),
    'its greeting again': ({ line }) =>
      packed(
        { v: 1, event: 'ready', bytes: line.length, inode: '1', modified_unix_ns: '1' },
        Buffer.alloc(0),
      ),
  };
  /** What can come about with the best of hosts. */
  const faults: Record<string, Fault> = {
    'another hash': ({ line, body }) => packed({ ...line, sha256: 'ab'.repeat(32) }, body),
    'no hash': ({ line, body }) => packed({ ...line, sha256: '<b>' }, body),
    'bytes that are not what was hashed': ({ line, body }) =>
      packed(line, Buffer.from(body.map((byte) => byte ^ 1))),
    'a line that is no JSON': () => Buffer.from('\u001b[2Jhello\n'),
    'a dead agent': () => 'die',
    'an error': () => Buffer.from('{"v":1,"event":"error","code":"io","message":"disk"}\n'),
  };

  test.each(Object.keys(breaches))(
    'breaks its word by %s, and is dropped at once',
    async (name) => {
      const host = new MemoryHost(content(10 * FRAME));
      host.answer = once(breaches[name] ?? (() => undefined));
      await expectDropped(fetch(host));
    },
  );

  test.each(Object.keys(faults))('once: %s', async (name) => {
    const host = new MemoryHost(content(10 * FRAME));
    host.answer = once(faults[name] ?? (() => undefined));
    await expectWhole(host, fetch(host));
  });

  test.each(['a dead agent', 'a line that is no JSON', 'an error'])('always: %s', async (name) => {
    const host = new MemoryHost(content(10 * FRAME));
    host.answer = (answering) =>
      answering.request === 'hash' ? undefined : faults[name]?.(answering);
    const result = await fetch(host, { secondMs: 10 });
    expect(result).toMatchObject({ error: { code: 'agent-failed' } });
    expect(result.ok ? '' : result.error.message).not.toContain('\u001b');
    expect(readdirSync(folder)).not.toContain('run.trace.db');
  });

  test('always parts that are not what they should be: that is no bad luck any more', async () => {
    const host = new MemoryHost(content(10 * FRAME));
    host.answer = (answering) =>
      answering.request === 'hash' ? undefined : faults['another hash']?.(answering);
    await expectDropped(fetch(host, { secondMs: 10 }));
  });

  test('a greeting that makes no sense', async () => {
    const host = new MemoryHost(content(FRAME));
    host.greeting = () => Buffer.from('Welcome!\n');
    expect(await fetch(host)).toMatchObject({ error: { code: 'agent-failed' } });
  });

  test.each([-1, 1.5, '9', 2 ** 60, null])('a size of %s', async (bytes) => {
    const host = new MemoryHost(content(FRAME));
    host.greeting = (ready) => Buffer.from(`${JSON.stringify({ ...ready, bytes })}\n`);
    expect(await fetch(host)).toMatchObject({ error: { code: 'agent-failed' } });
  });

  test('more than the disk holds is refused before anything is fetched', async () => {
    const host = new MemoryHost(content(FRAME));
    host.greeting = (ready) => Buffer.from(`${JSON.stringify({ ...ready, bytes: 2 ** 52 })}\n`);
    const result = await fetch(host, { mostBytes: Number.MAX_SAFE_INTEGER });
    expect(result).toMatchObject({ error: { code: 'disk-full' } });
    expect(result.ok ? '' : result.error.message).toMatch(
      /\(4096 TiB\) are still to come.* has [\d.]+ .iB free, and Stalltrace leaves 256\.0 MiB unused/,
    );
    expect(host.asked).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('another total hash: nothing here is believed any more', async () => {
    const host = new MemoryHost(content(5 * FRAME));
    host.answer = ({ request, line }) =>
      request === 'hash'
        ? packed({ ...line, sha256: 'ab'.repeat(32) }, Buffer.alloc(0))
        : undefined;
    expect(await fetch(host)).toMatchObject({ error: { code: 'trace-damaged' } });
    expect(readdirSync(folder)).toEqual([]);
    host.answer = undefined;
    host.asked.length = 0;
    await expectWhole(host, fetch(host));
    expect(new Set(host.asked).size).toBe(5);
  });

  test('a trace that changes is fetched from the beginning, not for ever', async () => {
    const host = new MemoryHost(content(10 * FRAME));
    let changes = 1;
    host.answer = ({ request }) => {
      if (request === 'hash' || host.asked.length % 8 !== 5 || changes-- <= 0) return undefined;
      host.inode = `${Number(host.inode) + 1}`;
      return Buffer.from('{"v":1,"event":"error","code":"changed","message":"written to"}\n');
    };
    await expectWhole(host, fetch(host));
    changes = 99;
    rmSync(join(folder, 'transfer.json'));
    expect(await fetch(host)).toMatchObject({ error: { code: 'trace-damaged' } });
  });

  test('a channel that stalls: others take its frames', async () => {
    const host = new MemoryHost(content(20 * FRAME));
    host.latencyMs = () => 2;
    host.answer = ({ channel, request }) =>
      channel === 1 && request !== 'hash' ? 'silent' : undefined;
    await expectWhole(host, fetch(host));
  });
});

test('a signal that is aborted already fetches nothing', async () => {
  const host = new MemoryHost(content(FRAME));
  const result = await fetch(host, { signal: AbortSignal.abort() });
  expect(result).toMatchObject({ error: { code: 'cancelled' } });
});

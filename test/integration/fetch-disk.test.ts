import { mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fetchTrace } from '../../src-main/remote/transfer/fetch-trace.ts';
import { MemoryHost } from '../../src-main/remote/transfer/testing/memory-host.ts';
import { SPARE_BYTES } from '../../src-main/system/disk-room.ts';
import { mountSmallDisk, unmountAll } from '../support/mount.ts';
import { describeWith } from '../support/requirements.ts';

const MIB = 1024 ** 2;
const SIZE = 24 * MIB;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fetch-disk-'));
});
afterEach(() => {
  unmountAll();
  rmSync(folder, { recursive: true, force: true });
});

function fetch(host: MemoryHost, onDone: (doneBytes: number) => void = () => undefined) {
  return fetchTrace(host, {
    remoteFile: '/captures/run.trace.db',
    folder,
    mostBytes: SIZE,
    signal: new AbortController().signal,
    onProgress: ({ doneBytes }) => onDone(doneBytes),
  });
}

const freeBytes = () => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

describeWith(['mount'], 'a trace that is brought back to a small disk', () => {
  test('is not begun where it would take what is left free for everybody else', async () => {
    mountSmallDisk(folder, (SPARE_BYTES + SIZE / 2) / 1024);
    const host = new MemoryHost(Buffer.alloc(SIZE, 'a trace '));
    const fetched = await fetch(host);
    expect(fetched).toMatchObject({ error: { code: 'disk-full' } });
    expect(fetched.ok ? '' : fetched.error.message).toMatch(
      /leaves 256\.0 MiB unused\. Free some space/,
    );
    expect(host.asked).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('stops where others fill it meanwhile, and goes on once there is room', async () => {
    mountSmallDisk(folder, (SPARE_BYTES + SIZE + 4 * MIB) / 1024);
    const host = new MemoryHost(Buffer.alloc(SIZE, 'a trace '));
    const ballast = join(folder, 'ballast');
    host.holdAfter = 2;
    const stopped = await fetch(host, (doneBytes) => {
      if (doneBytes > 0) writeFileSync(ballast, Buffer.alloc(SIZE));
    });
    expect(stopped).toMatchObject({ error: { code: 'disk-full' } });
    // Whoever needs it now can have the rest.
    expect(freeBytes()).toBeGreaterThan(SPARE_BYTES - SIZE);
    rmSync(ballast);
    host.holdAfter = Number.POSITIVE_INFINITY;
    const whole = await fetch(host);
    expect(whole).toMatchObject({ ok: true });
    expect(readFileSync(join(folder, 'run.trace.db')).equals(host.content)).toBe(true);
  });
});

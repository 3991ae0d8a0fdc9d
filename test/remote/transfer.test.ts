import { createHash, randomBytes } from 'node:crypto';
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { fetchTrace } from '../../src-main/remote/transfer/fetch-trace.ts';
import { LARGEST_CAPTURE_BYTES } from '../../src-main/shared/remote/capture-request.ts';
import { createRandom } from '../simulation/random.ts';
import { type SlowLink, startSlowLink } from '../support/remote/slow-link.ts';
import { type SshHost, startSshHost } from '../support/remote/ssh-host.ts';
import { createTraceUser, openTraceSession, type TraceUser } from '../support/remote/trace-host.ts';
import { fetchThroughTrouble, type Trouble } from '../support/remote/troubled-fetch.ts';
import { describeWith } from '../support/requirements.ts';

const MIB = 1024 ** 2;
const signal = new AbortController().signal;

/** Half of it compresses. */
function content(bytes: number): Buffer {
  const all = Buffer.alloc(bytes, 'a trace ');
  for (let at = 0; at < bytes; at += 2 * MIB) randomBytes(Math.min(MIB, bytes - at)).copy(all, at);
  return all;
}

describeWith(['root', 'agent'], 'bringing a trace back over SSH', () => {
  const trace = content(50 * MIB + 123);
  const sha256 = createHash('sha256').update(trace).digest('hex');
  let keys: string;
  let user: TraceUser;
  let host: SshHost;
  let remoteFile: string;
  let folder: string;

  beforeAll(async () => {
    keys = mkdtempSync(join(tmpdir(), 'transfer-keys-'));
    user = await createTraceUser(keys);
    host = await startSshHost();
    remoteFile = join(user.home, 'run.trace.db');
    writeFileSync(remoteFile, trace);
    chownSync(remoteFile, user.uid, user.uid);
  });
  afterAll(async () => {
    await host.stop();
    await user.remove();
    rmSync(keys, { recursive: true });
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'transfer-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function expectWhole(fetched: unknown): void {
    const path = join(folder, 'run.trace.db');
    const value = { path, fileName: 'run.trace.db', sizeBytes: trace.length, sha256 };
    expect(fetched).toEqual({ ok: true, value });
    expect(readFileSync(path).equals(trace)).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['run.trace.db', 'transfer.json']);
  }

  async function fetchFrom(from: SshHost, file = remoteFile) {
    const session = await openTraceSession(from, user);
    try {
      return await fetchTrace(session, {
        remoteFile: file,
        folder,
        mostBytes: LARGEST_CAPTURE_BYTES,
        signal,
        onProgress() {},
      });
    } finally {
      session.link.close();
    }
  }

  test('brings the same bytes, and leaves nothing running there', async () => {
    expectWhole(await fetchFrom(host));
    await expect.poll(() => host.connections()).toEqual([]);
  });

  test.each([1, 2, 3])('does with %i sessions at a time', async (sessions) => {
    const narrow = await startSshHost({ config: [`MaxSessions ${sessions}`] });
    try {
      expectWhole(await fetchFrom(narrow));
    } finally {
      await narrow.stop();
    }
  });

  test('says what is not there, and what may not be read', async () => {
    const gone = await fetchFrom(host, `${remoteFile}.gone`);
    expect(gone).toMatchObject({ error: { code: 'trace-gone' } });
    const secret = join(user.home, 'secret');
    writeFileSync(secret, 'secret', { mode: 0o600 });
    const refused = await fetchFrom(host, secret);
    expect(refused).toMatchObject({ error: { code: 'no-permission' } });
  });

  type Case = readonly [string, readonly Trouble[], number];
  const all: Case = ['all of it happens', ['rst', 'fin', 'freeze', 'restart'], 4];
  // Each by itself takes as long: `npm run soak`.
  const each: readonly Case[] = [
    ['the link is cut', ['rst', 'fin'], 1],
    ['the link is frozen', ['freeze'], 2],
    ['the app is killed', ['restart'], 3],
  ];
  const cases = process.env.STALLTRACE_SOAK === '1' ? [...each, all] : [all];
  test.each(cases)('brings the same bytes when %s at random', async (_what, kinds, seed) => {
    let link: SlowLink | undefined;
    try {
      // So slow that all of it happens before the end.
      link = await startSlowLink({ toPort: host.port, oneWayDelayMs: 5, bytesPerSecond: 5e6 });
      const random = createRandom(seed);
      const common = { host, user, link, remoteFile, folder };
      const { fetched, history } = await fetchThroughTrouble({
        ...common,
        ...{ troubles: 5, kinds, random },
      });
      expect(history, history.join(', ')).toHaveLength(5);
      expectWhole(fetched);
    } finally {
      await link?.close();
    }
  });
});

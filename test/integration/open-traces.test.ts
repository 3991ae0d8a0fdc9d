import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { askTrace } from '../../src-main/app/traces/ask-trace.ts';
import { OpenTraces } from '../../src-main/app/traces/open-traces.ts';
import type { HostPlatform } from '../../src-main/shared/platform.ts';
import { decodePacked } from '../../src-main/shared/rpc/packed.ts';
import { tilesQuery } from '../../src-main/shared/rpc/tiles-query.ts';
import { residentBytes } from '../../src-main/system/resident-memory.ts';
import { SUMMARY, type TileAnswer } from '../../src-main/timeline/tiles/tile-answers.ts';
import { makeIngeroDatabase } from '../fixtures/ingero/make.ts';
import { builtFile } from '../support/built.ts';
import { describeWith } from '../support/requirements.ts';

/** Many traces opened one after the other by one page, each in a real process. */
const OPENED = process.env.STALLTRACE_SOAK === undefined ? 9 : 60;
/** One on the screen, and the few that are kept behind it. */
const KEPT = 5;

let folder: string;
const running = new Set<ChildProcess>();
let started: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'many-traces-'));
  started = 0;
});
afterEach(async () => {
  const ended = [...running].map((child) => once(child, 'exit'));
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(ended);
  rmSync(folder, { recursive: true, force: true });
});

const platform: HostPlatform = {
  kind: 'cli',
  mayOpen: () => true,
  launch(entry) {
    const child = fork(builtFile(`main/${entry}.js`), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'advanced',
      execArgv: ['--no-warnings'],
    });
    started++;
    running.add(child);
    child.once('exit', () => running.delete(child));
    return {
      pid: child.pid,
      post: (message) => void child.send(message as object, () => undefined),
      onMessage: (listener) => child.on('message', listener),
      onExit: (listener) => void child.once('exit', () => listener('ended')),
      kill: () => child.kill('SIGKILL'),
    };
  },
};

const contextOf = (session: AbortSignal) => ({
  signal: new AbortController().signal,
  session,
  progress: () => undefined,
});

describeWith(['notWindows'], `${OPENED} traces opened by one page`, () => {
  test('have a few processes, and each answers as it did when somebody goes back to it', async () => {
    const traces = new OpenTraces(platform, join(folder, 'scratch'), (_id, message) => {
      throw new Error(message);
    });
    const page = new AbortController();
    const context = contextOf(page.signal);
    const ask = (id: string) =>
      askTrace(traces, id, context, ({ client }) =>
        client.call('trace.operations', { bySize: true }),
      );
    /** All calls on one line: a tile of this level is longer than the trace. */
    async function tiles(id: string): Promise<TileAnswer> {
      const told = await askTrace(traces, id, context, ({ client }) =>
        client.call('trace.tracks', {}),
      );
      if (!told.ok) throw new Error(told.error.message);
      const { overview: track = -1 } = told.value;
      const runs = [{ track, part: SUMMARY, level: 40, first: 0, count: 1 }];
      const body = await traces.openTiles(id, tilesQuery({ filter: '', runs }));
      if (!body.ok) throw new Error(body.error.message);
      const bytes = await buffer(body.value.stream);
      return decodePacked(new Uint8Array(bytes).buffer) as TileAnswer;
    }

    const ids: string[] = [];
    let most = 0;
    for (let count = 0; count < OPENED; count++) {
      const path = join(folder, `${count}.db`);
      makeIngeroDatabase(path, '0.17.0');
      const opened = await traces.open(path, context);
      if (!opened.ok) throw new Error(opened.error.message);
      traces.useBy(opened.value.id, page.signal);
      ids.push(opened.value.id);
      // One more than are kept, which ends as soon as the next one is on the screen.
      await expect.poll(() => running.size).toBeLessThanOrEqual(KEPT);
      most = Math.max(most, running.size);
    }
    const bytes = [...running].reduce((sum, { pid = 0 }) => sum + (residentBytes(pid) ?? 0), 0);
    console.info(`${OPENED} open traces: ${most} processes, ${Math.round(bytes / 2 ** 20)} MiB`);
    expect(most).toBe(KEPT);
    expect(started).toBe(OPENED);

    const [first = '', last = ''] = [ids[0], ids.at(-1)];
    const [answer, calls] = [await ask(last), await tiles(last)];
    expect(started).toBe(OPENED);
    expect(answer.ok && answer.value.length).toBeGreaterThan(0);
    expect(calls.lanes[0]?.tiles[0]?.events.rows.length).toBeGreaterThan(0);
    // The same file as the last: what it says after it was read again is what the last says.
    expect([await ask(first), await tiles(first)]).toEqual([answer, calls]);
    expect(started).toBe(OPENED + 1);
    await expect.poll(() => running.size).toBeLessThanOrEqual(KEPT);

    await traces.closeAll();
    await expect.poll(() => running.size).toBe(0);
    expect(readdirSync(folder).filter((name) => !name.endsWith('.db'))).toEqual([]);
  }, 300_000);
});

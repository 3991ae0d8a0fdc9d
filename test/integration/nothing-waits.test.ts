import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openKept } from '../../src-main/app/trace-process/kept-trace.ts';
import { createTraceSession } from '../../src-main/app/trace-process/trace-session.ts';
import type { TraceSummary } from '../../src-main/shared/answers/summary.ts';
import { writeTraceFile } from '../../src-main/trace/formats/stalltrace/writer.ts';
import { importers } from '../../src-main/trace/importers.ts';
import { openTrace } from '../../src-main/trace/open-trace.ts';
import { LARGE_ROWS } from '../../src-main/trace/sqlite/read-together.ts';
import { generateTrace } from '../bench/traces/generate-trace.ts';

/** The process of a large trace, here in this one: what takes long has threads of its own. */

/** Enough for a table that is read by several threads. */
const EVENTS = 650_000;
const generated = generateTrace(EVENTS, 1);

let folder: string;
let path: string;
let opened: TraceSummary;
const session = createTraceSession();
const context = (signal = new AbortController().signal) => ({
  signal,
  session: signal,
  progress: () => undefined,
});

/** Each row weighed by its place. */
function sumOf(column: ArrayLike<number> | undefined): number {
  let sum = 0;
  for (let row = 0; row < (column?.length ?? 0); row++)
    sum = (sum * 31 + (column?.[row] ?? 0)) % 2 ** 31;
  return sum;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nothing-waits-'));
  path = join(folder, 'large.trace.db');
  expect(writeTraceFile(path, generated)).toMatchObject({ ok: true });
  const asked = { path, scratchFolder: folder, dataSocket: join(folder, 'data') };
  const answer = await session.open(asked, context());
  if (!answer.ok) throw new Error(answer.error.message);
  opened = answer.value;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('what several threads read is what was written', () => {
  const options = { scratchDir: folder, importers, progress: () => undefined };
  const read = openTrace(path, options);
  if (!read.ok) throw new Error(read.error.message);
  const { on_cpu: slices, cuda_call: calls } = read.value.tables;
  expect(slices.rows).toBeGreaterThan(LARGE_ROWS);
  for (const column of ['startNs', 'durationNs', 'thread', 'cpu'] as const)
    expect(sumOf(slices.columns[column])).toBe(sumOf(generated.tables.on_cpu.columns[column]));
  expect(slices.columns.startNs).toEqual(generated.tables.on_cpu.columns.startNs);
  expect(sumOf(calls.columns.durationNs)).toBe(
    sumOf(generated.tables.cuda_call.columns.durationNs),
  );
});

test('a trace that was opened before is the same the second time', async () => {
  const cacheFolder = join(folder, 'cache');
  const options = { scratchDir: folder, importers, progress: () => undefined };
  const read = openTrace(path, options);
  if (!read.ok) throw new Error(read.error.message);
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const kept = await openKept(path, cacheFolder);
  const keeping = kept?.keepLater(read.value);
  vi.runAllTimers();
  vi.useRealTimers();
  await keeping;
  expect((await openKept(path, cacheFolder))?.hasTrace).toBe(true);
  const again = createTraceSession();
  const asked = { path, scratchFolder: folder, dataSocket: join(folder, 'again'), cacheFolder };
  // Nothing is read of the file itself: it is not asked how far that is.
  const progress = vi.fn();
  const answer = await again.open(asked, { ...context(), progress });
  expect(answer).toEqual({ ok: true, value: opened });
  expect(progress.mock.calls).toEqual([[{ fraction: 1, text: 'Working out roles' }]]);
  const operations = await session['trace.operations']({ bySize: true }, context());
  expect(await again['trace.operations']({ bySize: true }, context())).toEqual(operations);

  // The third time the answer itself is there already; of other roles it is another one.
  const question = 'trace.operations {"bySize":true}';
  const keptAnswer = async () => (await openKept(path, cacheFolder))?.answer(question);
  await vi.waitFor(async () => expect(await keptAnswer()).toBeDefined(), 30_000);
  expect(await keptAnswer()).toEqual(operations.ok && operations.value);
  await (await openKept(path, cacheFolder))?.keepAnswer(question, ['kept']);
  expect(await keptAnswer()).toEqual(['kept']);
  const third = createTraceSession();
  const thirdProgress = vi.fn();
  const toThird = { ...asked, dataSocket: join(folder, 'third') };
  // So is the summary: it is told before the columns are read.
  expect(await third.open(toThird, { ...context(), progress: thirdProgress })).toEqual(answer);
  expect(thirdProgress).not.toHaveBeenCalled();
  const ask = () => third['trace.operations']({ bySize: true }, context());
  expect(await ask()).toEqual({ ok: true, value: ['kept'] });
  await third.setRoles({ roles: [] }, context());
  expect(await ask()).toEqual(operations);
  expect(await third['trace.tracks']({}, context())).toMatchObject({ ok: true });
});

test('where the columns that were kept are damaged, the file itself is read', async () => {
  const cacheFolder = join(folder, 'cache');
  const [columns = ''] = readdirSync(cacheFolder).filter((name) => name.endsWith('.columns'));
  const damaged = openSync(join(cacheFolder, columns), 'r+');
  writeSync(damaged, Buffer.alloc(64, 1), 0, 64, statSync(join(cacheFolder, columns)).size - 64);
  closeSync(damaged);
  const fourth = createTraceSession();
  const dataSocket = join(folder, 'fourth');
  const asked = { path, scratchFolder: folder, dataSocket, cacheFolder };
  expect(await fourth.open(asked, context())).toEqual({ ok: true, value: opened });
  const copies = (of: typeof session) => of['trace.slowCall']({ from: -1, by: -1 }, context());
  expect(await copies(fourth)).toEqual(await copies(session));
});

/** Which of the two is told first where a call is asked for behind the diagnosis of the whole trace. */
async function firstAnswer(dataSocket: string): Promise<string | undefined> {
  const asked = createTraceSession();
  await asked.open({ path, scratchFolder: folder, dataSocket }, context());
  // The first explanation works out what the others stand on.
  await asked['trace.explain']({ call: 0 }, context());
  const order: string[] = [];
  const done = (name: string) => (answer: { ok: boolean }) => {
    expect(answer.ok).toBe(true);
    order.push(name);
  };
  await Promise.all([
    asked['trace.diagnose']({}, context()).then(done('diagnosis')),
    asked['trace.explain']({ call: 1000 }, context()).then(done('explanation')),
  ]);
  return order[0];
}

test('a call is explained while the whole trace is diagnosed', async () => {
  // On a machine with more to do than it has CPUs either may be held up; one that waits for the other never comes first.
  const firsts: (string | undefined)[] = [];
  while (firsts.length < 4 && !firsts.includes('explanation'))
    firsts.push(await firstAnswer(join(folder, `asked-${firsts.length}`)));
  expect(firsts).toContain('explanation');
});

test('a diagnosis that nobody waits for is ended; asked again, it comes', async () => {
  const controller = new AbortController();
  const cancelled = session['report.facts']({}, context(controller.signal));
  controller.abort();
  expect(await cancelled).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  expect(await session['trace.diagnose']({}, context())).toMatchObject({ ok: true });
});

test('with a role that the user set the threads answer about the trace as it is now', async () => {
  const rolesNow = async () => {
    const told = await session['trace.processes']({ span: {} }, context());
    if (!told.ok) throw new Error(told.error.message);
    return told.value.processes.map(({ process, role }) => [process, role]);
  };
  const [[worker] = []] = (await rolesNow()).filter(([, role]) => role === 'dataloader-worker');
  const trains = await session['trace.diagnose']({}, context());
  const pid = opened.processes[worker as number]?.pid as number;
  const startNs = opened.processes[worker as number]?.startNs;
  const role = { pid, role: 'other', ...(startNs !== undefined && { startNs }) } as const;
  expect(await session.setRoles({ roles: [role] }, context())).toMatchObject({ ok: true });
  expect(await rolesNow()).toContainEqual([worker, 'other']);
  const other = await session['trace.diagnose']({}, context());
  expect(other).not.toEqual(trains);

  // What is worked out ahead, once nobody waits, is of the roles as they are by then.
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  const second = createTraceSession();
  await second.open({ path, scratchFolder: folder, dataSocket: join(folder, 'roles') }, context());
  await second.setRoles({ roles: [role] }, context());
  await vi.advanceTimersByTimeAsync(60_000);
  vi.useRealTimers();
  expect(await second['trace.diagnose']({}, context())).toEqual(other);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTraceSession } from '../../src-main/app/trace-process/trace-session.ts';
import type { TraceSummary } from '../../src-main/shared/answers/summary.ts';
import { writeTraceFile } from '../../src-main/trace/formats/stalltrace/writer.ts';
import { generateTrace } from '../bench/traces/generate-trace.ts';

/** The process of a large trace, here in this one: what takes long has threads of its own. */

const EVENTS = 250_000;

let folder: string;
let opened: TraceSummary;
const session = createTraceSession();
const context = (signal = new AbortController().signal) => ({
  signal,
  session: signal,
  progress: () => undefined,
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nothing-waits-'));
  const path = join(folder, 'large.trace.db');
  expect(writeTraceFile(path, generateTrace(EVENTS, 1))).toMatchObject({ ok: true });
  const asked = { path, scratchFolder: folder, dataSocket: join(folder, 'data') };
  const answer = await session.open(asked, context());
  if (!answer.ok) throw new Error(answer.error.message);
  opened = answer.value;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a call is explained while the whole trace is diagnosed', async () => {
  // The first explanation works out what the others stand on.
  await session['trace.explain']({ call: 0 }, context());
  const order: string[] = [];
  const done = (name: string) => (answer: { ok: boolean }) => {
    expect(answer.ok).toBe(true);
    order.push(name);
  };
  await Promise.all([
    session['trace.diagnose']({}, context()).then(done('diagnosis')),
    session['trace.explain']({ call: 1000 }, context()).then(done('explanation')),
  ]);
  expect(order).toEqual(['explanation', 'diagnosis']);
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
  expect(await session['trace.diagnose']({}, context())).not.toEqual(trains);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ok } from '../../shared/rpc/result.ts';
import { contextOf, ENDLESS_STATEMENT, fakePlatform } from '../testing/fake-platform.ts';
import { OpenTraces } from '../traces/open-traces.ts';
import { type RunningStatement, Statements } from './statements.ts';

let folder: string;
let fake: ReturnType<typeof fakePlatform>;
let traces: OpenTraces;
let statements: Statements;
let traceId: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-statements-'));
  writeFileSync(join(folder, 'a.db'), '');
  fake = fakePlatform();
  traces = new OpenTraces(fake.platform, join(folder, 'scratch'), () => undefined);
  statements = new Statements(fake.platform, traces);
  const opened = await traces.open(join(folder, 'a.db'), contextOf());
  if (!opened.ok) throw new Error(opened.error.message);
  traceId = opened.value.id;
});
afterEach(async () => {
  statements.closeAll();
  await traces.closeAll();
  rmSync(folder, { recursive: true, force: true });
});

const run = (text: string, context = contextOf(), timeMs = 60_000, use = firstRow) =>
  statements.run(traceId, { text, timeMs }, context, use);

async function firstRow(running: RunningStatement) {
  const next = await running.next(10);
  return next.ok ? ok(next.value.rows[0]?.[0]) : next;
}

test('a statement has a process of its own, which is gone with its answer', async () => {
  const steps: string[] = [];
  const context = { ...contextOf(), progress: ({ text }: { text: string }) => steps.push(text) };
  const answered = await run('SELECT 1', context, 60_000, async (running) => {
    expect(fake.alive.size).toBe(2);
    return firstRow(running);
  });
  expect(answered).toEqual({ ok: true, value: 'SELECT 1' });
  expect(fake.alive.size).toBe(1);
  expect(steps).toEqual(['Writing the tables that it reads: off_cpu', 'Running']);
});

test('one that is cancelled, or takes too long, is killed', async () => {
  const stop = new AbortController();
  const cancelled = run(ENDLESS_STATEMENT, contextOf(new AbortController(), stop));
  await expect.poll(() => fake.alive.size).toBe(2);
  stop.abort();
  expect(await cancelled).toMatchObject({ error: { code: 'cancelled' } });
  expect(await run(ENDLESS_STATEMENT, contextOf(), 20)).toMatchObject({
    error: { code: 'too-slow', message: expect.stringContaining('longer than 20') },
  });
  expect(fake.alive.size).toBe(1);
});

test('statements over a trace run one after the other; one that waits can be cancelled', async () => {
  const order: string[] = [];
  const note = (text: string) => async (running: RunningStatement) => {
    order.push(`begin ${text}`);
    const row = await firstRow(running);
    order.push(`end ${text}`);
    return row;
  };
  const stop = new AbortController();
  const all = Promise.all([
    run('one', contextOf(), 60_000, note('one')),
    run('two', contextOf(new AbortController(), stop), 60_000, note('two')),
    run('three', contextOf(), 60_000, note('three')),
  ]);
  stop.abort();
  expect((await all).map(({ ok: isOk }) => isOk)).toEqual([true, false, true]);
  expect(order).toEqual(['begin one', 'end one', 'begin three', 'end three']);
});

test('a process that dies is told as that, and a trace that is closed too', async () => {
  const dying = run('one', contextOf(), 60_000, async (running) => {
    for (const process of [...fake.alive].slice(1)) process.kill();
    return firstRow(running);
  });
  expect(await dying).toMatchObject({ error: { code: 'statement-lost' } });
  traces.close(traceId);
  expect(await run('one')).toMatchObject({ error: { code: 'not-open' } });
});

test('where the trace was read again meanwhile, its tables are in another file: nothing is answered', async () => {
  const progress = () => {
    fake.reading.tables = 'another.db';
  };
  expect(await run('one', { ...contextOf(), progress })).toMatchObject({
    error: { code: 'statement-lost', message: expect.stringMatching(/read again/) },
  });
});

test('a trace that closes ends the statement over it', async () => {
  const running = run(ENDLESS_STATEMENT);
  await expect.poll(() => fake.alive.size).toBe(2);
  traces.close(traceId);
  expect(await running).toMatchObject({ error: { code: 'not-open' } });
  expect(fake.alive.size).toBe(0);
});

test('none begins once all are closed', async () => {
  const all = Promise.all([run(ENDLESS_STATEMENT), run(ENDLESS_STATEMENT)]);
  await expect.poll(() => fake.alive.size).toBe(2);
  statements.closeAll();
  expect((await all).map((each) => !each.ok && each.error.code)).toEqual([
    'cancelled',
    'cancelled',
  ]);
  expect(fake.alive.size).toBe(1);
});

test('the next begins once the process before is gone', async () => {
  const { launch } = fake.platform;
  fake.platform.launch = (entry, args) => {
    const launched = launch(entry, args);
    return { ...launched, kill: () => void setTimeout(() => launched.kill(), 20) };
  };
  const count = async (running: RunningStatement) => {
    await firstRow(running);
    return ok(fake.alive.size);
  };
  const both = await Promise.all([
    run('one', contextOf(), 60_000, count),
    run('two', contextOf(), 60_000, count),
  ]);
  expect(both).toEqual([ok(2), ok(2)]);
});

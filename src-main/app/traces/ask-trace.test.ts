import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ok } from '../../shared/rpc/result.ts';
import { contextOf, fakePlatform } from '../testing/fake-platform.ts';
import { askTrace } from './ask-trace.ts';
import { OpenTraces } from './open-traces.ts';

let folder: string;
let traces: OpenTraces;
let traceId: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ask-trace-'));
  writeFileSync(join(folder, 'a.db'), 'a');
  traces = new OpenTraces(fakePlatform().platform, join(folder, 'scratch'), () => undefined);
  const opened = await traces.open(join(folder, 'a.db'), contextOf());
  if (!opened.ok) throw new Error(opened.error.message);
  traceId = opened.value.id;
});
afterEach(async () => {
  await traces.closeAll();
  rmSync(folder, { recursive: true, force: true });
});

const never = () => new Promise<never>(() => undefined);

test('who cancels does not wait for a process that is busy; the trace stays open', async () => {
  const call = new AbortController();
  const asked = askTrace(traces, traceId, contextOf(new AbortController(), call), never);
  call.abort();
  expect(await asked).toMatchObject({ error: { code: 'cancelled' } });
  const late = contextOf(new AbortController(), call);
  expect(await askTrace(traces, traceId, late, never)).toMatchObject({
    error: { code: 'cancelled' },
  });
  expect(await askTrace(traces, traceId, contextOf(), async () => ok(1))).toEqual(ok(1));
});

test('a trace that is not open, and one whose process ends meanwhile, are said to be', async () => {
  expect(await askTrace(traces, 'none', contextOf(), never)).toMatchObject({
    error: { code: 'not-open' },
  });
  const asked = askTrace(traces, traceId, contextOf(), async ({ client }) => {
    const answer = client.call('trace.operations', { bySize: false });
    traces.close(traceId);
    return answer;
  });
  expect(await asked).toMatchObject({ error: { code: 'process-lost' } });
});

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRouter } from '../rpc/router.ts';
import type { HostPlatform, LaunchedProcess } from '../shared/platform.ts';
import { traceProcessCalls } from '../shared/process-contract.ts';
import { fail, ok } from '../shared/result.ts';
import type { CallContext } from '../shared/rpc.ts';
import type { TraceSummary } from '../shared/summary.ts';
import { OpenTraces } from './open-traces.ts';

/** Trace processes that live in this one: `slow.db` never opens, `bad.db` is no trace. */
function fakePlatform() {
  const alive = new Set<LaunchedProcess>();
  function launch(): LaunchedProcess {
    let toHost: (message: unknown) => void = () => undefined;
    const exits: ((reason: string) => void)[] = [];
    const router = createRouter(
      traceProcessCalls,
      {
        open: async ({ path }) => {
          if (path === 'bad.db') return fail('file-not-a-trace', 'No trace.');
          if (path === 'slow.db') await new Promise(() => undefined);
          return ok({ format: 'test' } as TraceSummary);
        },
        operations: async () => ok([]),
        explain: async () => fail('not-found', ''),
      },
      () => undefined,
    );
    const session = router.connect((frame) => toHost(frame));
    const launched: LaunchedProcess = {
      post: (message) => session.receive(message),
      onMessage: (listener) => {
        toHost = listener;
      },
      onExit: (listener) => void exits.push(listener),
      kill: () => {
        if (!alive.delete(launched)) return;
        for (const listener of exits) listener('killed');
      },
    };
    alive.add(launched);
    return launched;
  }
  const platform: HostPlatform = { kind: 'cli', launch, mayOpen: () => true };
  return { platform, alive };
}

function contextOf(session = new AbortController(), call = new AbortController()): CallContext {
  return { signal: call.signal, session: session.signal, progress: () => undefined };
}

let lost: string[];
let fake: ReturnType<typeof fakePlatform>;
let traces: OpenTraces;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  lost = [];
  fake = fakePlatform();
  traces = new OpenTraces(fake.platform, '/scratch', (traceId) => lost.push(traceId));
});
afterEach(async () => {
  vi.useRealTimers();
  await traces.closeAll();
});

async function open(path = 'good.db'): Promise<string> {
  const opened = await traces.open(path, contextOf());
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value.id;
}

describe('open traces', () => {
  test('a cancelled import loses its process at once', async () => {
    const call = new AbortController();
    const opening = traces.open('slow.db', contextOf(new AbortController(), call));
    await vi.waitFor(() => expect(fake.alive.size).toBe(1));
    call.abort();
    expect(await opening).toMatchObject({ error: { code: 'cancelled' } });
    expect(fake.alive.size).toBe(0);
  });

  test('a file that is no trace leaves no process', async () => {
    expect(await traces.open('bad.db', contextOf())).toMatchObject({
      error: { code: 'file-not-a-trace' },
    });
    expect(fake.alive.size).toBe(0);
  });

  test('a process that ends by itself is reported once, one that is closed is not', async () => {
    const first = await open();
    const second = await open();
    traces.close(second);
    expect(lost).toEqual([]);
    for (const launched of [...fake.alive]) launched.kill();
    expect(lost).toEqual([first]);
    expect(traces.find(first)).toMatchObject({ error: { code: 'not-open' } });
  });

  test('a trace opened only to be added serves the opening that follows, or is closed', async () => {
    const id = await open();
    traces.keepWarm(id);
    expect(traces.takeWarm('other.db')).toBeUndefined();
    expect(traces.takeWarm('good.db')).toMatchObject({ value: { id } });
    expect(traces.takeWarm('good.db')).toBeUndefined();
    vi.advanceTimersByTime(120_000);
    expect(fake.alive.size).toBe(1);
    traces.keepWarm(await open());
    vi.advanceTimersByTime(120_000);
    expect(fake.alive.size).toBe(1);
  });

  test('a reader who comes back in time keeps the trace, one who does not loses it', async () => {
    const id = await open();
    const [before, after] = [new AbortController(), new AbortController()];
    traces.useBy(id, before.signal);
    before.abort();
    vi.advanceTimersByTime(30_000);
    traces.useBy(id, after.signal);
    vi.advanceTimersByTime(120_000);
    expect(fake.alive.size).toBe(1);
    after.abort();
    vi.advanceTimersByTime(120_000);
    expect(fake.alive.size).toBe(0);
    expect(lost).toEqual([]);
  });

  test('a reader who left while the file was opening does not keep it', async () => {
    const gone = new AbortController();
    gone.abort();
    traces.useBy(await open(), gone.signal);
    vi.advanceTimersByTime(120_000);
    expect(fake.alive.size).toBe(0);
  });
});

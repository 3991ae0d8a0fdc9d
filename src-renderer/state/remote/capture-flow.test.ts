import { beforeEach, describe, expect, test } from 'vitest';
import type { Investigation } from '../../../src-main/shared/library/investigation.ts';
import type { CaptureOrigin } from '../../../src-main/shared/remote/capture-origin.ts';
import { defaultCapture } from '../../../src-main/shared/remote/capture-request.ts';
import type { RemoteQuestion } from '../../../src-main/shared/remote/questions.ts';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { Toasts } from '../common/toasts.svelte.ts';
import { FakeApi, fakeInvestigation } from '../testing/fake-api.ts';
import {
  fakeConnected,
  fakeHost,
  fakePreflight,
  fakeProcess,
  fakeRun,
} from '../testing/fake-remote.ts';
import { CaptureFlow } from './capture-flow.svelte.ts';

const target = { name: 'gpu-box' };
const origin: CaptureOrigin = {
  ...{ label: 'gpu-box', target, kind: 'command', folder: '/work' },
  settings: { ...defaultCapture, durationS: 90, maxSizeBytes: 512 * 1024 ** 2, samplesHz: 99 },
};
const SECRET = 'correct horse battery';
let fake: FakeApi;
let toasts: Toasts;
let kept: Map<string, string>;
let brought: Investigation[];
let compared: (readonly [before: number, after: Investigation])[];
/** The entries that were made one, and the one that this was compared with. */
let together: (number | undefined)[][];

beforeEach(() => {
  toasts = new Toasts();
  kept = new Map();
  brought = [];
  compared = [];
  together = [];
  fake = new FakeApi()
    .answer('remote.connect', ({ connection }) => ok(fakeConnected({ connection })))
    .answer('remote.preflight', () => ok(fakePreflight()))
    .answer('remote.processes', () => ok({ trees: [fakeProcess(7, { usesGpu: true })] }))
    .answer('remote.start', () => ok(fakeRun()));
});

function makeFlow(): CaptureFlow {
  return new CaptureFlow(fake.api, toasts, {
    clearWindow: () => undefined,
    showBrought: async (investigation) => void brought.push(investigation),
    compareBrought: async (before, after) => void compared.push([before, after]),
    openTogether: async (entries, before) => together.push([...entries, before]) > 0,
    storage: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
    },
  });
}

const argsOf = (name: string) => fake.asked.filter((asked) => asked.name === name);
const settled = () => new Promise((resolve) => setTimeout(resolve));

async function connected(): Promise<CaptureFlow> {
  const flow = makeFlow();
  flow.show();
  await flow.connect(target, 'gpu-box');
  await settled();
  return flow;
}

async function started(): Promise<CaptureFlow> {
  const flow = await connected();
  flow.goTo('capture');
  flow.options.change({ kind: 'processes' });
  const stop = flow.processes.watch(flow.link?.id ?? '');
  await settled();
  await flow.start();
  stop();
  return flow;
}

test('a host that was signed in to is looked at, then what to capture can be chosen', async () => {
  const flow = await connected();
  expect(flow.step).toBe('check');
  expect(flow.preflight.value?.mode).toBe('full');
  expect(flow.canGoTo('capture')).toBe(true);
  flow.goTo('capture');
  expect(flow.step).toBe('capture');
});

test('where nothing can be captured the last step is closed', async () => {
  fake.answer('remote.preflight', () => ok(fakePreflight({ mode: 'none' })));
  const flow = await connected();
  flow.goTo('capture');
  expect(flow.step).toBe('check');
});

test('a failure keeps the host, so that it can be tried again', async () => {
  fake.answer('remote.connect', () => fail('sign-in-failed', 'It took no key.'));
  const flow = makeFlow();
  await flow.connect(target, 'gpu-box');
  expect(flow.link?.failure?.message).toBe('It took no key.');
  fake.answer('remote.connect', ({ connection }) => ok(fakeConnected({ connection })));
  await flow.reconnect();
  expect(flow.step).toBe('check');
});

test('cancelling an attempt ends it, and its late answer changes nothing', async () => {
  let answer: (value: ReturnType<typeof ok<ReturnType<typeof fakeConnected>>>) => void = () =>
    undefined;
  fake.answer('remote.connect', () => new Promise((resolve) => (answer = resolve)));
  const flow = makeFlow();
  const connecting = flow.connect(target, 'gpu-box');
  flow.disconnect();
  answer(ok(fakeConnected()));
  await connecting;
  expect(flow.link).toBeUndefined();
  expect(flow.step).toBe('host');
  expect(fake.namesAsked()).toContain('remote.disconnect');
});

test('a question is asked in the window whose connection it is, and the answer is kept nowhere', async () => {
  let finish: () => void = () => undefined;
  fake.answer(
    'remote.connect',
    ({ connection }) =>
      new Promise((resolve) => (finish = () => resolve(ok(fakeConnected({ connection }))))),
  );
  const flow = makeFlow();
  const connecting = flow.connect(target, 'gpu-box');
  const question = {
    id: 'q1',
    kind: 'password',
    host: 'ada@gpu-box:22',
    attempt: 1,
    keeping: { possible: true },
  } as const;
  fake.emit('remote.question', { ...question, connection: 'another window’s' });
  expect(flow.asked).toBeUndefined();
  const own: RemoteQuestion = { ...question, connection: flow.link?.id ?? '' };
  fake.emit('remote.question', own);
  expect(flow.asked?.question).toEqual(own);
  await flow.link?.answer(own, { kind: 'texts', texts: [SECRET], remember: false });
  expect(flow.asked).toBeUndefined();
  expect(argsOf('remote.answer')).toHaveLength(1);
  fake.asked.length = 0;
  finish();
  await connecting;
  flow.keep();
  expect(JSON.stringify([...kept])).not.toContain(SECRET);
});

test('a question that another window answered is gone here', async () => {
  fake.answer('remote.connect', () => new Promise(() => undefined));
  const flow = makeFlow();
  void flow.connect(target, 'gpu-box');
  const connection = flow.link?.id;
  fake.emit('remote.question', {
    id: 'q',
    kind: 'match-exec',
    host: 'x',
    connection,
    commands: [],
  });
  expect(flow.asked).toBeDefined();
  fake.emit('remote.questionGone', { id: 'q' });
  expect(flow.asked).toBeUndefined();
});

test('the only job on a GPU is chosen, and recorded', async () => {
  const flow = await started();
  const [asked] = argsOf('remote.start');
  expect(asked?.args).toMatchObject({ request: { target: { kind: 'processes', pids: [7] } } });
  expect(flow.run?.phase).toBe('recording');
  expect(flow.link?.status).toBe('connected');
});

test('stopped, it is brought back as soon as it has ended, and opened where it is looked at', async () => {
  const flow = await started();
  const run = fakeRun({ phase: 'stopping' });
  fake.answer('remote.stop', () => ok(run));
  fake.answer('remote.bringBack', () =>
    ok({ investigation: fakeInvestigation({ id: 9 }), cleanUp: { freedBytes: 1024, left: [] } }),
  );
  if (flow.run !== undefined) await flow.actions.stop(flow.run);
  expect(brought).toEqual([]);
  fake.emit('remote.run', { ...run, phase: 'recorded' });
  await settled();
  expect(brought.map(({ id }) => id)).toEqual([9]);
  expect(toasts.kept.map(({ text }) => text)).toContain(
    '1.000 KiB freed on gpu-box, nothing left there.',
  );
});

test('brought back while something else is on the window, it is offered', async () => {
  const flow = await started();
  fake.answer('remote.bringBack', () =>
    ok({ investigation: fakeInvestigation({ name: 'train' }) }),
  );
  flow.hide();
  await flow.actions.bringBack(fakeRun({ phase: 'recorded' }));
  expect(brought).toEqual([]);
  expect(toasts.items.at(-1)?.text).toBe('“train” is in the library.');
  expect(toasts.kept.some(({ text }) => text.includes('could not be cleaned up now'))).toBe(true);
});

test('what can’t be stopped says why, and can be tried again', async () => {
  const flow = await started();
  fake.answer('remote.stop', () => fail('link-lost', 'The link is lost.'));
  const run = fakeRun();
  await flow.actions.stop(run);
  expect(flow.actions.failureOf(run)?.message).toBe('The link is lost.');
  expect(flow.actions.taskOf(run)).toBeUndefined();
});

test('a cancelled download is no failure', async () => {
  const flow = await started();
  fake.answer(
    'remote.bringBack',
    (_args, options) =>
      new Promise((resolve) =>
        options?.signal?.addEventListener('abort', () => resolve(fail('cancelled', 'Cancelled.'))),
      ),
  );
  const run = fakeRun({ phase: 'recorded' });
  const bringing = flow.actions.bringBack(run);
  expect(flow.actions.taskOf(run)).toBe('bringing');
  flow.actions.cancelBringing(run);
  await bringing;
  expect(flow.actions.failureOf(run)).toBeUndefined();
  expect(brought).toEqual([]);
});

test('a link that is closed for good ends the connection, with the reason', async () => {
  const flow = await connected();
  const connection = flow.link?.id;
  fake.emit('remote.link', { connection, state: { kind: 'closed', why: 'The key has changed.' } });
  expect(flow.link?.status).toBe('failed');
  expect(flow.link?.failure?.message).toBe('The key has changed.');
  expect(flow.canGoTo('capture')).toBe(false);
});

test('a reloaded window takes its connection and its capture up again', async () => {
  const before = await started();
  before.keep();
  const after = makeFlow();
  await after.restore();
  expect(after.asked).toBeUndefined();
  after.show(fakeRun().id);
  expect(after.link?.id).toBe(before.link?.id);
  expect(argsOf('remote.retry')).toHaveLength(1);
});

test('a connection that is gone meanwhile is not taken up, nor what was tampered with', async () => {
  const before = await connected();
  before.keep();
  fake.answer('remote.retry', () => fail('not-connected', 'gone'));
  const after = makeFlow();
  await after.restore();
  expect(after.link).toBeUndefined();
  for (const bad of ['{', '[{"target":{"name":"-oProxyCommand=x"}}]', '"x"']) {
    kept.set('stalltrace.hosts', bad);
    await expect(makeFlow().restore()).resolves.toBeUndefined();
  }
});

test('a capture is taken up again over a new connection to its host', async () => {
  const run = fakeRun({ phase: 'recorded' });
  fake
    .answer('remote.runTarget', () => ok(origin))
    .answer('remote.attach', () => ok({ ...run, link: 'connected' }));
  const flow = makeFlow();
  flow.runs.take(run);
  await flow.resume(run);
  expect(flow.runId).toBe(run.id);
  expect(flow.run?.link).toBe('connected');
});

test('what a brought capture left on its host is cleaned up over a new connection', async () => {
  const run = fakeRun({ phase: 'brought', bytesOnHost: 10 });
  fake
    .answer('remote.runTarget', () => ok(origin))
    .answer('remote.cleanUp', () => ok({ freedBytes: 10, left: [{ path: '/x', why: 'busy' }] }));
  const flow = makeFlow();
  flow.runs.take(run);
  await flow.resume(run);
  expect(fake.namesAsked()).not.toContain('remote.attach');
  expect(toasts.items.at(-1)?.text).toBe('10 B freed on gpu-box. Still there: /x (busy).');
});

describe('recording again', () => {
  const before = fakeInvestigation({ id: 5, name: 'before', origin });
  const after = fakeInvestigation({ id: 6, name: 'after', origin });

  /** Brings the capture on the screen back as `entry`. */
  async function bring(flow: CaptureFlow, entry: Investigation) {
    fake.answer('remote.bringBack', () => ok({ investigation: entry }));
    const { run } = flow;
    if (run !== undefined) await flow.actions.bringBack(run);
  }

  test('goes to the same host, with the same settings, and is compared with what it repeats', async () => {
    const flow = makeFlow();
    await flow.again(before, 'python3 train.py');
    await settled();
    expect(argsOf('remote.connect')[0]?.args).toMatchObject({ target, label: 'gpu-box' });
    expect(flow.before).toBe(before);
    expect(flow.repeatNotes).toEqual([expect.stringContaining('The trace keeps no environment')]);
    flow.goTo('capture');
    await flow.start();
    expect(argsOf('remote.start')[0]?.args).toMatchObject({
      request: {
        target: { kind: 'command', line: 'python3 train.py', folder: '/work' },
        ...{ durationS: 90, maxSizeBytes: 512 * 1024 ** 2, samplesHz: 99 },
      },
    });
    expect(flow.before).toBeUndefined();
    await bring(flow, after);
    expect(compared).toEqual([[before.id, after]]);
    expect(brought).toEqual([]);
  });

  test('is compared also where the window was reloaded meanwhile, and once', async () => {
    const flow = makeFlow();
    await flow.again(before, 'python3 train.py');
    await settled();
    flow.goTo('capture');
    await flow.start();
    const run = flow.run ?? fakeRun();
    const reloaded = makeFlow();
    reloaded.runs.take(run);
    reloaded.show(run.id);
    await bring(reloaded, after);
    expect(compared).toEqual([[before.id, after]]);
    const later = makeFlow();
    later.runs.take(run);
    later.show(run.id);
    await bring(later, after);
    expect(compared).toHaveLength(1);
    expect(brought).toEqual([after]);
  });

  test('a window whose memory of it was tampered with opens what it brings', async () => {
    for (const bad of ['{', '[["x", 1]]', '[[1, 2]]', '"x"']) {
      kept.set('stalltrace.compared-with', bad);
      const flow = makeFlow();
      flow.runs.take(fakeRun());
      flow.show(fakeRun().id);
      await bring(flow, after);
    }
    expect(compared).toEqual([]);
    expect(brought).toHaveLength(4);
  });

  test('knows the whole command of what this window recorded, its environment too', async () => {
    const flow = await started();
    await bring(flow, before);
    flow.options.change({ line: 'something else', environment: '' });
    await flow.again(before, 'as the trace has it', 'Set num_workers=2');
    expect(flow.repeatNotes).toEqual(['Make the change first: Set num_workers=2.']);
    expect(flow.options.fields).toMatchObject({ kind: 'processes' });
    expect(flow.step).toBe('capture');
    expect(argsOf('remote.connect')).toHaveLength(1);
  });

  test('looks for a job that runs by what its program is called', async () => {
    const flow = makeFlow();
    const running = { ...origin, kind: 'processes' } as const;
    await flow.again({ ...before, origin: running }, 'python3 /work/train.py --seed 7');
    expect(flow.options.fields.kind).toBe('processes');
    expect(flow.processes.filter).toBe('train.py');
  });

  test('is forgotten for another host, and where the user only wants to record', async () => {
    const flow = makeFlow();
    await flow.again(before, 'x');
    await flow.reconnect();
    expect(flow.before).toBe(before);
    await flow.connect({ name: 'other' }, 'other');
    expect(flow.before).toBeUndefined();
    await flow.again(before, 'x');
    flow.compareWithNothing();
    flow.goTo('capture');
    await settled();
    await flow.start();
    await bring(flow, after);
    expect(compared).toEqual([]);
  });

  test('of what was captured elsewhere is not offered', async () => {
    const flow = makeFlow();
    await flow.again(fakeInvestigation(), 'x');
    expect(flow.shown).toBe(false);
    expect(fake.asked).toEqual([]);
  });
});

describe('what went wrong is among the messages when it is off the screen', () => {
  const kept = () => toasts.kept.map(({ kind, text }) => `${kind}: ${text}`);

  test('of a connection that was not made, once for each attempt', async () => {
    fake.answer('remote.connect', () => fail('sign-in-failed', 'It took no key.'));
    const flow = makeFlow();
    flow.show();
    for (const _attempt of [1, 2]) {
      await flow.connect(target, 'gpu-box');
      flow.keepFailures();
      flow.keepFailures();
      flow.disconnect();
      flow.keepFailures();
    }
    expect(flow.link).toBeUndefined();
    expect(kept()).toEqual(['error: It took no key.', 'error: It took no key.']);
    expect([toasts.items.length, toasts.unread]).toEqual([0, 0]);
  });

  test('of a start', async () => {
    fake.answer('remote.start', () => fail('disk-full', 'There is no room.'));
    const flow = await started();
    flow.keepFailures();
    flow.goTo('check');
    expect(flow.starts.failure).toBeUndefined();
    expect(kept()).toEqual(['error: There is no room.']);
  });

  test('of what was done with a capture, also when nobody looks at it', async () => {
    fake.answer('remote.bringBack', () => fail('link-lost', 'The link broke.'));
    const run = fakeRun({ phase: 'recorded' });
    const flow = makeFlow();
    flow.runs.take(run);
    await flow.actions.bringBack(run);
    flow.keepFailures();
    expect(kept()).toEqual(['error: gpu-box: The link broke.']);
    expect(toasts.unread).toBe(1);
  });

  test('of how the capture on the screen went, not of others', () => {
    const flow = makeFlow();
    const run = fakeRun({ tone: 'fail', message: 'The recorder was killed.' });
    flow.runs.take(run);
    flow.runs.take(fakeRun({ id: 'another', tone: 'fail', message: 'Another.' }));
    flow.show(run.id);
    flow.keepFailures();
    flow.runs.take({ ...run, tone: 'warn', message: 'It ended early.' });
    flow.keepFailures();
    flow.runs.take({ ...run, tone: 'ok', message: 'Recorded for 1 s.' });
    flow.keepFailures();
    expect(kept()).toEqual([
      'info: gpu-box: It ended early.',
      'error: gpu-box: The recorder was killed.',
    ]);
  });
});

describe('several hosts', () => {
  const startOf = (host: string) =>
    argsOf('remote.start').filter(
      ({ args }) => (args as { connection: string }).connection === connections.get(host),
    );
  const connections = new Map<string, string>();
  /** The host whose captures cannot begin. */
  let full: string | undefined;
  const names = ['gpu-box', 'gpu-2', 'gpu-3'];
  const idOf = (host: string) => ('abc'[names.indexOf(host)] ?? 'd').repeat(16);

  /** On the last step with `gpu-2` and `gpu-3` beside the first host. */
  async function threeHosts(): Promise<CaptureFlow> {
    full = undefined;
    fake
      .answer('remote.connect', ({ connection, label = '' }) => {
        connections.set(label, connection);
        return ok(fakeConnected({ connection, label }));
      })
      .answer('remote.parseTarget', ({ text }) =>
        text.startsWith('ssh ') ? ok({ name: text.slice(4) }) : fail('bad-target', 'No host.'),
      )
      .answer('remote.hosts', () =>
        ok({ hosts: [fakeHost({ label: 'gpu-2', target: { name: 'second' } })], problems: [] }),
      )
      .answer('remote.start', ({ connection }) => {
        const [host = ''] = [...connections].find(([, id]) => id === connection) ?? [];
        if (host === full) return fail('no-place', 'Its disk is full.');
        return ok(fakeRun({ id: idOf(host), host }));
      })
      .answer('remote.bringBack', ({ run }) =>
        ok({ investigation: fakeInvestigation({ id: run.charCodeAt(0) }) }),
      )
      .answer('remote.stop', ({ run }) => ok(fakeRun({ id: run, phase: 'recorded' })));
    const flow = await connected();
    await flow.hosts.load();
    flow.goTo('capture');
    flow.options.change({ kind: 'command', line: 'python train.py' });
    expect(await flow.addOther('gpu-2')).toBe(true);
    expect(await flow.addOther('ssh gpu-3')).toBe(true);
    await settled();
    return flow;
  }

  /** What ends a capture: it is told of, and off the list before the answer comes. */
  function answerAsHost(flow: CaptureFlow, name: 'remote.abandon' | 'remote.forgetRun'): void {
    fake.answer(name, async ({ run }: { run: string }) => {
      const left = flow.runs.list.filter(({ id }) => id !== run);
      fake.answer('remote.runs', () => ok(left));
      if (name === 'remote.abandon')
        fake.emit('remote.run', fakeRun({ id: run, phase: 'abandoned' }));
      fake.emit('remote.changed', null);
      await settled();
      return ok(name === 'remote.abandon' ? { freedBytes: 0, left: [] } : null) as never;
    });
  }

  test('a known name or a pasted command adds one, the same one only once', async () => {
    const flow = await threeHosts();
    expect(flow.others.list.map(({ label, link }) => [label, link.target.name])).toEqual([
      ['gpu-2', 'second'],
      ['gpu-3', 'gpu-3'],
    ]);
    expect(await flow.addOther('ssh gpu-3')).toBe(false);
    expect(flow.others.problem).toBe('gpu-3 is among the hosts already.');
    expect(await flow.addOther('nonsense')).toBe(false);
    expect(flow.others.problem).toBe('No host.');
    expect(await flow.addOther('ssh gpu-box')).toBe(false);
  });

  test('one press starts all, each with its own command where it has one', async () => {
    const flow = await threeHosts();
    flow.others.list[1]?.setLine('NODE_RANK=2 python train.py');
    expect(flow.starts.missing).toBeUndefined();
    await flow.start();
    const lines = names.map((host) => startOf(host)[0]?.args);
    expect(lines).toMatchObject([
      { request: { target: { line: 'python train.py' } } },
      { request: { target: { line: 'python train.py' } } },
      { request: { target: { line: 'NODE_RANK=2 python train.py' } } },
    ]);
    expect(flow.run?.host).toBe('gpu-box');
    expect(flow.together.map(({ host }) => host)).toEqual(names);
  });

  test('stopped together, they come back and are one investigation by the first host’s clock', async () => {
    const flow = await threeHosts();
    await flow.start();
    await flow.stopTogether();
    await settled();
    expect(together).toEqual([[97, 98, 99, undefined]]);
    expect(brought).toEqual([]);
    expect(flow.group).toBeUndefined();
  });

  test('a host that cannot start keeps the others recording; it is tried again or left out', async () => {
    const flow = await threeHosts();
    full = 'gpu-3';
    await flow.start();
    expect(flow.runId).toBeUndefined();
    expect([flow.starts.count, flow.others.list[1]?.failure?.message]).toEqual([
      2,
      'Its disk is full.',
    ]);
    await flow.start();
    expect(startOf('gpu-box')).toHaveLength(1);
    expect(startOf('gpu-3')).toHaveLength(2);
    flow.goOn();
    expect(flow.together.map(({ host }) => host)).toEqual(['gpu-box', 'gpu-2']);
  });

  test('what is missing on one of them is said with its name', async () => {
    const flow = await threeHosts();
    const [second] = flow.others.list;
    flow.options.change({ kind: 'processes' });
    const stop = flow.processes.watch(flow.link?.id ?? '');
    await settled();
    stop();
    expect(flow.starts.missing).toBe('gpu-2: Choose at least one process.');
    if (second !== undefined) flow.removeOther(second);
    expect(flow.starts.missing).toBe('gpu-3: Choose at least one process.');
    expect(fake.namesAsked()).toContain('remote.disconnect');
  });

  test('an abandoned one is not waited for, and a reload keeps what belongs together', async () => {
    const flow = await threeHosts();
    await flow.start();
    const [, second, third] = flow.together;
    if (second === undefined || third === undefined) throw new Error('three were started');
    answerAsHost(flow, 'remote.abandon');
    await flow.actions.abandon(second);
    await flow.actions.bringBack(third);
    const reloaded = makeFlow();
    reloaded.runs.take(fakeRun({ id: 'a'.repeat(16) }));
    reloaded.show('a'.repeat(16));
    expect(reloaded.group?.runs).toEqual([
      { id: 'a'.repeat(16) },
      { id: 'c'.repeat(16), entry: 99 },
    ]);
    await reloaded.actions.bringBack(fakeRun({ id: 'a'.repeat(16), phase: 'recorded' }));
    expect(together).toEqual([[97, 99, undefined]]);
  });

  test('an ended one is brought back without stopping those that still record', async () => {
    const flow = await threeHosts();
    await flow.start();
    const [first] = flow.together;
    if (first !== undefined) flow.runs.take({ ...first, phase: 'recorded' });
    await flow.bringTogether();
    expect(argsOf('remote.bringBack')).toHaveLength(1);
    expect(argsOf('remote.stop')).toEqual([]);
  });

  test('one that records is followed by a new connection, and does not start again', async () => {
    const flow = await threeHosts();
    full = 'gpu-3';
    await flow.start();
    const [second] = flow.others.list;
    if (second === undefined) throw new Error('there are two others');
    fake.answer('remote.attach', ({ run }) => ok(fakeRun({ id: run, host: 'gpu-2' })));
    fake.emit('remote.link', {
      connection: second.link.id,
      state: { kind: 'closed', why: 'It is gone.' },
    });
    await flow.tryOther(second);
    full = undefined;
    await flow.start();
    expect(startOf('gpu-2')).toEqual([]);
    expect(argsOf('remote.start')).toHaveLength(4);
    expect(flow.together.map(({ host }) => host)).toEqual(names);
  });

  test('the first host is connected to again without losing the others', async () => {
    const flow = await threeHosts();
    flow.others.list[0]?.setLine('NODE_RANK=1 python train.py');
    await flow.reconnect();
    expect(flow.others.list.map(({ line }) => line)).toEqual([
      'NODE_RANK=1 python train.py',
      undefined,
    ]);
  });

  test('leaving out the one that could not start goes on with the others', async () => {
    const flow = await threeHosts();
    full = 'gpu-3';
    await flow.start();
    const [, third] = flow.others.list;
    if (third !== undefined) flow.removeOther(third);
    expect(flow.together.map(({ host }) => host)).toEqual(['gpu-box', 'gpu-2']);
    expect(flow.starts.count).toBe(0);
  });

  test('rented hosts at one address are told apart', async () => {
    const flow = await threeHosts();
    fake.answer('remote.parseTarget', ({ text }) =>
      ok({ name: '203.0.113.7', port: Number(text) }),
    );
    await flow.addOther('40001');
    await flow.addOther('40002');
    expect(flow.others.list.slice(-2).map(({ label }) => label)).toEqual([
      '203.0.113.7',
      '203.0.113.7:40002',
    ]);
  });

  test('each is recorded again with its own command', async () => {
    const flow = await threeHosts();
    flow.others.list[0]?.setLine('NODE_RANK=1 python train.py');
    await flow.start();
    await flow.stopTogether();
    await settled();
    const entry = fakeInvestigation({ id: 98, origin: { ...origin, label: 'gpu-box' } });
    await flow.again(entry, 'python');
    expect(flow.options.fields.line).toBe('NODE_RANK=1 python train.py');
  });

  test('a host that is gone is forgotten, and what the others brought is opened', async () => {
    const flow = await threeHosts();
    await flow.start();
    const [first, second, third] = flow.together;
    if (first === undefined || second === undefined || third === undefined)
      throw new Error('three were started');
    await flow.actions.bringBack(first);
    await flow.actions.bringBack(third);
    answerAsHost(flow, 'remote.forgetRun');
    await flow.actions.forget(second);
    await settled();
    expect(together).toEqual([[97, 99, undefined]]);
  });

  test('abandoned on its own screen, another of them takes its place', async () => {
    const flow = await threeHosts();
    await flow.start();
    const [first, second] = flow.together;
    if (first === undefined || second === undefined) throw new Error('three were started');
    answerAsHost(flow, 'remote.abandon');
    await flow.actions.abandon(first);
    expect(flow.run?.id).toBe(second.id);
    // Nothing is started on a screen that shows a capture.
    await flow.start();
    expect(argsOf('remote.start')).toHaveLength(3);
  });
});

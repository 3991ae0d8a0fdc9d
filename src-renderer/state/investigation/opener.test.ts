import { describe, expect, test, vi } from 'vitest';
import type { BenchmarkFile } from '../../../src-main/shared/answers/benchmark-result.ts';
import { parseBeside } from '../../../src-main/shared/answers/beside-file.ts';
import type { Launch } from '../../../src-main/shared/contract/app-calls.ts';
import type { OpenedTrace } from '../../../src-main/shared/contract/trace-calls.ts';
import type { AddedInvestigation } from '../../../src-main/shared/library/investigation.ts';
import { fail, ok, type Result } from '../../../src-main/shared/rpc/result.ts';
import type { Progress } from '../../../src-main/shared/rpc/rpc.ts';
import { Toasts } from '../common/toasts.svelte.ts';
import { FakeApi, fakeAdded, fakeInvestigation } from '../testing/fake-api.ts';
import { fakeOpened, TRACE_ID } from '../testing/fake-trace.ts';
import { InvestigationState } from './investigation.svelte.ts';
import { Opener } from './opener.svelte.ts';

function setUp() {
  const fake = new FakeApi().answer('trace.open', () => ok(fakeOpened()));
  const investigation = new InvestigationState(fake.api);
  const toasts = new Toasts();
  const followed: string[] = [];
  const benchmarks: BenchmarkFile[] = [];
  const compared: number[][] = [];
  const opener = new Opener(fake.api, investigation, toasts, {
    followLink: async (hash) => void followed.push(hash),
    showBeside: (file) => {
      if (file.kind === 'traceml') return { code: 'not-open', message: 'Open a trace first.' };
      benchmarks.push(file);
      return undefined;
    },
    compare: (runs) => void compared.push(runs.map(({ id }) => id)),
  });
  return { fake, investigation, toasts, followed, benchmarks, compared, opener };
}

test('a path is added to the library, then opened', async () => {
  const { fake, investigation, opener } = setUp();
  fake.answer('library.add', () => ok(fakeAdded()));
  await opener.openPath('/traces/run.db');
  expect(fake.namesAsked().slice(0, 3)).toEqual(['report.beside', 'library.add', 'trace.open']);
  expect(investigation.opened?.traceId).toBe(TRACE_ID);
  expect(opener.task).toBeUndefined();
});

test('several entries become one trace, which is opened', async () => {
  const { fake, investigation, opener } = setUp();
  fake.answer('library.merge', () =>
    ok({ ...fakeAdded(), sources: [0, 1], leftOut: [], cutOff: [] }),
  );
  await opener.openAsOne([
    fakeInvestigation({ id: 3, name: 'rank10' }),
    fakeInvestigation({ id: 4, name: 'rank2' }),
  ]);
  expect(fake.asked[0]).toEqual({ name: 'library.merge', args: { sources: [4, 3] } });
  expect(investigation.opened?.traceId).toBe(TRACE_ID);
  fake.answer('library.merge', () => fail('traces-apart', 'Recorded at another time.'));
  await opener.openAsOne([fakeInvestigation({ id: 3 }), fakeInvestigation({ id: 4 })]);
  expect(opener.failure?.message).toBe('Recorded at another time.');
});

test('a failure is kept until dismissed, then among the messages; what was on the screen stays', async () => {
  const { fake, investigation, toasts, opener } = setUp();
  await opener.openEntry(fakeInvestigation());
  fake.answer('library.add', () => fail('file-damaged', 'It is damaged.', 'SQLITE_CORRUPT'));
  await opener.openPath('/traces/bad.db');
  expect(opener.failure).toMatchObject({ message: 'It is damaged.', detail: 'SQLITE_CORRUPT' });
  expect(investigation.opened?.traceId).toBe(TRACE_ID);
  opener.dismissFailure();
  expect(opener.failure).toBeUndefined();
  expect(toasts.kept.map(({ text }) => text)).toEqual(['It is damaged.']);
});

test('a file dialog that was closed opens nothing and says nothing', async () => {
  const { fake, opener } = setUp();
  fake.answer('library.choosePath', () => ok(null));
  await opener.choose();
  expect(opener.failure).toBeUndefined();
  expect(fake.namesAsked()).not.toContain('library.add');
});

test('cancelling leaves at once, aborts the call and closes what still comes', async () => {
  const { fake, investigation, opener } = setUp();
  let answer: (result: Result<OpenedTrace>) => void = () => {};
  let signal: AbortSignal | undefined;
  fake.answer('trace.open', (_args, options) => {
    signal = options?.signal;
    return new Promise((resolve) => {
      answer = resolve;
    });
  });
  const opening = opener.openEntry(fakeInvestigation());
  await Promise.resolve();
  opener.cancel();
  expect(opener.task).toBeUndefined();
  expect(signal?.aborted).toBe(true);
  answer(ok(fakeOpened()));
  await opening;
  expect(investigation.opened).toBeUndefined();
  expect(fake.asked).toContainEqual({ name: 'trace.close', args: { traceId: TRACE_ID } });
});

test('what is told of a trace while it is read is there until it is open, or cancelled', async () => {
  const { fake, opener } = setUp();
  const figures = { tables: [], operations: [] };
  let tell: (progress: Progress) => void = () => {};
  let answer: (result: Result<OpenedTrace>) => void = () => {};
  fake.answer('trace.open', (_args, options) => {
    tell = options?.onProgress ?? tell;
    return new Promise((resolve) => {
      answer = resolve;
    });
  });
  const opening = opener.openEntry(fakeInvestigation());
  await Promise.resolve();
  tell({ text: 'Reading cuda_call' });
  expect(opener.firstFigures).toBeUndefined();
  tell({ text: 'Reading cuda_call', soFar: figures });
  // Progress goes on, and says no more of them.
  tell({ text: 'Reading off_cpu' });
  expect(opener.firstFigures).toBe(figures);
  answer(ok(fakeOpened()));
  await opening;
  expect(opener.firstFigures).toBeUndefined();

  void opener.openEntry(fakeInvestigation());
  await Promise.resolve();
  tell({ text: '', soFar: figures });
  opener.cancel();
  expect(opener.firstFigures).toBeUndefined();
});

test('progress is shown only once it took 200 ms', () => {
  vi.useFakeTimers();
  const { fake, opener } = setUp();
  fake.answer('trace.open', () => new Promise(() => {}));
  void opener.openEntry(fakeInvestigation());
  vi.advanceTimersByTime(199);
  expect(opener.task?.slow).toBe(false);
  vi.advanceTimersByTime(1);
  expect(opener.task?.slow).toBe(true);
  expect(opener.task?.title).toBe('Opening run.db');
  vi.useRealTimers();
});

function launches(fake: FakeApi, ...waiting: Launch[]) {
  fake
    .answer('app.launch', () => ok(waiting.shift() ?? null))
    .answer('library.add', () => ok(fakeAdded()));
  return waiting;
}
const file = (path: string): Launch => ({ kind: 'file', path });
const pathsAdded = (fake: FakeApi) =>
  fake.asked.filter(({ name }) => name === 'library.add').map(({ args }) => args);

test('of several launch files all are added, the first is opened, and they can be compared', async () => {
  const { fake, opener, toasts, compared } = setUp();
  launches(fake, file('/a.db'), file('/b.db'), file('/c.db'), file('/a.db'));
  const ids = ['/a.db', '/b.db', '/c.db'];
  fake.answer('library.add', ({ path = '' }) => {
    const investigation = fakeInvestigation({ id: ids.indexOf(path) + 1, name: path });
    return ok({ ...fakeAdded(), investigation });
  });
  await opener.openLaunch();
  expect(pathsAdded(fake)).toEqual([...ids, '/a.db'].map((path) => ({ path })));
  const opens = fake.asked.filter(({ name }) => name === 'trace.open');
  expect(opens.map(({ args }) => args)).toEqual([{ id: 1 }]);
  const [told] = toasts.items;
  expect(told?.text).toMatch(/^3 traces are in the library; the first/);
  told?.action?.run();
  expect(compared).toEqual([[1, 2, 3]]);
});

test('a launch file that comes while another is being added does not take its place', async () => {
  const { fake, opener } = setUp();
  const waiting = launches(fake, file('/a.db'));
  let answer: (result: Result<AddedInvestigation>) => void = () => {};
  fake.answer(
    'library.add',
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  const launching = opener.openLaunch();
  await vi.waitFor(() => expect(pathsAdded(fake)).toHaveLength(1));
  waiting.push(file('/b.db'));
  const again = opener.openLaunch();
  expect(opener.task?.title).toBe('Opening /a.db');
  fake.answer('library.add', () => ok(fakeAdded()));
  answer(ok(fakeAdded()));
  await Promise.all([launching, again]);
  expect(pathsAdded(fake)).toEqual([{ path: '/a.db' }, { path: '/b.db' }]);
});

test('a launch file that cannot be added is told, and the next one opens', async () => {
  const { fake, opener, investigation, toasts } = setUp();
  launches(fake, file('/bad.db'), file('/b.db'));
  fake.answer('library.add', ({ path }) =>
    path === '/bad.db' ? fail('file-damaged', 'It is damaged.') : ok(fakeAdded()),
  );
  await opener.openLaunch();
  expect(toasts.items.map(({ text }) => text)).toEqual(['It is damaged.']);
  expect(investigation.opened).toBeDefined();
});

test('launch files of which none can be added are each told once', async () => {
  const { fake, opener, toasts } = setUp();
  launches(fake, file('/a.db'), file('/b.db'), file('/c.db'));
  fake.answer('library.add', ({ path }) => fail('file-damaged', `${path} is damaged.`));
  await opener.openLaunch();
  expect(pathsAdded(fake)).toHaveLength(3);
  expect(toasts.items).toHaveLength(3);
});

test('a launch link is followed', async () => {
  const { fake, followed, opener } = setUp();
  launches(fake, { kind: 'link', hash: '#investigation=3' });
  await opener.openLaunch();
  expect(followed).toEqual(['#investigation=3']);
});

test('what a colleague’s file brought is told, with a way to their view', async () => {
  const { fake, investigation, opener, toasts } = setUp();
  const view = { tab: 'flame' } as const;
  const merged = { tagsAdded: 2, verdictAdded: false, kept: ['name', 'view'], view } as const;
  fake.answer('library.add', () =>
    ok(fakeAdded({ wasKnown: true, notesAdded: 2, bookmarksAdded: 1, merged })),
  );
  await opener.openPath('/mail/run.stalltrace');
  expect(toasts.items.map(({ text }) => text)).toEqual([
    'In the library already, as “run.db”: 2 notes, 1 bookmark and 2 tags added; your name and view stay.',
  ]);
  const [toast] = toasts.items;
  expect(toast?.action?.label).toBe('Show the shared view');
  toasts.act(toast?.id ?? -1);
  expect(investigation.tab).toBe('flame');
});

test('the view of a colleague opens the trace where it was closed meanwhile', async () => {
  const { fake, investigation, opener, toasts } = setUp();
  const view = { tab: 'flame' } as const;
  const merged = { tagsAdded: 0, verdictAdded: true, kept: [], view } as const;
  fake.answer('library.add', () => ok(fakeAdded({ wasKnown: true, merged })));
  await opener.openPath('/mail/run.stalltrace');
  investigation.close();
  toasts.act(toasts.items[0]?.id ?? -1);
  await vi.waitFor(() => expect(investigation.tab).toBe('flame'));
});

test('that a file is missing is said until it was found', async () => {
  const { fake, opener } = setUp();
  const entry = fakeInvestigation();
  fake.answer('trace.open', () => fail('file-missing', 'It is not there any more.'));
  await opener.openEntry(entry);
  expect(opener.missing).toBe(entry);
  opener.located(fakeInvestigation({ id: 2 }));
  expect(opener.failure).toBeDefined();
  opener.located(entry);
  expect(opener.failure).toBeUndefined();
  expect(opener.missing).toBeUndefined();
  await opener.openEntry(fakeInvestigation({ sample: true }));
  expect(opener.missing).toBeUndefined();
});

describe('a result of the benchmark script', () => {
  const figures = { medianPerSecond: 2, minPerSecond: 1, maxPerSecond: 3, repeats: 3, batches: 4 };
  const result: BenchmarkFile['result'] = {
    format: 'stalltrace-benchmark',
    version: 1,
    dataset: 'train:make',
    batchSize: 32,
    cpus: 2,
    torch: '2.6',
    synthetic: figures,
    real: [],
    failed: [],
    leftOut: 0,
  };
  const fileName = 'stalltrace-benchmark.json';

  test('is shown from a file without asking the host', async () => {
    const { fake, benchmarks, opener } = setUp();
    await opener.openFile(new File([JSON.stringify(result)], fileName));
    expect(benchmarks).toEqual([{ kind: 'benchmark', fileName, result }]);
    expect(fake.asked).toEqual([]);
    expect(opener.task).toBeUndefined();
  });

  test.each(['openPath', 'choose'] as const)('is shown by %s, and opens no trace', async (how) => {
    const { fake, benchmarks, opener } = setUp();
    const path = `/results/${fileName}`;
    fake
      .answer('library.choosePath', () => ok(path))
      .answer('report.beside', () => ok({ kind: 'benchmark', fileName, result }));
    await (how === 'choose' ? opener.choose() : opener.openPath(path));
    expect(benchmarks).toEqual([{ kind: 'benchmark', fileName, result }]);
    expect(fake.asked).toContainEqual({ name: 'report.beside', args: { path } });
    expect(fake.namesAsked()).not.toContain('library.add');
    expect(opener.failure).toBeUndefined();
  });

  test('that is damaged is refused in a sentence', async () => {
    const { benchmarks, opener } = setUp();
    const wrong = JSON.stringify({ ...result, synthetic: 'fast' });
    await opener.openFile(new File([wrong], fileName));
    expect(opener.failure?.message).toMatch(/“stalltrace-benchmark.json” is damaged: “synthetic”/);
    expect(benchmarks).toEqual([]);
  });

  test('is not what another JSON file is taken for', async () => {
    const { fake, benchmarks, opener } = setUp();
    fake.file = async () => fail('file-not-a-trace', 'No trace.');
    await opener.openFile(new File(['{"format": "other"}'], 'a.json'));
    expect(opener.failure?.message).toBe('No trace.');
    expect(benchmarks).toEqual([]);
  });
});

const summaryText = JSON.stringify({
  schema_version: 1.7,
  primary_diagnosis: { kind: 'BALANCED', status: 'BALANCED', summary: 'Nothing.' },
});

const summaryName = 'final_summary.json';
const summaryFile = () => new File([summaryText], summaryName);

/** An opener whose summaries go beside the open trace; of paths, that of a summary alone is one. */
function setUpSummaries() {
  const { fake, investigation, toasts } = setUp();
  const opinion = investigation.secondOpinion;
  const opener = new Opener(fake.api, investigation, toasts, {
    followLink: async () => undefined,
    showBeside: (file) => (file.kind === 'traceml' ? opinion.show(file) : undefined),
    compare: () => {},
  });
  fake
    .answer('report.beside', ({ path }) =>
      path.endsWith(summaryName) ? parseBeside(summaryText, summaryName) : ok(null),
    )
    .answer('library.choosePath', () => ok(`/results/${summaryName}`))
    .answer('library.add', () => ok(fakeAdded()));
  return { fake, investigation, toasts, opinion, opener };
}

describe('a summary that comes while its trace is being opened waits for that', () => {
  const ways: Record<string, (opener: Opener) => Promise<unknown>> = {
    'a dropped file': (opener) => opener.openFile(summaryFile()),
    'a file dropped to be compared': (opener) => opener.addFile(summaryFile()),
    'a path': (opener) => opener.openPath(`/results/${summaryName}`),
    'the system’s dialog': (opener) => opener.choose(),
  };

  test.each(Object.entries(ways))('%s', async (_name, open) => {
    const { fake, investigation, opinion, opener } = setUpSummaries();
    const { promise, resolve } = Promise.withResolvers<Result<OpenedTrace>>();
    fake.answer('trace.open', () => promise);
    const opening = opener.openEntry(fakeInvestigation());
    const showing = open(opener);
    await new Promise((later) => setTimeout(later));
    expect(opener.task?.title).toBe('Opening run.db');
    expect(opinion.file).toBeUndefined();
    resolve(ok(fakeOpened()));
    await Promise.all([opening, showing]);
    expect(investigation.opened?.traceId).toBe(TRACE_ID);
    expect(opener.failure).toBeUndefined();
    expect(opinion.file).toMatchObject({ fileName: summaryName });
    expect(fake.namesAsked()).not.toContain('library.add');
  });
});

test('a trace that is chosen while another is being opened takes its place; none chosen, that goes on', async () => {
  const { fake, investigation, toasts, opener } = setUpSummaries();
  fake.answer('trace.open', () => new Promise(() => {}));
  void opener.openEntry(fakeInvestigation());
  fake.answer('library.choosePath', () => ok(null));
  await opener.choose();
  expect(opener.task?.title).toBe('Opening run.db');
  fake.answer('library.choosePath', () => fail('no-dialog', 'There is no dialog here.'));
  await opener.choose();
  expect(toasts.items.map(({ text }) => text)).toEqual(['There is no dialog here.']);
  expect(opener.task?.title).toBe('Opening run.db');
  fake
    .answer('library.choosePath', () => ok('/traces/other.db'))
    .answer('trace.open', () => ok(fakeOpened()));
  await opener.choose();
  expect(investigation.opened?.traceId).toBe(TRACE_ID);
  expect(pathsAdded(fake)).toEqual([{ path: '/traces/other.db' }]);
});

test('a summary that the app is started with, before or after its trace, goes beside that', async () => {
  for (const order of ['summary first', 'trace first']) {
    const { fake, investigation, opinion, opener } = setUpSummaries();
    const files = [file(`/results/${summaryName}`), file('/a.db')];
    launches(fake, ...(order === 'trace first' ? files.toReversed() : files));
    await opener.openLaunch();
    expect(pathsAdded(fake), order).toEqual([{ path: '/a.db' }]);
    expect(investigation.opened?.traceId).toBe(TRACE_ID);
    expect(opinion.file).toMatchObject({ fileName: summaryName });
  }
});

test('a summary by TraceML goes beside the open trace; alone it says what to do', async () => {
  const { investigation, opinion, opener } = setUpSummaries();
  await opener.openFile(summaryFile());
  expect(opener.failure?.message).toMatch(/^“final_summary.json” is a summary by TraceML.*open/);
  await opener.openPath('/traces/run.db');
  investigation.showTab('timeline');
  await opener.openFile(summaryFile());
  expect(opener.failure).toBeUndefined();
  expect(investigation.tab).toBe('overview');
  expect(opinion.file).toMatchObject({ fileName: summaryName });
  investigation.close();
  expect(opinion.file).toBeUndefined();
});

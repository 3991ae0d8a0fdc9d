import { expect, test } from 'vitest';
import { buildTrace } from '../analysis/testing/build-trace.ts';
import { loaderTrace } from '../analysis/testing/loader-trace.ts';
import { accountTime } from '../analysis/threads/account-time.ts';
import type { PictureOptions } from '../shared/answers/report.ts';
import { packNumbers } from '../shared/numbers/number-set.ts';
import { finished } from '../timeline/range/finished.ts';
import { fakeSummary } from '../timeline/testing/fake-summary.ts';
import { smallTimeline } from '../timeline/testing/small-timeline.ts';
import { packKinds, packTracks } from '../timeline/tiles/packed-tracks.ts';
import { timelineAnswers } from '../timeline/tiles/timeline-answers.ts';
import type { Asked } from './question.ts';
import { handlersQuestions, questions } from './questions.ts';

const data = smallTimeline();
/** Numbered as where roles were set. */
const timeline = timelineAnswers(data, 5 * 2 ** 20);
const asked: Asked = {
  trace: loaderTrace({ batches: 3, batchNs: 1_000_000 }),
  summary: fakeSummary({ cuda_call: 1 }),
  paint: ({ name }) => `<svg>${name}</svg>`,
  timeline: () => timeline,
};

function notFound(words: string) {
  return { ok: false, error: { code: 'not-found', message: expect.stringContaining(words) } };
}

test('questions about the whole trace are answered', async () => {
  const operations = await questions['trace.operations'].answer(asked, { bySize: false });
  const copies = expect.objectContaining({ name: 'cudaMemcpyAsync', count: 1 });
  expect(operations).toMatchObject({ value: expect.arrayContaining([copies]) });
  const processes = await questions['trace.processes'].answer(asked, { span: {} });
  expect(processes).toMatchObject({ value: { processes: { length: 3 } } });
  const diagnosis = await questions['trace.diagnose'].answer(asked, {});
  expect(diagnosis).toMatchObject({ ok: true, value: { ranks: { length: 1 } } });
  const script = await questions['report.benchmarkScript'].answer(asked, {});
  expect(script).toMatchObject({ value: { text: expect.stringMatching(/^#!/) } });
});

test('what is compared of a run is kept: two runs that are swapped are not read again', async () => {
  const { answer, isKept } = questions['trace.runSummary'];
  expect(isKept).toBe(true);
  const told = await answer(asked, {});
  expect(told).toMatchObject({ value: { beginUnixNs: asked.summary.beginUnixNs } });
  // It is kept as text.
  expect(JSON.parse(JSON.stringify(told))).toEqual(told);
});

test('a call is explained, with fixes once the diagnosis is known; a row that is not there is no call', async () => {
  const { answer } = questions['trace.explain'];
  const explained = await answer(asked, { call: 0, fixes: true });
  expect(explained).toMatchObject({ value: { call: { row: 0 }, fixes: [] } });
  expect(await answer(asked, { call: 1 })).toMatchObject(notFound('no CUDA call number 1'));
  const facts = handlersQuestions['report.facts'].answer;
  expect(await facts(asked, {})).toMatchObject({ value: { explanation: { call: { row: 0 } } } });
  expect(await facts(asked, { call: 1 })).toMatchObject(notFound('no CUDA call number 1'));
});

test('a row is told whole; one that is not there is none', async () => {
  const { answer } = questions['trace.row'];
  const told = await answer(asked, { table: 'off_cpu', row: 0 });
  const { columns } = asked.trace.tables.off_cpu;
  expect(told).toMatchObject({
    value: {
      values: {
        startNs: columns.startNs[0],
        syscall: columns.syscall?.[0],
        file: columns.file?.[0],
      },
    },
  });
  expect(await answer(asked, { table: 'off_cpu', row: 1e6 })).toMatchObject(
    notFound('no row 1000000'),
  );
});

test('of a wait for a CPU it is told who ran instead, as its call tells of it', async () => {
  const { answer } = questions['trace.row'];
  const { trace } = asked;
  const { startNs, durationNs, thread } = trace.tables.off_cpu.columns;
  let told = 0;
  for (let row = 0; row < trace.tables.off_cpu.rows; row++) {
    const facts = await answer(asked, { table: 'off_cpu', row });
    if (!facts.ok) throw new Error(facts.error.message);
    const endNs = startNs[row] + durationNs[row];
    const parts = accountTime(trace, undefined, thread[row], startNs[row], endNs);
    const readyNs = parts.reduce((sum, { kind, ns }) => sum + (kind === 'runnable' ? ns : 0), 0);
    const { contention } = facts.value;
    expect(contention?.runnableNs ?? 0).toBe(readyNs);
    told += Number(contention !== undefined);
  }
  expect(told).toBeGreaterThan(0);
  expect(await answer(asked, { table: 'cuda_call', row: 0 })).not.toHaveProperty(
    'value.contention',
  );
});

test('a chain needs a stretch of a thread, a tree of callers a function that is there', async () => {
  const chain = questions['trace.chain'].answer;
  const stretch = { thread: 0, startNs: 1_100_000, endNs: 2_000_000 };
  const found = await chain(asked, stretch);
  expect(found).toMatchObject({ value: { startNs: 1_100_000, endNs: 2_000_000 } });
  for (const bad of [{ thread: 9 }, { endNs: 1_100_000 }])
    expect(await chain(asked, { ...stretch, ...bad })).toMatchObject(notFound('no such stretch'));
  const query = { weight: 'cuda-time', order: 'callers', symbol: 'nowhere' } as const;
  const tree = await questions['trace.flame'].answer(asked, { query });
  expect(tree).toMatchObject(notFound('No event here has "nowhere"'));
});

test('a picture is drawn by who keeps the lanes', async () => {
  const options = { name: 'a run' } as PictureOptions;
  expect(await handlersQuestions['report.drawing'].answer(asked, options)).toEqual({
    ok: true,
    value: { svg: '<svg>a run</svg>' },
  });
});

test('what a screen asks of the timeline is answered by who keeps the lanes', async () => {
  const told = async (answer: Promise<unknown>) => {
    const result = (await answer) as { ok: boolean; value: unknown };
    expect(result.ok).toBe(true);
    return result.value;
  };
  const call = { table: 'cuda_call', row: 2 } as const;
  const saved = { ...call, row: 0, startNs: 500_000, durationNs: 80_000, label: '' };
  const all = timeline.tracks.groups.flatMap((group) => group.tracks);
  const { number: track = -1 } = all.find(({ id }) => id === 'cuda_call:0') ?? {};
  const shown = packNumbers([track]);
  const range = { startNs: 0, endNs: 600_000 };
  const pairs: readonly (readonly [answer: Promise<unknown>, expected: unknown])[] = [
    [questions['trace.tracks'].answer(asked, {}), packTracks(timeline.tracks)],
    [questions['trace.kinds'].answer(asked, {}), packKinds(finished(timeline.kinds()))],
    [questions['trace.select'].answer(asked, call), timeline.select(call)],
    [
      questions['trace.around'].answer(asked, { track, ns: 520_000 }),
      timeline.around(track, 520_000),
    ],
    [questions['trace.around'].answer(asked, { track: track + 99, ns: 0 }), null],
    [questions['trace.savedRow'].answer(asked, { saved }), 2],
    [questions['trace.savedRow'].answer(asked, { saved: { ...saved, startNs: 1 } }), null],
    [questions['trace.workOf'].answer(asked, { call: 2, at: 1 }), 2],
    [questions['trace.workOf'].answer(asked, { call: 2, at: 2 }), null],
    [questions['trace.lines'].answer(asked, { events: [call] }), timeline.lines([call])],
    [
      questions['trace.neighbour'].answer(asked, {
        ...{ tracks: shown, expanded: packNumbers([]), fromNs: 100_000, by: 1 },
      }),
      timeline.place(call),
    ],
    [
      questions['trace.neighbour'].answer(asked, { tracks: '', expanded: '', fromNs: 0, by: 1 }),
      null,
    ],
    [questions['trace.slowCall'].answer(asked, { from: 2, by: 1 }), timeline.slowCall(2, 1)],
    [
      questions['trace.blockRequests'].answer(asked, { call: 2, ...range }),
      timeline.blockRequests(2, range.startNs, range.endNs),
    ],
    [questions['trace.threadsOf'].answer(asked, { table: 'cuda_call' }), [0, 1]],
    [
      questions['trace.rangeFigures'].answer(asked, {
        ...{ tracks: packNumbers([track]), ...range },
        ...{ keys: ['name', 'thread'], unstored: true },
      }),
      finished(timeline.range([track], range, ['name', 'thread'], true)),
    ],
  ];
  for (const [answer, expected] of pairs) expect(await told(answer)).toEqual(expected);
});

test('what can’t be asked of the timeline is refused', () => {
  const isAsked = (name: keyof typeof questions, args: object) =>
    questions[name].arguments.safeParse(args).success;
  const event = { table: 'cuda_call', row: 0 };
  const range = { tracks: packNumbers([0]), startNs: 0, endNs: 1, unstored: false };
  expect(isAsked('trace.select', event)).toBe(true);
  expect(isAsked('trace.select', { ...event, row: -1 })).toBe(false);
  expect(isAsked('trace.select', { ...event, table: 'sqlite_master' })).toBe(false);
  expect(isAsked('trace.around', { track: 0, ns: -1 })).toBe(false);
  expect(isAsked('trace.around', { track: 0.5, ns: 1 })).toBe(false);
  const events = (count: number) => ({ events: Array.from({ length: count }, () => event) });
  expect(isAsked('trace.lines', events(2_000))).toBe(true);
  expect(isAsked('trace.lines', events(2_001))).toBe(false);
  expect(isAsked('trace.neighbour', { tracks: '', expanded: '', fromNs: -5, by: 1 })).toBe(true);
  expect(isAsked('trace.neighbour', { tracks: '', expanded: '', fromNs: 0, by: 0 })).toBe(false);
  expect(isAsked('trace.neighbour', { tracks: '?', expanded: '', fromNs: 0, by: 1 })).toBe(false);
  expect(isAsked('trace.slowCall', { from: -1, by: -1 })).toBe(true);
  expect(isAsked('trace.rangeFigures', { ...range, keys: ['name'] })).toBe(true);
  expect(isAsked('trace.rangeFigures', { ...range, keys: ['thread', 'name'] })).toBe(true);
  for (const keys of [[], ['state'], ['name', 'thread', 'track']])
    expect(isAsked('trace.rangeFigures', { ...range, keys })).toBe(false);
});

test('a row of GPU work comes with who asked for it, and its name in full', async () => {
  const rows = [0, 1, 2, 3].map((row) => ({ startNs: row, durationNs: 1, call: 2 }));
  const { answer } = questions['trace.row'];
  const told = await answer(
    { ...asked, trace: buildTrace({ rows: { gpu_work: rows } }) },
    { table: 'gpu_work', row: 2 },
  );
  expect(told).toMatchObject({ value: { values: { startNs: 2, call: 2 }, ...timeline.work(2) } });
  expect(timeline.work(2)).toMatchObject({ submitter: { row: 2 } });
});

import { expect, test } from 'vitest';
import { loaderTrace } from '../analysis/testing/loader-trace.ts';
import { accountTime } from '../analysis/threads/account-time.ts';
import type { PictureOptions } from '../shared/answers/report.ts';
import { fakeSummary } from '../timeline/testing/fake-summary.ts';
import type { Asked } from './question.ts';
import { handlersQuestions, questions } from './questions.ts';

const asked: Asked = {
  trace: loaderTrace({ batches: 3, batchNs: 1_000_000 }),
  summary: fakeSummary({ cuda_call: 1 }),
  paint: ({ name }) => `<svg>${name}</svg>`,
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

import { expect, test } from 'vitest';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { fakeSummary } from '../../../src-main/timeline/testing/fake-summary.ts';
import { Toasts } from '../common/toasts.svelte.ts';
import { FakeApi, fakeInvestigation } from '../testing/fake-api.ts';
import { TRACE_ID } from '../testing/fake-trace.ts';
import { InvestigationState } from './investigation.svelte.ts';
import { type ReportOptions, ReportState } from './report.svelte.ts';

const options: ReportOptions = {
  about: 'selected',
  range: true,
  long: false,
  notes: true,
  hidePrivate: true,
};

async function openReport(name = 'run.db') {
  const fake = new FakeApi();
  fake.answer('report.markdown', ({ hidePrivate }) => ok({ text: `hidden: ${hidePrivate}` }));
  const investigation = new InvestigationState(fake.api, new Toasts());
  await investigation.show({
    traceId: TRACE_ID,
    investigation: fakeInvestigation({ id: 7, name }),
    summary: fakeSummary({}),
  });
  const asked = () => fake.asked.filter((call) => call.name === 'report.markdown').at(-1)?.args;
  return { fake, investigation, report: new ReportState(fake.api, investigation), asked };
}

test('asks for the selected call and range, or for neither', async () => {
  const { investigation, report, asked } = await openReport();
  await report.write(options);
  expect(asked()).toEqual({ traceId: TRACE_ID, investigation: 7, hidePrivate: true, notes: true });
  investigation.selection.selectEvent({ table: 'cuda_call', row: 3 });
  investigation.selection.selectRange({ startNs: 5, endNs: 9 });
  await report.write(options);
  expect(asked()).toMatchObject({ call: 3, range: { startNs: 5, endNs: 9 } });
  await report.write({ ...options, about: 'slowest', range: false });
  expect(asked()).not.toHaveProperty('call');
  expect(asked()).not.toHaveProperty('range');
});

test('takes TraceML’s summary along, which the finding alone is without', async () => {
  const { investigation, report, asked } = await openReport();
  const summary = { kind: 'BALANCED', status: 'BALANCED', summary: 'Nothing.', step: {} };
  investigation.secondOpinion.show({ fileName: 'final_summary.json', summary });
  await report.write(options);
  expect(asked()).toMatchObject({ traceml: summary });
  await report.finding();
  expect(asked()).not.toHaveProperty('traceml');
});

test('an older answer never takes the place of a newer one', async () => {
  const { fake, report } = await openReport();
  const waiting: (() => void)[] = [];
  fake.answer('report.markdown', async ({ hidePrivate }) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return ok({ text: `hidden: ${hidePrivate}` });
  });
  const older = report.write({ ...options, hidePrivate: false });
  const newer = report.write(options);
  for (const answer of waiting.reverse()) answer();
  await Promise.all([older, newer]);
  expect(report.text).toBe('hidden: true');
  expect(report.busy).toBe(false);
});

test('what failed leaves no text that could be taken for the report', async () => {
  const { fake, report } = await openReport();
  await report.write(options);
  fake.answer('report.markdown', () => fail('process-lost', 'Open it again.'));
  await report.write({ ...options, notes: false });
  expect(report.text).toBeUndefined();
  expect(report.failure?.message).toBe('Open it again.');
  report.forget();
  expect(report.failure).toBeUndefined();
});

test('the finding for the clipboard is always without private words and notes', async () => {
  const { report, asked } = await openReport();
  expect(await report.finding()).toEqual({ ok: true, value: 'hidden: true' });
  expect(asked()).toMatchObject({ hidePrivate: true, notes: false });
});

test.each([
  ['run.db', 'run report.md'],
  ['a/b:c*d.trace.db', 'a b c d.trace report.md'],
])('%s is saved as %s', async (name, expected) => {
  const { report } = await openReport(name);
  expect(report.fileName(false)).toBe(expected);
  expect(report.fileName(true)).toBe('Stalltrace report.md');
});

import { expect, test } from 'vitest';
import { reportInput } from '../../report/testing/report-trace.ts';
import { fail, ok } from '../../shared/rpc/result.ts';
import { fakeSummary } from '../../timeline/testing/fake-summary.ts';
import type { Services } from '../services/services.ts';
import { contextOf } from '../testing/fake-platform.ts';
import { reportHandlers } from './report.ts';

const summary = fakeSummary({}, { hosts: [{ hostname: 'box-17' }] });
const note = { id: '0', kind: 'note', text: 'see it on box-17', startNs: 1, endNs: 1 };

/** Asks for a report of an open trace, the library and the trace's process answering as told. */
function ask(
  options: { notes?: boolean; hidePrivate?: boolean },
  answers: Record<string, unknown>,
) {
  const asked: unknown[] = [];
  const call = async (name: string, args: unknown) => {
    asked.push([name, args]);
    return answers[name];
  };
  const trace = { id: 't', path: '/data/x/run.db', summary, client: { call } };
  const services = {
    library: { call },
    traces: { find: () => ok(trace), useBy: () => undefined },
  } as unknown as Services;
  const request = { traceId: 't', hidePrivate: false, notes: false, investigation: 3, ...options };
  return { asked, answer: reportHandlers(services)['report.markdown'](request, contextOf()) };
}

const answers = {
  'report.facts': ok(reportInput().facts),
  find: ok({ name: 'slow run' }),
  notes: ok([note]),
};

test('takes the name and, where asked, the notes from the library', async () => {
  const withNotes = await ask({ notes: true }, answers).answer;
  expect(withNotes).toMatchObject({ ok: true });
  const text = withNotes.ok ? withNotes.value.text : '';
  expect(text).toContain('| Trace | `slow run` |');
  expect(text).toContain('> see it on box-17');
  const { asked, answer } = ask({}, answers);
  expect(await answer).toMatchObject({ ok: true });
  expect(asked).not.toContainEqual(['notes', { id: 3 }]);
});

test('hides what is private where asked', async () => {
  const hidden = await ask({ notes: true, hidePrivate: true }, answers).answer;
  const text = hidden.ok ? hidden.value.text : '';
  expect(text).toContain('> see it on ‹host›');
  expect(text).not.toContain('box-17');
});

test('a report without the notes that were asked for is none', async () => {
  const notes = fail('library-unavailable', 'The library is away.');
  expect(await ask({ notes: true }, { ...answers, notes }).answer).toEqual(notes);
});

test('a process that died while it was asked is named so', async () => {
  const facts = fail('disconnected', 'gone');
  expect(await ask({}, { ...answers, 'report.facts': facts }).answer).toMatchObject({
    ok: false,
    error: { code: 'process-lost' },
  });
});

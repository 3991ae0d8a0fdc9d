import { expect, test } from 'vitest';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { Toasts } from '../../state/common/toasts.svelte.ts';
import { InvestigationState } from '../../state/investigation/investigation.svelte.ts';
import { Opener } from '../../state/investigation/opener.svelte.ts';
import { Library } from '../../state/library/library.svelte.ts';
import { RunComparing } from '../../state/library/run-comparing.svelte.ts';
import { FakeApi, fakeAdded, fakeInvestigation } from '../../state/testing/fake-api.ts';
import { fakeOpened } from '../../state/testing/fake-trace.ts';
import { compareFiles } from './file-picker.ts';

async function withOneOpen() {
  const fake = new FakeApi().answer('trace.open', () => ok(fakeOpened()));
  const toasts = new Toasts();
  const investigation = new InvestigationState(fake.api, toasts);
  const elsewhere = { followLink: async () => undefined, showBeside: () => undefined };
  const opener = new Opener(fake.api, investigation, toasts, elsewhere);
  const library = new Library(fake.api, toasts);
  const comparing = new RunComparing(fake.api, library, investigation);
  await opener.openEntry(fakeInvestigation());
  return { fake, toasts, app: { investigation, opener, comparing } };
}

const compared = (fake: FakeApi) =>
  fake.asked.filter(({ name }) => name.startsWith('library.compare')).map(({ args }) => args);

test('a second trace that is dropped is compared with the open one, which stays open', async () => {
  const { fake, app } = await withOneOpen();
  const open = app.investigation.opened;
  const second = fakeInvestigation({ id: 7, recordedAt: '2036-01-01T00:00:00.000Z' });
  fake.file = async () => ok(fakeAdded({ investigation: second }));
  await compareFiles(app, [new File(['x'], 'second.db')]);
  expect(app.comparing.isShown).toBe(true);
  expect(compared(fake)).toEqual([{ first: open?.investigation.id, second: 7 }]);
  expect(app.investigation.opened).toBe(open);
  expect(app.opener.task).toBeUndefined();
});

test('a file that is no trace is told of, and nothing is compared', async () => {
  const { fake, app } = await withOneOpen();
  fake.file = async () => fail('file-not-a-trace', 'It is no trace.');
  await compareFiles(app, [new File(['x'], 'notes.txt')]);
  expect(app.comparing.isShown).toBe(false);
  expect(app.opener.failure?.message).toBe('It is no trace.');
});

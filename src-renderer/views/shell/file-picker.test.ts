import { expect, test } from 'vitest';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { Toasts } from '../../state/common/toasts.svelte.ts';
import { InvestigationState } from '../../state/investigation/investigation.svelte.ts';
import { Opener } from '../../state/investigation/opener.svelte.ts';
import { Imports } from '../../state/library/imports.svelte.ts';
import { Library } from '../../state/library/library.svelte.ts';
import { RunComparing } from '../../state/library/run-comparing.svelte.ts';
import { FakeApi, fakeAdded, fakeInvestigation } from '../../state/testing/fake-api.ts';
import { fakeOpened } from '../../state/testing/fake-trace.ts';
import { compareFiles, openFolder } from './file-picker.ts';

async function withOneOpen() {
  const fake = new FakeApi().answer('trace.open', () => ok(fakeOpened()));
  const toasts = new Toasts();
  const investigation = new InvestigationState(fake.api, toasts);
  const elsewhere = {
    followLink: async () => undefined,
    showBeside: () => undefined,
    compare: () => {},
  };
  const opener = new Opener(fake.api, investigation, toasts, elsewhere);
  const library = new Library(fake.api, toasts);
  const comparing = new RunComparing(fake.api, library, investigation);
  await opener.openEntry(fakeInvestigation());
  const imports = new Imports(fake.api, toasts);
  return { fake, toasts, app: { investigation, opener, comparing, toasts, imports } };
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

test('the open trace itself is not compared with itself, and a file dropped twice is compared once', async () => {
  const { fake, toasts, app } = await withOneOpen();
  const open = app.investigation.opened?.investigation;
  if (open === undefined) throw new Error('nothing is open');
  fake.file = async () => ok(fakeAdded({ investigation: open }));
  await compareFiles(app, [new File(['x'], 'same.db')]);
  expect(app.comparing.isShown).toBe(false);
  expect(toasts.items.map(({ text }) => text).join()).toContain('is open');
  const second = fakeInvestigation({ id: 7 });
  fake.file = async () => ok(fakeAdded({ investigation: second }));
  await compareFiles(app, [new File(['x'], 'second.db'), new File(['x'], 'copy.db')]);
  expect(compared(fake)).toEqual([{ first: open.id, second: 7 }]);
});

test('the first file that fails ends it', async () => {
  const { fake, app } = await withOneOpen();
  let asked = 0;
  fake.file = async () => {
    asked++;
    return fail('file-not-a-trace', 'It is no trace.');
  };
  await compareFiles(app, [new File(['x'], 'notes.txt'), new File(['x'], 'good.db')]);
  expect([asked, app.opener.failure?.message]).toEqual([1, 'It is no trace.']);
});

/** A dropped folder of these files. */
function folderOf(...names: readonly string[]): FileSystemDirectoryEntry {
  const entries = names.map((name) => ({
    ...{ name, fullPath: `/logs/${name}`, isFile: true },
    file: (done: (file: File) => void) => done(new File(['x'], name)),
  }));
  const createReader = () => ({
    readEntries: (done: (some: unknown[]) => void) => done(entries.splice(0)),
  });
  return { name: 'logs', createReader } as never;
}

async function withRanks() {
  const { fake, app, toasts } = await withOneOpen();
  fake.file = async ({ name }) =>
    name === 'train.log'
      ? fail('file-not-a-trace', 'It is no trace.')
      : ok(fakeAdded({ investigation: fakeInvestigation({ id: Number(name[4]), name }) }));
  return { fake, app, toasts };
}

test('of a dropped folder the traces are added, and can be opened as one run', async () => {
  const { fake, app, toasts } = await withRanks();
  await openFolder(app, folderOf('rank8.json', 'train.log', 'rank7.json'), false);
  expect(app.investigation.opened).toBeUndefined();
  expect(app.opener.failure).toBeUndefined();
  const offer = toasts.items.find(({ action }) => action !== undefined);
  expect(offer?.text).toBe('Are these 2 traces the ranks or machines of one run?');
  fake.answer('library.merge', () =>
    ok({ ...fakeAdded(), sources: [0, 1], leftOut: [], cutOff: [] }),
  );
  toasts.act(offer?.id ?? -1);
  expect(fake.asked.at(-1)).toEqual({ name: 'library.merge', args: { sources: [7, 8] } });
});

test('a dropped folder of one trace opens it; one without says so', async () => {
  const { fake, app, toasts } = await withRanks();
  await openFolder(app, folderOf('rank7.json', 'train.log'), false);
  expect(fake.asked.at(-1)).toMatchObject({ name: 'trace.open' });
  await openFolder(app, folderOf(), false);
  expect(toasts.items.at(-1)?.text).toMatch(/“logs” has no files/);
});

test('the traces of a folder are compared with the open one, which stays open', async () => {
  const { fake, app } = await withRanks();
  const open = app.investigation.opened;
  await openFolder(app, folderOf('rank7.json', 'train.log', 'rank8.json'), true);
  expect(app.investigation.opened).toBe(open);
  expect(compared(fake)).toMatchObject([{ ids: [open?.investigation.id, 7, 8] }]);
});

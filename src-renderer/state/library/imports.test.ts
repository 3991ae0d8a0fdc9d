import { expect, test } from 'vitest';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { Toasts } from '../common/toasts.svelte.ts';
import { FakeApi, fakeAdded, fakeInvestigation } from '../testing/fake-api.ts';
import { Imports } from './imports.svelte.ts';

const fileOf = (name: string) => new File(['x'], name);

function setUp(answers: Readonly<Record<string, ReturnType<typeof ok> | ReturnType<typeof fail>>>) {
  const fake = new FakeApi();
  const titles: (string | undefined)[] = [];
  const toasts = new Toasts();
  const imports = new Imports(fake.api, toasts);
  fake.file = async (file) => {
    titles.push(imports.task?.title);
    return (answers[file.name] ?? ok(fakeAdded())) as never;
  };
  return { imports, toasts, titles };
}

test('files are added one after another, and each failure is kept', async () => {
  const { imports, toasts, titles } = setUp({
    'bad.db': fail('file-not-a-trace', 'It is no trace.'),
    'old.db': ok(fakeAdded({ wasKnown: true })),
  });
  await imports.add([fileOf('a.db'), fileOf('bad.db'), fileOf('old.db')]);
  expect(titles).toEqual([
    'Adding a.db (1 of 3)',
    'Adding bad.db (2 of 3)',
    'Adding old.db (3 of 3)',
  ]);
  expect(imports.failures).toEqual([{ name: 'bad.db', message: 'It is no trace.' }]);
  expect(toasts.kept.map(({ text }) => text)).toContain('It is no trace.');
  expect(toasts.items[0]?.text).toBe(
    '1 file added to the library; there already: old.db (as “run.db”).',
  );
  expect(imports.task).toBeUndefined();
});

test('cancelling leaves out what waits', async () => {
  const { imports, titles } = setUp({ 'a.db': fail('cancelled', 'Cancelled.') });
  await imports.add([fileOf('a.db'), fileOf('b.db')]);
  expect(titles).toHaveLength(1);
  expect(imports.failures).toEqual([]);
});

test('more files dropped meanwhile wait for their turn', async () => {
  const { imports, titles } = setUp({});
  const first = imports.add([fileOf('a.db')]);
  await imports.add([fileOf('b.db')]);
  await first;
  expect(titles).toEqual(['Adding a.db (1 of 1)', 'Adding b.db (2 of 2)']);
});

test('files that were there already are named, as far as a toast has room', async () => {
  const names = ['1', '2', '3', '4', '5', '6', '7'].map((name) => `${name}.db`);
  const known = (name: string) =>
    ok(fakeAdded({ wasKnown: true, notesAdded: 1, investigation: fakeInvestigation({ name }) }));
  const { imports, toasts } = setUp(Object.fromEntries(names.map((name) => [name, known(name)])));
  await imports.add(names.map(fileOf));
  expect(toasts.items[0]?.text).toMatch(
    /^There already: 1\.db \(1 note added\), 2\.db .*, 5\.db \(1 note added\) and 2 more\.$/,
  );
});

test('of a folder what is no trace is left out and named, and all else is told as ever', async () => {
  const { imports, toasts } = setUp({
    'train.log': fail('file-not-a-trace', 'It is no trace.'),
    'cut.json': fail('file-truncated', 'It ends too early.'),
  });
  const entries = await imports.addFolder(
    'logs',
    ['rank0.json', 'train.log', 'cut.json'].map(fileOf),
    ['.rank1.json'],
  );
  expect(entries).toEqual([fakeInvestigation()]);
  expect(imports.failures).toEqual([{ name: 'cut.json', message: 'It ends too early.' }]);
  expect(toasts.items[0]?.text).toBe(
    '1 file added to the library; left out as no trace: train.log; left out as hidden (a name that begins with a dot): .rank1.json.',
  );
});

test('a folder without any trace is told in one sentence', async () => {
  const { imports, toasts } = setUp({
    'train.log': fail('file-not-a-trace', 'It is no trace.'),
    'model.pt': fail('file-unsupported', 'It is none either.'),
  });
  expect(await imports.addFolder('logs', ['train.log', 'model.pt'].map(fileOf))).toEqual([]);
  expect(imports.failures).toEqual([]);
  expect(toasts.items.map(({ text }) => text)).toEqual([
    'The folder “logs” has no trace that can be opened: train.log, model.pt.',
  ]);
});

test('of a folder that was stopped no entries are handed on; later files are counted anew', async () => {
  const { imports, toasts } = setUp({ 'rank1.json': fail('cancelled', 'Cancelled.') });
  await imports.add(['a.db', 'b.db'].map(fileOf));
  const stopped = imports.addFolder('logs', ['rank0.json', 'rank1.json'].map(fileOf));
  await imports.add([fileOf('c.db')]);
  expect(await stopped).toEqual([]);
  await imports.add([fileOf('d.db')]);
  expect(toasts.items.map(({ text }) => text)).toEqual([
    '2 files added to the library.',
    '1 file added to the library.',
  ]);
});

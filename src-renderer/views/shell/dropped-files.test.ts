import { expect, test } from 'vitest';
import { filesOfFolder, MOST_FILES } from './dropped-files.ts';

/** A folder of these files, or of folders; its reader gives two entries each time. */
function folderOf(
  name: string,
  content: Readonly<Record<string, object | null>>,
  path = `/${name}`,
): FileSystemDirectoryEntry {
  const entries = Object.entries(content).map(([each, inner]) => {
    const fullPath = `${path}/${each}`;
    if (inner !== null) return folderOf(each, inner as typeof content, fullPath);
    const file = (done: (file: File) => void) => done(new File(['x'], each));
    return { name: each, fullPath, isFile: true, isDirectory: false, file };
  });
  const createReader = () => {
    const left = [...entries];
    return { readEntries: (done: (some: unknown[]) => void) => done(left.splice(0, 2)) };
  };
  return { name, fullPath: path, isFile: false, isDirectory: true, createReader } as never;
}

async function namesIn(folder: FileSystemDirectoryEntry) {
  const files = await filesOfFolder(folder);
  return files.ok ? files.value.files.map(({ name }) => name) : files.error.message;
}

test('all files of a folder and of the folders in it are taken, rank 2 before rank 10', async () => {
  const folder = folderOf('logs', {
    'rank10.json': null,
    '.DS_Store': null,
    'run.db': null,
    'run.db-wal': null,
    '.git': { config: null },
    'rank2.json': null,
    more: { deep: { 'rank3.json': null } },
  });
  expect(await namesIn(folder)).toEqual(['rank3.json', 'rank2.json', 'rank10.json', 'run.db']);
});

test('hidden files are named, but not what a desktop leaves in each folder', async () => {
  const content = {
    'a.db': null,
    '.b.db': null,
    '.DS_Store': null,
    '._a.db': null,
    '.c.db-wal': null,
  };
  const found = await filesOfFolder(folderOf('logs', { ...content, in: { '.a2.db': null } }));
  expect(found).toMatchObject({ ok: true, value: { hidden: ['.a2.db', '.b.db'] } });
});

test('what is nothing for an investigation is one sentence', async () => {
  const many = Object.fromEntries(
    Array.from({ length: MOST_FILES + 1 }, (_, at) => [`${at}.json`, null]),
  );
  expect(await namesIn(folderOf('many', many))).toMatch(/“many” has more than 200 files/);
  expect(await namesIn(folderOf('empty', { '.DS_Store': null }))).toMatch(/“empty” has no files\./);
  expect(await namesIn(folderOf('kept', { '.run.db': null }))).toMatch(
    /“kept” has only files that are hidden \(a name that begins with a dot\): \.run\.db\./,
  );
  const names = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`.${at}`, null]));
  const wide = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`dir${at}`, names]));
  expect(await namesIn(folderOf('wide', wide))).toMatch(/or too many folders/);
  const refuses = (_: unknown, failed: (why: DOMException) => void) =>
    failed(new DOMException('no', 'NotReadableError'));
  const closed = { ...folderOf('closed', {}), createReader: () => ({ readEntries: refuses }) };
  expect(await namesIn(closed as never)).toMatch(/“closed” can’t be read: drop the traces/);
});

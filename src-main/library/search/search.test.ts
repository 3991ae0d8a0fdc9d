import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { termsOf, wordsInOrder, wordsOf } from '../store/words.ts';
import {
  noContext,
  type TestLibrary,
  testLibrary,
  testNote,
  value,
} from '../testing/test-library.ts';

describe('search', () => {
  test('finds every word as a prefix, in any field, and says where', async () => {
    const { calls, add, note, search } = testLibrary();
    const one = await add('night-run.db', { processes: ['python3', 'DataLoader worker'] });
    await add('other.db', { processes: ['python3'] });
    await note(one.id, 'The **allocator** of libc stalls');
    value(
      await calls.change(
        { id: one.id, tags: ['cluster A'], verdict: { kind: 'h2d-bound', text: 'unpinned' } },
        noContext,
      ),
    );
    expect(await search('NIGHT alloc clust h2d unpin dataload')).toEqual(['night-run.db']);
    expect(await search('night nothing')).toEqual([]);
    expect(await search('ight')).toEqual([]);
    expect(await search('pyth')).toEqual(['other.db', 'night-run.db']);
    const field = async (text: string) =>
      value(await calls.list({ search: text }, noContext))[0]?.match;
    expect(await field('run')).toEqual({
      field: 'name',
      before: 'night-',
      hit: 'run',
      after: '.db',
    });
    expect(await field('clu')).toEqual({ field: 'tags', before: '', hit: 'clu', after: 'ster A' });
    expect(await field('unp')).toMatchObject({ field: 'verdict', hit: 'unp' });
    expect(await field('allo libc')).toMatchObject({
      field: 'notes',
      before: 'The **',
      hit: 'allo',
    });
    expect(await field('data')).toMatchObject({ field: 'processes', before: 'python3, ' });
    expect(value(await calls.list({}, noContext))[0]).not.toHaveProperty('match');
  });

  test('finds what is written in one piece as it stands', async () => {
    const { add, note, search } = testLibrary();
    await add('one.db', { processes: ['pt_data_worker', 'python3'] });
    const { id } = await add('two.db', { processes: ['pt', 'data'] });
    expect(await search('pt_data')).toEqual(['one.db']);
    expect(await search('PT_DATA_w')).toEqual(['one.db']);
    expect(await search('p_data')).toEqual([]);
    expect(await search('data_pt')).toEqual([]);
    expect(await search('pt data')).toEqual(['two.db', 'one.db']);
    expect(await search('one.d')).toEqual(['one.db']);
    await note(id, 'see torch/utils/data/_utils/worker.py, then pt-data');
    expect(await search('torch/data')).toEqual([]);
    expect(await search('_utils/worker.py')).toEqual(['two.db']);
    expect(await search('pt_data')).toEqual(['two.db', 'one.db']);
  });

  test('shows the field with most of the words, and the place where they are together', async () => {
    const { calls, add, note } = testLibrary();
    const { id } = await add('pt-run.db', { processes: ['pt_data_worker'] });
    await note(id, 'data is slow');
    await note(id, 'later: the allocator; much later, with the pinned allocator data');
    const match = async (text: string) =>
      value(await calls.list({ search: text }, noContext))[0]?.match;
    expect(await match('pt_data')).toMatchObject({ field: 'processes', hit: 'pt_data' });
    expect(await match('pt')).toMatchObject({ field: 'name', hit: 'pt' });
    expect(await match('pt data')).toMatchObject({ field: 'processes', hit: 'pt' });
    expect(await match('allocator data')).toMatchObject({ field: 'notes', hit: 'allocator' });
    expect(await match('slow data')).toMatchObject({ field: 'notes', before: '', hit: 'data' });
  });

  test('shows the hit soon after the begin of the line, from a whole word on', async () => {
    const { calls, add } = testLibrary();
    await add('run.db', {
      processes: ['systemd-journal', 'systemd-timesyn', 'unknown', 'python3'],
    });
    const [found] = value(await calls.list({ search: 'python' }, noContext));
    expect(found?.match).toMatchObject({ before: '…unknown, ', hit: 'python', after: '3' });
  });

  test('finds machine, CPU, GPU and format', async () => {
    const { calls, add } = testLibrary();
    const facts = { machine: 'node-17', cpu: 'AMD EPYC 9654', gpu: 'NVIDIA H100 80GB' };
    await add('run.db', facts);
    const match = async (text: string) =>
      value(await calls.list({ search: text }, noContext))[0]?.match;
    expect(await match('node-17')).toMatchObject({ field: 'machine', hit: 'node-17' });
    expect(await match('h100')).toMatchObject({ field: 'gpu', before: 'NVIDIA ' });
    expect(await match('epyc')).toMatchObject({ field: 'cpu', hit: 'EPYC' });
    expect(await match('ingero')).toMatchObject({ field: 'format', hit: 'Ingero' });
  });

  test('follows changes, removals and restorations', async () => {
    const { calls, add, note, search } = testLibrary();
    const { id } = await add('trace');
    const { id: noteId } = await note(id, 'first thought');
    expect(await search('thought')).toEqual(['trace']);
    await note(id, 'second', { id: noteId });
    expect(await search('thought')).toEqual([]);
    value(await calls.removeNote({ id, note: noteId }, noContext));
    expect(await search('second')).toEqual([]);
    value(await calls.change({ id, name: 'renamed' }, noContext));
    expect(await search('trace')).toEqual([]);
    value(await calls.remove({ id, trashFile: false }, noContext));
    expect(await search('renamed')).toEqual([]);
    value(await calls.restore({ id }, noContext));
    expect(await search('renamed')).toEqual(['renamed']);
  });

  test.each([
    '"',
    "'",
    '*',
    'a*',
    'a AND',
    'OR',
    'NOT a',
    'NEAR(a b)',
    'words:a',
    '^a',
    '-a',
    '(',
    '{a}:b',
    '\\',
    '%',
    'a\u0000b',
    '\ud800',
    '\u202e',
    ';DROP TABLE note',
    '--',
    '🔥',
    'a'.repeat(500),
    Array.from({ length: 250 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join(' '),
  ])('takes %j as text', async (text) => {
    const { add, search } = testLibrary();
    await add('b');
    const expected = wordsOf(text).size === 0 ? ['b'] : [];
    expect(await search(text)).toEqual(expected);
  });

  test('equals a filter over all texts, whatever was edited before', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(edit, { maxLength: 30 }),
        fc.array(texts, { maxLength: 6 }),
        equalsFilter,
      ),
      { numRuns: 60 },
    );
  });
});

const letters = fc.constantFrom(
  'a',
  'b',
  'é',
  'E',
  'ς',
  'Σ',
  '1',
  ' ',
  '-',
  '"',
  '🔥',
  '\u0301',
  'ß',
  '\u0000',
);
const texts = fc.string({ unit: letters, maxLength: 8 });
const names = texts.map((text) => `n${text}`);
const edit = fc.oneof(
  fc.record({
    kind: fc.constant('put' as const),
    file: fc.nat(3),
    name: names,
    processes: fc.array(texts, { maxLength: 2 }),
  }),
  fc.record({
    kind: fc.constant('change' as const),
    file: fc.nat(3),
    name: names,
    tags: fc.array(
      texts.map((text) => `t${text}`),
      { maxLength: 3 },
    ),
  }),
  fc.record({ kind: fc.constant('verdict' as const), file: fc.nat(3), text: fc.option(texts) }),
  fc.record({ kind: fc.constant('note' as const), file: fc.nat(3), note: fc.nat(2), text: texts }),
  fc.record({ kind: fc.constant('unnote' as const), file: fc.nat(3), note: fc.nat(2) }),
  fc.record({ kind: fc.constant('remove' as const), file: fc.nat(3) }),
  fc.record({ kind: fc.constant('restore' as const), file: fc.nat(3) }),
  fc.record({
    kind: fc.constant('addNotes' as const),
    file: fc.nat(3),
    note: fc.nat(2),
    text: texts,
  }),
);
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

async function equalsFilter(edits: readonly Edit[], searches: readonly string[]): Promise<void> {
  const library = testLibrary();
  const processes = new Map<number, readonly string[]>();
  const ids = new Map<number, number>();
  for (const one of edits) {
    const id = ids.get(one.file);
    if (one.kind === 'put') {
      const put = await library.add(one.name, { path: `/${one.file}`, processes: one.processes });
      ids.set(one.file, put.id);
      processes.set(put.id, one.processes);
    } else if (id !== undefined) await apply(library, id, one);
  }
  const all = value(await library.calls.list({}, noContext));
  const haystacks = new Map<number, string[][]>();
  for (const { id, name, tags, verdict } of all) {
    const notes = value(await library.calls.notes({ id }, noContext)).map(({ text }) => text);
    const told = `${verdict?.kind ?? ''} ${verdict?.text ?? ''}`;
    const fields = [name, ...tags, told, ...notes, ...(processes.get(id) ?? [])];
    haystacks.set(
      id,
      fields.map((field) => [...wordsInOrder(field)]),
    );
  }
  for (const search of searches) {
    const wanted = [...termsOf(search)];
    const expected = all
      .filter(({ id }) =>
        wanted.every((term) => (haystacks.get(id) ?? []).some((text) => holds(text, term))),
      )
      .map(({ id }) => id);
    const found = value(await library.calls.list({ search }, noContext));
    expect(found.map(({ id }) => id)).toEqual(expected);
    for (const { match } of found) expect(match === undefined).toBe(wanted.length === 0);
  }
  library.close();
}

/** Whether the words of a term follow each other in a text, the last of them begun at least. */
function holds(text: readonly string[], term: string): boolean {
  return text.some((_, at) => ` ${text.slice(at).join(' ')}`.startsWith(` ${term}`));
}

async function apply({ calls }: TestLibrary, id: number, one: Edit): Promise<void> {
  const noteId = 'note' in one ? `00000000-0000-4000-8000-00000000000${one.note}` : '';
  if (one.kind === 'change') await calls.change({ id, name: one.name, tags: one.tags }, noContext);
  if (one.kind === 'verdict') {
    const verdict = one.text === null ? null : ({ kind: 'input-bound', text: one.text } as const);
    await calls.change({ id, verdict }, noContext);
  }
  if (one.kind === 'note') {
    await calls.putNote({ id, note: testNote({ id: noteId, text: one.text }) }, noContext);
  }
  if (one.kind === 'unnote') await calls.removeNote({ id, note: noteId }, noContext);
  if (one.kind === 'remove') await calls.remove({ id, trashFile: false }, noContext);
  if (one.kind === 'restore') await calls.restore({ id }, noContext);
  if (one.kind === 'addNotes') {
    const time = '2026-01-02T03:04:05.678Z';
    const added = { ...testNote({ id: noteId, text: one.text }), createdAt: time, updatedAt: time };
    await calls.addNotes({ id, notes: [added] }, noContext);
  }
}

import { expect, test } from 'vitest';
import { linesThatMatter } from './lines-that-matter.ts';

const room = { rows: 4, columns: 46 };

test('of a loader only what changes', () => {
  const before = 'loader = DataLoader(Rows(...), batch_size=32, shuffle=True, num_workers=4)';
  const after =
    '# Replaces --workers 4.\nloader = DataLoader(Rows(...), batch_size=32, shuffle=True, num_workers=2, pin_memory=True)';
  expect(linesThatMatter(before, after, room)).toEqual({
    code: 'loader = DataLoader(…, num_workers=2, pin_memory=True)',
    left: 1,
  });
});

test('a dataset that changes stays at its place', () => {
  const of = (data: string) => `loader = DataLoader(${data}, batch_size=32, num_workers=2)`;
  expect(linesThatMatter(of('Rows(your_files)'), of('samples'), room).code).toBe(
    'loader = DataLoader(samples, …)',
  );
  expect(linesThatMatter('train()', of('rows'), room).code).toBe(of('rows'));
});

test('imports, comments and what was there before are left out, but for what a line stands in', () => {
  const before = 'for step in range(8):\n    tell(step)';
  const after = `import queue

lines = queue.Queue()
for step in range(8):
    lines.put(step)  # a thread writes them, many at a time and later on`;
  expect(linesThatMatter(before, after, room)).toEqual({
    code: 'lines = queue.Queue()\nfor step in range(8):\n    lines.put(step)',
    left: 1,
  });
});

test('a method stands in its class where other lines do not', () => {
  const after = `class Items(Dataset):
    def __len__(self):
        return len(files)

    def __getitem__(self, index):
        return decode(files[index])

loader = DataLoader(Items())`;
  expect(linesThatMatter('', after, { rows: 9, columns: 46 })).toEqual({
    code: `class Items(Dataset):
    def __getitem__(self, index):
        return decode(files[index])
loader = DataLoader(Items())`,
    left: 2,
  });
});

test('no line is cut: those that have no room are counted', () => {
  const lines = ['first()', 'x'.repeat(100), 'last()'];
  expect(linesThatMatter('', lines.join('\n'), room)).toEqual({
    code: lines.slice(0, 2).join('\n'),
    left: 1,
  });
  expect(linesThatMatter('', 'x'.repeat(300), room).code).toHaveLength(300);
});

test('where nothing but what was there is left, it is shown', () => {
  expect(linesThatMatter('a()\nb()', 'b()', room).code).toBe('b()');
});

test('what is shown is whole statements: each line with all that it stands in, and something in each', () => {
  const of = (before: string, after: string) => linesThatMatter(before, after, room).code;
  const dataset = (line: string) =>
    `class Rows(Dataset):\n    def __len__(self):\n        return 8\n\n    def __getitem__(self, at):\n        ${line}`;
  expect(of(dataset('a()'), dataset('b()'))).toBe(
    'class Rows(Dataset):\n    def __getitem__(self, at):\n        b()',
  );
  expect(of('for x in y:\n    a()', 'with z:  # open\n    for x in y:\n        a()')).toBe(
    'with z:  # open\n    for x in y:\n        a()',
  );
  expect(of('    a()', 'def f(x):\n    a()\nf()')).toBe('def f(x):\n    ...\nf()');
  const tried = (line: string) => `try:\n    a()\nexcept OSError:\n    ${line}`;
  expect(of(tried('b()'), tried('c()'))).toBe('try:\n    ...\nexcept OSError:\n    c()');
  expect(of('def f():\n    a()\nf()', '@cache\ndef f():\n    a()\nfor x in y:\n    f(x)')).toBe(
    'for x in y:\n    f(x)',
  );
  // No head is the last line that has room.
  const three = ['x = 1', 'y = 2', 'z = 3', 'for a in b:', '    c()'];
  expect(linesThatMatter('', three.join('\n'), room)).toEqual({
    code: three.slice(0, 3).join('\n'),
    left: 2,
  });
});

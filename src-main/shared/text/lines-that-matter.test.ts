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

test('imports, comments and what was there before are left out, but for what a line stands in, and the indent that all have', () => {
  const before = 'for step in range(8):\n    tell(step)';
  const after = `import queue

lines = queue.Queue()
for step in range(8):
    lines.put(step)  # a thread writes them, many at a time and later on`;
  expect(linesThatMatter(before, after, room)).toEqual({
    code: 'lines = queue.Queue()\nfor step in range(8):\n    lines.put(step)',
    left: 1,
  });
  expect(linesThatMatter('    a()', '    b()', room).code).toBe('b()');
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

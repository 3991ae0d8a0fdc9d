import { expect, test } from 'vitest';
import { csvRow } from './csv.ts';

test.each([
  [[1.5, -2, null, 'a'], '1.5,-2,,a\n'],
  [['a,b', 'say "x"', 'two\nlines', ''], '"a,b","say ""x""","two\nlines",""\n'],
  [['=HYPERLINK("http://x")', '+1', '@a', '-x'], '"\'=HYPERLINK(""http://x"")",\'+1,\'@a,\'-x\n'],
  [['-9007199254740993'], '-9007199254740993\n'],
] as const)('%j', (cells, line) => {
  expect(csvRow(cells)).toBe(line);
});

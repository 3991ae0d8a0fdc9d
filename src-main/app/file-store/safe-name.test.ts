import { expect, test } from 'vitest';
import { safeName } from './safe-name.ts';

test.each([
  ['run 7.db', 'run 7.db'],
  ['../../run.db', 'run.db'],
  ['C:\\traces\\run.db', 'run.db'],
  ['run.db. . ', 'run.db'],
  ['..', 'trace.db'],
  ['con.db', '_con.db'],
  ['CON .db', '_CON .db'],
  ['conout$', '_conout$'],
  ['.unlisted', 'trace.db'],
  // A file system that folds case takes these for the same name, and the mark would overwrite the file.
  ['.UNLISTED', 'trace.db'],
  ['.unliſted', 'trace.db'],
  ['．unlisted', 'trace.db'],
  ['a\u202egpj.db', 'a\ufffdgpj.db'],
  [`${'鐘'.repeat(300)}.db`, `${'鐘'.repeat(64)}….db`],
])('%j is kept as %j', (name, kept) => {
  expect(safeName(name)).toBe(kept);
});

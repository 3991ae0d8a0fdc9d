import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeWith } from '../../test/support/requirements.ts';
import { flushFolder } from './flush-folder.ts';

test('a folder is flushed; one that is gone is no success', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stalltrace-flush-'));
  await flushFolder(folder);
  rmSync(folder, { recursive: true });
  await expect(flushFolder(folder)).rejects.toMatchObject({ code: 'ENOENT' });
});

describeWith(['linux'], 'a file system that flushes no folders', () => {
  // procfs answers fsync() of a folder with EINVAL.
  test('is no failure', () => expect(flushFolder('/proc')).resolves.toBeUndefined());
});

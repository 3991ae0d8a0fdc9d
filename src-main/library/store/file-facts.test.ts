import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../testing/test-library.ts';
import { factsNow, factsOfFiles } from './file-facts.ts';

test('files that do not answer in time count as missing, the others do not', async () => {
  const folder = testFolder();
  const path = join(folder, 'file');
  writeFileSync(path, '12345');
  const facts = factsNow(path);
  expect(facts?.sizeBytes).toBe(5);
  const look = (asked: string, answer: (facts: ReturnType<typeof factsNow>) => void) => {
    if (asked !== '/gone/drive') answer(factsNow(asked));
  };
  const found = await factsOfFiles([path, '/gone/drive', join(folder, 'no'), path], 50, look);
  expect(found).toEqual([facts, undefined, undefined, facts]);
  expect(await factsOfFiles([])).toEqual([]);
  expect(await factsOfFiles([path, 'a\u0000b'])).toEqual([facts, undefined]);
});

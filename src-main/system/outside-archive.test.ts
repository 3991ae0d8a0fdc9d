import { expect, test } from 'vitest';
import { outsideArchive } from './outside-archive.ts';

test('leads from inside a packaged archive to the files beside it, and nowhere else', () => {
  expect(outsideArchive('/opt/Stalltrace/resources/app.asar/resources/sample/x.db')).toBe(
    '/opt/Stalltrace/resources/app.asar.unpacked/resources/sample/x.db',
  );
  expect(outsideArchive('C:\\Stalltrace\\resources\\app.asar\\x.db')).toBe(
    'C:\\Stalltrace\\resources\\app.asar.unpacked\\x.db',
  );
  for (const path of ['/home/me/stalltrace/x.db', '/opt/app.asar.unpacked/x.db', '/app.asar'])
    expect(outsideArchive(path)).toBe(path);
});

import { expect, test } from 'vitest';
import { launchOf } from './launch.ts';

test.each([
  ['stalltrace:#investigation=3&tab=flame', '#investigation=3&tab=flame'],
  ['stalltrace://open/#investigation=3', '#investigation=3'],
  ['STALLTRACE:#a', '#a'],
  ['stalltrace:#"><script>', '#%22%3E%3Cscript%3E'],
  ['stalltrace:', ''],
  ['stalltrace://[', ''],
  [`stalltrace:#${'a'.repeat(200_000)}`, ''],
])('%.40s is a link to %.40j', (link, hash) => {
  expect(launchOf(link)).toEqual({ kind: 'link', hash });
});

test.each(['/traces/run.db', 'C:\\traces\\run.db', '/traces/stalltrace:x.db', 'stalltrace.db'])(
  '%s is a file',
  (path) => expect(launchOf(path)).toEqual({ kind: 'file', path }),
);

import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fail, ok } from '../../shared/rpc/result.ts';
import { fakePlatform } from '../testing/fake-platform.ts';
import { sayTakenFrom, typedPath } from './typed-path.ts';

const platform = { ...fakePlatform().platform, startFolder: '/started/here' };

test.each([
  ['/traces/run.db', '/traces/run.db'],
  ['"/traces/my run.db"', '/traces/my run.db'],
  [" '/traces/run.db' ", '/traces/run.db'],
  ['"/odd', '/started/here/"/odd'],
  ['/traces/" odd "', '/traces/" odd "'],
  ['~/run.db', join(homedir(), 'run.db')],
  ['"~/run.db"', join(homedir(), 'run.db')],
  ['~other/run.db', '/started/here/~other/run.db'],
  ['run.db', '/started/here/run.db'],
  ['../run.db', '/started/run.db'],
])('%j is %s', (text, path) => {
  expect(typedPath(platform, text).path).toBe(path);
});

test('a failure says from where a relative path was taken', () => {
  const missing = fail('file-missing', 'It is not there.');
  expect(sayTakenFrom(missing, typedPath(platform, 'run.db'))).toMatchObject({
    error: {
      message:
        'It is not there. The path was taken from /started/here, where Stalltrace was started.',
    },
  });
  expect(sayTakenFrom(missing, typedPath(platform, '/run.db'))).toEqual(missing);
  expect(sayTakenFrom(ok(1), typedPath(platform, 'run.db'))).toEqual(ok(1));
});

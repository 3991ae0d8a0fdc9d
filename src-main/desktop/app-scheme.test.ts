import { describe, expect, test } from 'vitest';
import { isAppPage } from './app-scheme.ts';

describe('isAppPage', () => {
  test.each(['app://stalltrace/index.html', 'app://stalltrace/index.html#timeline'])(
    'takes %s',
    (url) => expect(isAppPage(url)).toBe(true),
  );

  test.each([
    'app://stalltrace/',
    'app://stalltrace/index.html?x=1',
    'app://stalltrace/assets/index.js',
    'app://stalltrace.evil/index.html',
    'app://user@stalltrace/index.html',
    'app://stalltrace:80/index.html',
    'file:///index.html',
    'https://stalltrace/index.html',
    'javascript:0',
    'nonsense',
  ])('refuses %s', (url) => expect(isAppPage(url)).toBe(false));
});

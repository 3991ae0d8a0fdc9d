import { expect, test } from 'vitest';
import { plainMatch } from './plain-match.ts';

const excerpt = (before: string, hit: string, after: string) => ({ before, hit, after });

test.each([
  [excerpt('The **co', 'py', '** waits'), excerpt('The co', 'py', ' waits')],
  [excerpt('', 'copy', ' of `x`'), excerpt('', 'copy', ' of x')],
  [
    excerpt('see [it](https://', 'example', '.org)'),
    excerpt('see [it](https://', 'example', '.org)'),
  ],
])('%j', (match, plain) => {
  expect(plainMatch(match)).toEqual(plain);
});

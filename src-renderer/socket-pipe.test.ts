import { expect, test } from 'vitest';
import { tokenOfFragment } from './socket-pipe.ts';

test('the launch token is taken from the fragment only', () => {
  expect(tokenOfFragment('#token=a_b-c')).toBe('a_b-c');
  expect(tokenOfFragment('#token=')).toBeUndefined();
  expect(tokenOfFragment('#content')).toBeUndefined();
  expect(tokenOfFragment('')).toBeUndefined();
});

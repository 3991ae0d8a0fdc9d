import { parseArgs } from 'node:util';
import { expect, test } from 'vitest';
import { optionProblem } from './option-problem.ts';

const options = {
  json: { type: 'boolean' },
  port: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

function problemOf(args: string[]): string {
  try {
    parseArgs({ args, options });
  } catch (error) {
    return optionProblem(error);
  }
  throw new Error('nothing is wrong');
}

test.each([
  [['--wrong'], 'There is no option --wrong.'],
  [['--wrong=7'], 'There is no option --wrong.'],
  [['-x'], 'There is no option -x.'],
  [['--port'], '--port needs a value.'],
  [['--port', '--json'], '--port needs a value.'],
  [['--json=yes'], '--json takes no value.'],
  [['-hx'], 'There is no option -x.'],
  [['run 7.db'], '“run 7.db” is not expected here.'],
])('%j: %s', (args, expected) => {
  expect(problemOf(args)).toBe(expected);
});

test('a bug is no wrong option', () => {
  expect(() => optionProblem(new TypeError('x is undefined'))).toThrow('x is undefined');
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { generalHelp } from '../command/general-help.ts';
import { commands } from './commands.ts';

const manual = readFileSync(join(import.meta.dirname, '../../../docs/cli.md'), 'utf8');
const help = generalHelp(commands).split('\n');

function optionPattern(option: string, short: string | undefined): RegExp {
  // A switch that is on by itself is only ever taken back; a short name stands for the long one.
  const names = [`--(no-)?${option}`, ...(short === undefined ? [] : [`-${short}`])];
  return new RegExp(`(?<![\\w-])(${names.join('|')})(?![\\w-])`);
}

test('every file here is one command, in the list', () => {
  const files = readdirSync(import.meta.dirname).filter(
    (file) => !file.endsWith('.test.ts') && file !== 'commands.ts',
  );
  expect(files).toEqual(commands.map(({ name }) => `${name}.ts`).toSorted());
});

test('the general help has each command with what it does, and the exit codes', () => {
  for (const { name, synopsis, summary } of commands) {
    const at = help.findIndex((line) =>
      `${line} `.startsWith(`  ${`${name} ${synopsis}`.trim()} `),
    );
    expect(at, name).toBeGreaterThan(0);
    expect(`${help[at]}\n${help[at + 1]}`).toContain(summary);
  }
  expect(help.every((line) => line.length <= 100)).toBe(true);
  expect(help.join(' ')).toMatch(/Exit codes: 0 done, 1 .*, 130 interrupted\.$/);
});

describe.each(commands)('$name', ({ name, usage, optionTypes, parse }) => {
  test('explains itself in lines of a terminal', () => {
    expect(usage).toMatch(new RegExp(`^Usage: stalltrace ${name}( |\\n)`));
    for (const line of usage.split('\n')) expect(line.length, line).toBeLessThanOrEqual(101);
    for (const args of [['--help'], ['-h']]) expect(parse(args, '/')).toEqual({ kind: 'help' });
  });

  test('has each of its options in its help, and in docs/cli.md', () => {
    expect(new RegExp(`^stalltrace ${name}( |$)`, 'm').test(manual)).toBe(true);
    for (const [option, { short }] of Object.entries(optionTypes)) {
      expect(usage, option).toMatch(optionPattern(option, short));
      expect(optionPattern(option, short).test(manual), `${option} in docs/cli.md`).toBe(true);
    }
  });

  test('names an option that it does not know', () => {
    const unknown = { kind: 'wrong', sentence: 'There is no option --nonsense.' };
    expect(parse(['--nonsense'], '/')).toEqual(unknown);
  });
});

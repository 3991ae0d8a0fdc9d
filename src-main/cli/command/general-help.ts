import { exitCodes } from '../output/exit-codes.ts';
import { fillLines } from '../texts/fill-lines.ts';
import type { Command } from './command.ts';

type Line = Pick<Command, 'name' | 'synopsis' | 'summary'>;

/** Where what a command does begins; it stands on the next line if what it takes is longer. */
const SUMMARY_COLUMN = 29;
const WIDTH = 100;

const OWN_LINES: readonly Line[] = [
  { name: 'help,', synopsis: '--help', summary: 'this text; COMMAND --help says more' },
  { name: '--version', synopsis: '', summary: 'the version' },
];

/** What `stalltrace --help` prints. */
export function generalHelp(commands: readonly Line[]): string {
  return [
    'Usage: stalltrace COMMAND',
    '',
    ...[...commands, ...OWN_LINES].flatMap(linesOf),
    '',
    ...exitCodeLines(),
  ].join('\n');
}

function linesOf({ name, synopsis, summary }: Line): string[] {
  const head = `  ${`${name} ${synopsis}`.trimEnd()}`;
  if (head.length < SUMMARY_COLUMN) return [head.padEnd(SUMMARY_COLUMN) + summary];
  return [head, ' '.repeat(SUMMARY_COLUMN) + summary];
}

function exitCodeLines(): string[] {
  const items = exitCodes.map(([code, meaning]) => `${code} ${meaning}`);
  const ended = items.map((item, at) => `${item}${at === items.length - 1 ? '.' : ','}`);
  return fillLines(['Exit codes:', ...ended], WIDTH);
}

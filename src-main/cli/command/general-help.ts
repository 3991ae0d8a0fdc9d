import { exitCodes } from '../output/exit-codes.ts';
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
  const lines = ['Exit codes:'];
  for (const [at, [code, meaning]] of exitCodes.entries()) {
    const item = `${code} ${meaning}${at === exitCodes.length - 1 ? '.' : ','}`;
    const longer = `${lines.at(-1)} ${item}`;
    if (longer.length <= WIDTH) lines[lines.length - 1] = longer;
    else lines.push(item);
  }
  return lines;
}

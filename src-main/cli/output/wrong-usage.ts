import { cleanText } from '../../shared/text/text.ts';
import { EXIT_USAGE } from './exit-codes.ts';

/** Says on stderr what is wrong with the command line of `command`, empty = of none; the exit code. */
export function wrongUsage(command: string, sentence: string): number {
  const help = ['stalltrace', ...(command === '' ? [] : [command]), '--help'].join(' ');
  console.error(`stalltrace: ${cleanText(sentence.replace(/\.$/, ''), 1_000)}; see ${help}.`);
  return EXIT_USAGE;
}

import { format } from 'node:util';
import { cleanText, escapeInvisible } from '../shared/text.ts';

/**
 * What a terminal gets. Names of files, hosts and processes can hold sequences that set its title,
 * fill its clipboard or paint over its lines (OSC 0, OSC 52, CSI), in one byte each from C1.
 */

/** One JSON value on stdout: the same text to a parser, and nothing in it acts on a terminal. */
export function printJson(value: unknown, indent: 0 | 2 = 2): void {
  console.log(escapeInvisible(JSON.stringify(value, null, indent)));
}

/** From here on nothing that is told on stderr acts on a terminal, whoever in this process tells it. */
export function keepErrorsPlain(): void {
  console.error = (...told: unknown[]) => {
    const lines = format(...told).split('\n');
    process.stderr.write(`${lines.map((line) => cleanText(line, Infinity)).join('\n')}\n`);
  };
}

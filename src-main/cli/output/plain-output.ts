import { format } from 'node:util';
import { cleanLines, escapeInvisible } from '../../shared/text/text.ts';

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
    process.stderr.write(`${cleanLines(format(...told))}\n`);
  };
}

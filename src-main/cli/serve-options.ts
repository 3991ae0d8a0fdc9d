import { parseArgs } from 'node:util';
import { optionProblem } from './wrong-usage.ts';

export const SERVE_USAGE = `Usage: stalltrace serve [FILE…] [--port N] [--root DIR]…

Serves the app to a browser on this machine only (127.0.0.1). From another machine, forward the
port first: ssh -L PORT:127.0.0.1:PORT user@host

  --port N     listen on this port (default: a free one)
  --root DIR   let the page open trace files by path under DIR too, beside your home folder and
               the folder you start from; may be repeated`;

export interface ServeOptions {
  readonly files: readonly string[];
  readonly port: number;
  readonly roots: readonly string[];
  readonly help: boolean;
}

/** The options, or the sentence that says what is wrong with them. */
export function parseServeOptions(args: readonly string[]): ServeOptions | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        port: { type: 'string', default: '0' },
        root: { type: 'string', multiple: true, default: [] },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : Number.NaN;
    if (!(port <= 65535)) return `--port ${values.port} is no port: give a number up to 65535.`;
    if ([...positionals, ...values.root].includes('')) return 'The name of a file is empty.';
    return { files: positionals, port, roots: values.root, help: values.help };
  } catch (error) {
    return optionProblem(error);
  }
}

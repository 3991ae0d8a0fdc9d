import { resolve } from 'node:path';
import { defineCommand } from '../command/command.ts';
import { onStopSignal } from '../terminal/stop-signals.ts';

export const serve = defineCommand({
  name: 'serve',
  synopsis: '[FILE…]',
  summary: 'serve the app to a browser on this machine',
  usage: `Usage: stalltrace serve [FILE…] [--port N] [--root DIR]…

Serves the app to a browser on this machine only (127.0.0.1). From another machine, forward the
port first: ssh -L PORT:127.0.0.1:PORT user@host

Every FILE is added to the library; of several the first is opened, and the page offers to compare
them.

  --port N     listen on this port (default: a free one)
  --root DIR   let the page open trace files by path under DIR too, beside your home folder and
               the folder you start from; may be repeated`,
  options: {
    port: { type: 'string', default: '0' },
    root: { type: 'string', multiple: true, default: [] },
  },
  takesOperands: true,
  read({ values, operands }, startFolder) {
    const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : Number.NaN;
    if (!(port <= 65535)) return `--port ${values.port} is not a port: give a number up to 65535.`;
    if ([...operands, ...values.root].includes('')) return 'The name of a file is empty.';
    return {
      files: operands.map((file) => resolve(startFolder, file)),
      roots: values.root.map((root) => resolve(startFolder, root)),
      port,
    };
  },
  async run(options, { startFolder, stop }) {
    onStopSignal(stop);
    // No other command needs the server.
    const { serveUntil } = await import('../../serve.ts');
    return serveUntil(stop.signal, { ...options, startFolder });
  },
});

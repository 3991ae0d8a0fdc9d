import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { createApp } from './app/app.ts';
import { dataFolder } from './app/data-folder.ts';
import { createGuard } from './browser/guard.ts';
import { createHttpServer, uploadFolderOf } from './browser/http-server.ts';
import { attachRpcSocket } from './browser/rpc-socket.ts';
import { launchNodeProcess } from './node-launcher.ts';
import { rendererRoot, sampleFile } from './resources.ts';

const USAGE = `Usage: stalltrace serve [FILE…] [--port N] [--root DIR]…

Serves the app to a browser on this machine only (127.0.0.1). From another machine, forward the
port first: ssh -L PORT:127.0.0.1:PORT user@host

  --port N     listen on this port (default: a free one)
  --root DIR   let the page open trace files by path under DIR too, beside your home folder and
               the folder you start from; may be repeated`;

/** Browser host: the same services as the desktop app on a loopback server. Resolves when it is told to stop. */
export async function serve(args: readonly string[], startFolder: string): Promise<number> {
  const options = parseOptions(args);
  if (options === undefined) {
    console.error(USAGE);
    return 2;
  }
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  const folder = dataFolder();
  const uploadFolder = uploadFolderOf(folder);
  const files = options.files.map((file) => resolve(startFolder, file));
  const roots = [
    homedir(),
    startFolder,
    uploadFolder,
    ...options.roots.map((root) => resolve(startFolder, root)),
  ];
  const app = createApp(
    {
      kind: 'browser',
      launch: launchNodeProcess,
      mayOpen: (path) => files.includes(path) || roots.some((root) => isUnder(root, path)),
    },
    { dataFolder: folder, sampleFile },
  );
  for (const file of files) app.requestOpen(file);
  const guard = createGuard();
  const server = createHttpServer({ app, guard, rendererRoot, uploadFolder });
  const endConnections = attachRpcSocket(server, app, guard);
  server.listen(options.port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    console.error(
      `Port ${options.port} can't be used (${(error as Error).message}): choose another with --port.`,
    );
    await app.close();
    return 1;
  }
  const { port } = server.address() as AddressInfo;
  printLink(port, guard.issueToken());
  // A link works once and for a minute: whoever was slower presses Enter.
  process.stdin.on('data', () => printLink(port, guard.issueToken()));
  process.stdin.unref?.();
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  server.close();
  endConnections();
  server.closeAllConnections();
  await app.close();
  return 0;
}

function printLink(port: number, token: string): void {
  console.log(`Stalltrace is ready. Open this link in a browser on this machine:\n`);
  console.log(`  http://127.0.0.1:${port}/#token=${token}\n`);
  console.log('It works once, for a minute; press Enter for a new one, Ctrl+C to stop.');
}

function isUnder(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

interface ServeOptions {
  readonly files: readonly string[];
  readonly port: number;
  readonly roots: readonly string[];
  readonly help: boolean;
}

function parseOptions(args: readonly string[]): ServeOptions | undefined {
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
    const port = Number(values.port);
    if (!Number.isInteger(port) || port < 0 || port > 65535) return undefined;
    return { files: positionals, port, roots: values.root, help: values.help };
  } catch (error) {
    console.error((error as Error).message);
    return undefined;
  }
}

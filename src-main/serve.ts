import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { createApp } from './app/app.ts';
import { ownFolders } from './app/file-store/file-store.ts';
import { limitToFolders } from './app/paths/open-folders.ts';
import { findDataFolder } from './app/services/data-folder.ts';
import { createGuard } from './browser/guard.ts';
import { createHttpServer } from './browser/http-server.ts';
import { attachRpcSocket } from './browser/rpc-socket.ts';
import { canPressEnter, onEnter } from './cli/enter-key.ts';
import { EXIT_FAILURE } from './cli/exit-codes.ts';
import { parseServeOptions, SERVE_USAGE, type ServeOptions } from './cli/serve-options.ts';
import { onStopSignal } from './cli/stop-signals.ts';
import { wrongUsage } from './cli/wrong-usage.ts';
import { launchNodeProcess } from './hosts/node-launcher.ts';
import { agentStatusFile, rendererRoot, sampleFile } from './hosts/resources.ts';
import { trashOfHost } from './system/freedesktop-trash.ts';

/**
 * Browser host: the same services as the desktop app on a loopback server. Resolves with the exit
 * code once it was told to stop, by a signal or by `stop`, and nothing of it is left.
 */
export async function serve(
  args: readonly string[],
  startFolder: string,
  stop: AbortController,
): Promise<number> {
  const options = parseServeOptions(args);
  if (typeof options === 'string') return wrongUsage('serve', options);
  if (options.help) {
    console.log(SERVE_USAGE);
    return 0;
  }
  onStopSignal(stop);
  return serveUntil(stop.signal, options, startFolder);
}

async function serveUntil(
  stopped: AbortSignal,
  options: ServeOptions,
  startFolder: string,
): Promise<number> {
  const folder = findDataFolder();
  if (folder.notice !== undefined) console.error(`stalltrace: ${folder.notice}`);
  const files = options.files.map((file) => resolve(startFolder, file));
  const roots = options.roots.map((root) => resolve(startFolder, root));
  const limits = await limitToFolders({
    files,
    folders: [homedir(), startFolder, ...roots],
    ownFolders: ownFolders(folder.path),
  });
  const app = createApp(
    { kind: 'browser', launch: launchNodeProcess, startFolder, ...trashOfHost, ...limits },
    { dataFolder: folder.path, dataFolderFrom: folder.from, sampleFile, agentStatusFile },
  );
  for (const file of files) app.requestOpen(file);
  const guard = createGuard();
  const http = createHttpServer({ app, guard, rendererRoot });
  const { server } = http;
  const endConnections = attachRpcSocket(http, app, guard);
  server.listen(options.port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    console.error(
      `Port ${options.port} can't be used (${(error as Error).message}): choose another with --port.`,
    );
    await app.close();
    return EXIT_FAILURE;
  }
  app.tendLibrary();
  const { port } = server.address() as AddressInfo;
  printLink(port, guard.issueToken());
  // A link works once and for a minute: whoever was slower presses Enter.
  onEnter(() => printLink(port, guard.issueToken()));
  if (!stopped.aborted) await once(stopped, 'abort');
  server.close();
  endConnections();
  server.closeAllConnections();
  await app.close();
  return 0;
}

function printLink(port: number, token: string): void {
  console.log(`Stalltrace is ready. Open this link in a browser on this machine:\n`);
  console.log(`  http://127.0.0.1:${port}/#token=${token}\n`);
  const renewal = canPressEnter()
    ? 'press Enter for a new one, Ctrl+C to stop'
    : 'start Stalltrace again for a new one';
  console.log(`It works once, for a minute; ${renewal}.`);
}

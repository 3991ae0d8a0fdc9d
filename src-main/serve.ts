import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { createApp } from './app/app.ts';
import { ownFolders } from './app/file-store/file-store.ts';
import { limitToFolders } from './app/paths/open-folders.ts';
import { findDataFolder } from './app/services/data-folder.ts';
import { createGuard } from './browser/guard.ts';
import { createHttpServer } from './browser/http-server.ts';
import { attachRpcSocket } from './browser/rpc-socket.ts';
import { EXIT_FAILURE } from './cli/output/exit-codes.ts';
import { canPressEnter, onEnter } from './cli/terminal/enter-key.ts';
import { launchNodeProcess } from './hosts/node-launcher.ts';
import { agentStatusFile, rendererRoot, sampleFile } from './hosts/resources.ts';
import { trashOfHost } from './system/freedesktop-trash.ts';

interface ServeOptions {
  /** Absolute, as all paths here: opened at once. */
  readonly files: readonly string[];
  /** The page may open files below these too. */
  readonly roots: readonly string[];
  /** 0 = a free one. */
  readonly port: number;
  readonly startFolder: string;
}

/**
 * Browser host: the same services as the desktop app on a loopback server. Resolves with the exit
 * code once `stopped` is aborted and nothing of it is left.
 */
export async function serveUntil(
  stopped: AbortSignal,
  { files, roots, port: wantedPort, startFolder }: ServeOptions,
): Promise<number> {
  const folder = findDataFolder();
  if (folder.notice !== undefined) console.error(`stalltrace: ${folder.notice}`);
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
  server.listen(wantedPort, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    console.error(
      `Port ${wantedPort} can't be used (${(error as Error).message}): choose another with --port.`,
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

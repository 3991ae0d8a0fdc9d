import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { protocol, session } from 'electron';
import { type App, createApp } from '../app/app.ts';
import type { DataFolder } from '../app/services/data-folder.ts';
import { calls } from '../contract/contract.ts';
import { agentStatusFile, rendererRoot, sampleFile } from '../hosts/resources.ts';
import { createRouter } from '../rpc/router.ts';
import { describeThrown } from '../shared/rpc/result.ts';
import { createAppRequestHandler } from './app-requests.ts';
import { APP_SCHEME } from './app-scheme.ts';
import { chooseFile, chooseFolder, chooseSavePath } from './choose-file.ts';
import { keepMenu } from './keep-menu.ts';
import type { Log } from './log.ts';
import { MainWindow } from './main-window.ts';
import { denyPermissions } from './permissions.ts';
import { createProcessLauncher } from './process-launcher.ts';
import { createSecretStore } from './secret-store.ts';
import { trashFile } from './trash-file.ts';
import { serveWindowCalls, type WindowCalls } from './window-calls.ts';

/** Quitting must not hang on a service that does. */
const CLOSE_LIMIT_MS = 5000;

interface DesktopOptions {
  readonly dataFolder: DataFolder;
  readonly profileFolder: string;
  readonly log: Log;
}

/** The running desktop: its one window over the services every host shares. */
export interface Desktop {
  /** Opens a file or a `stalltrace:` link from outside in the window. */
  openFile(path: string): void;
  /** Brings the window to the front. */
  show(): void;
  /** Ends the services and saves what is unsaved; never rejects, never takes long. */
  close(): Promise<void>;
}

/** Call once, after Electron is ready. */
export function openDesktop({ dataFolder, profileFolder, log }: DesktopOptions): Desktop {
  const app = createApp(
    {
      kind: 'desktop',
      launch: createProcessLauncher(fileURLToPath(new URL('.', import.meta.url))),
      chooseFile: () => chooseFile(window.current),
      chooseFolder: () => chooseFolder(window.current),
      chooseSavePath: (suggestedName) => chooseSavePath(window.current, suggestedName),
      trash: trashFile,
      secrets: createSecretStore(),
      // The desktop's user may open whatever the system lets them read.
      mayOpen: () => true,
    },
    { dataFolder: dataFolder.path, dataFolderFrom: dataFolder.from, sampleFile, agentStatusFile },
  );
  const windowCalls = serveCalls(app, log);
  const window = new MainWindow(join(profileFolder, 'window.json'), windowCalls, log);
  const openFile = (path: string) => {
    window.show();
    app.requestOpen(path);
  };
  denyPermissions(session.defaultSession);
  protocol.handle(APP_SCHEME, createAppRequestHandler(rendererRoot, app.openTiles));
  keepMenu(app, {
    async openFile() {
      const path = await chooseFile(window.current);
      if (path !== null) openFile(path);
    },
    run(command) {
      window.show();
      windowCalls.broadcast('app.command', { command });
    },
  });
  app.tendLibrary();
  window.show();
  return { openFile, show: () => window.show(), close: () => close(app, window, log) };
}

function serveCalls(app: App, log: Log): WindowCalls {
  const router = createRouter(calls, app.handlers, (call, bug) =>
    log.write(`bug in ${call}: ${bug instanceof Error ? bug.stack : describeThrown(bug)}`),
  );
  const windowCalls = serveWindowCalls(router, log);
  app.onEvent((name, payload) => windowCalls.broadcast(name, payload));
  return windowCalls;
}

async function close(app: App, window: MainWindow, log: Log): Promise<void> {
  const closed = Promise.all([app.close(), window.flush()]).catch((error: unknown) =>
    log.write(`closing failed: ${describeThrown(error)}`),
  );
  await Promise.race([closed, delay(CLOSE_LIMIT_MS, undefined, { ref: false })]);
  await log.flush();
}

import { join, resolve } from 'node:path';
import { app, dialog, protocol } from 'electron';
import { absentFolder, findDataFolder, unusableFolder } from './app/services/data-folder.ts';
import { isLink, LINK_SCHEME } from './app/services/launch.ts';
import { APP_SCHEME } from './desktop/app-scheme.ts';
import { endOnBugs } from './desktop/crash.ts';
import { type Desktop, openDesktop } from './desktop/desktop.ts';
import { fileArguments } from './desktop/file-arguments.ts';
import { createLog } from './desktop/log.ts';
import { restrictNavigation } from './desktop/navigation-policy.ts';
import { describeThrown } from './shared/rpc/result.ts';
import { makeFolderNow } from './system/make-folder.ts';

/**
 * Desktop host: what has to be said before Electron is ready, and the process's events. Never a
 * top-level `await app.whenReady()`: ready waits for this module (electron#40719).
 */

const folder = findDataFolder();
const profileFolder = join(folder.path, 'desktop');
const logFile = join(folder.path, 'logs', 'desktop.log');
const absent = absentFolder(folder);
if (absent !== undefined) {
  dialog.showErrorBox('Stalltrace cannot start', absent);
  process.exit(1);
}
try {
  // Electron refuses a profile folder that doesn't exist; the lock below lives in it.
  makeFolderNow(profileFolder);
} catch (thrown) {
  const text = `${unusableFolder(folder)}\n\n${describeThrown(thrown)}`;
  dialog.showErrorBox('Stalltrace cannot start', text);
  process.exit(1);
}
app.setPath('userData', profileFolder);
app.enableSandbox();

const log = createLog(logFile);
endOnBugs(logFile);
if (folder.notice !== undefined) log.write(folder.notice);

/** Files and links asked for before there is a desktop to open them in. */
const waitingFiles: string[] = fileArguments(process.argv, process.cwd(), app.isPackaged);
let desktop: Desktop | undefined;

function openFile(path: string): void {
  if (desktop === undefined) waitingFiles.push(path);
  else desktop.openFile(path);
}

/**
 * Has the system hand `stalltrace:` links to this app; in development, with the way it was started.
 * After `--`, so that Chromium takes no link for an option of its own: file-arguments.ts.
 */
function registerLinks(): void {
  const [, entry] = process.argv;
  const start = app.isPackaged || entry === undefined ? [] : [resolve(entry)];
  const args = [...start, '--'];
  const registered = app.setAsDefaultProtocolClient(LINK_SCHEME, process.execPath, args);
  if (!registered) log.write(`the system did not register ${LINK_SCHEME}: links`);
}

function start(): void {
  desktop = openDesktop({ dataFolder: folder, profileFolder, log });
  for (const path of waitingFiles.splice(0)) desktop.openFile(path);
}

if (app.requestSingleInstanceLock()) {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: APP_SCHEME,
      privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true },
    },
  ]);
  restrictNavigation(log);
  app.on('second-instance', (_event, argv, workingFolder) => {
    for (const path of fileArguments(argv, workingFolder, app.isPackaged)) openFile(path);
    desktop?.show();
  });
  app.on('open-file', (event, path) => {
    event.preventDefault();
    openFile(path);
  });
  // macOS; elsewhere a link comes as an argument.
  app.on('open-url', (event, url) => {
    event.preventDefault();
    if (isLink(url)) openFile(url);
  });
  app.on('activate', () => desktop?.show());
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  app.on('will-quit', (event) => {
    if (desktop === undefined) return;
    // Children and temporary files are ours to end; the second time round there is nothing left to wait for.
    event.preventDefault();
    const closing = desktop;
    desktop = undefined;
    // What could not be ended or removed now goes at the next start: no reason not to quit.
    const left = (thrown: unknown) => log.write(`closing: ${describeThrown(thrown)}`);
    void closing
      .close()
      .catch(left)
      .finally(() => app.quit());
  });
  registerLinks();
  void app.whenReady().then(start);
} else {
  app.quit();
}

import { BrowserWindow, dialog, type WebContents } from 'electron';
import { APP_URL } from './app-scheme.ts';
import type { Log } from './log.ts';
import { MIN_WINDOW, type WindowState } from './window-state.ts';

/** A hidden window on the app's page, shown once it has something to show. */
export function createWindow(preload: string, state: WindowState, log: Log): BrowserWindow {
  const { position, width, height, maximized } = state;
  const window = new BrowserWindow({
    ...position,
    width,
    height,
    minWidth: MIN_WINDOW.width,
    minHeight: MIN_WINDOW.height,
    title: 'Stalltrace',
    show: false,
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
      // It fetches its dictionaries from a server.
      spellcheck: false,
    },
  });
  window.once('ready-to-show', () => {
    if (maximized) window.maximize();
    window.show();
  });
  offerReload(window, log);
  void loadPage(window.webContents, log);
  return window;
}

async function loadPage(contents: WebContents, log: Log): Promise<void> {
  try {
    await contents.loadURL(APP_URL);
  } catch (error) {
    // Also what a page that navigates or closes while loading looks like.
    log.write(`the page did not load: ${String(error)}`);
  }
}

function offerReload(window: BrowserWindow, log: Log): void {
  window.webContents.on('render-process-gone', (_event, details) => {
    if (details.reason === 'clean-exit') return;
    log.write(`the page's process ended: ${details.reason} (${details.exitCode})`);
    const outOfMemory = details.reason === 'oom' || details.reason === 'memory-eviction';
    const question = dialog.showMessageBox(window, {
      type: 'error',
      message: outOfMemory ? 'The window ran out of memory.' : 'The window stopped working.',
      detail: 'Your traces and the library are not affected.',
      buttons: ['Reload', 'Close'],
      defaultId: 0,
      cancelId: 1,
    });
    void question.then(({ response }) => {
      if (window.isDestroyed()) return;
      if (response === 0) void loadPage(window.webContents, log);
      else window.destroy();
    });
  });
}

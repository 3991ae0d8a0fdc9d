import type * as Electron from 'electron';
import { appDouble } from './app.ts';
import { BrowserWindowDouble } from './browser-window.ts';
import { dialogDouble } from './dialog.ts';
import { ipcMainDouble } from './ipc.ts';
import { Menu as MenuDouble } from './menu.ts';
import { protocolDouble } from './protocol.ts';
import { safeStorageDouble } from './safe-storage.ts';
import { sessionDouble } from './session.ts';
import { shellDouble } from './shell.ts';
import { requireReady, strict } from './strict.ts';
import { utilityProcessDouble } from './utility-process.ts';

/** The module main imports as `electron`. A name that is missing here fails to link, as it should. */

export const app = strict('app', appDouble);
export const BrowserWindow = BrowserWindowDouble;
export const dialog = strict('dialog', dialogDouble);
export const ipcMain = strict('ipcMain', ipcMainDouble);
export const Menu = strict('Menu', MenuDouble);
export const protocol = strict('protocol', protocolDouble);
export const safeStorage = strict('safeStorage', safeStorageDouble);
export const session = strict('session', sessionDouble);
export const shell = strict('shell', shellDouble);
export const utilityProcess = strict('utilityProcess', utilityProcessDouble);

export const screen = strict('screen', {
  getAllDisplays() {
    requireReady('screen.getAllDisplays');
    return [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }];
  },
});

/** Fails to compile where the double has a member that Electron has not. */
type Invented<Double, Real> = Exclude<keyof Double, keyof Real>;
type AllReal<Names extends never> = Names;
export type InventedMembers = AllReal<
  | Invented<typeof app, Electron.App>
  | Exclude<Invented<BrowserWindowDouble, Electron.BrowserWindow>, 'closeForQuit'>
  | Invented<typeof dialog, Electron.Dialog>
  | Invented<typeof ipcMain, Electron.IpcMain>
  | Invented<typeof protocol, Electron.Protocol>
  | Invented<typeof safeStorage, Electron.SafeStorage>
  | Invented<typeof session, typeof Electron.session>
  | Invented<typeof shell, Electron.Shell>
  | Invented<typeof screen, Electron.Screen>
>;

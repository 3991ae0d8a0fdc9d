import { app, Menu, type MenuItemConstructorOptions } from 'electron';
import { externalLinks } from '../shared/external-links.ts';
import { openExternalLink } from './external-links.ts';

const separator: MenuItemConstructorOptions = { type: 'separator' };

/** The application menu; `openFile` is what File → Open… does. */
export function installMenu(openFile: () => Promise<void>): void {
  const isMac = process.platform === 'darwin';
  const template: MenuItemConstructorOptions[] = [
    ...(isMac ? [{ role: 'appMenu' } as const] : []),
    fileMenu(openFile, isMac),
    { role: 'editMenu' },
    viewMenu(),
    { role: 'windowMenu' },
    helpMenu(isMac),
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}

function fileMenu(openFile: () => Promise<void>, isMac: boolean): MenuItemConstructorOptions {
  return {
    label: '&File',
    submenu: [
      { label: 'Open…', accelerator: 'CmdOrCtrl+O', click: () => void openFile() },
      separator,
      { role: 'close' },
      ...(isMac ? [] : [separator, { role: 'quit' } as const]),
    ],
  };
}

function viewMenu(): MenuItemConstructorOptions {
  const developer: MenuItemConstructorOptions[] = app.isPackaged
    ? []
    : [separator, { role: 'reload' }, { role: 'toggleDevTools' }];
  return {
    label: '&View',
    submenu: [
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      separator,
      { role: 'togglefullscreen' },
      ...developer,
    ],
  };
}

function helpMenu(isMac: boolean): MenuItemConstructorOptions {
  const link = (label: string, url: string) => ({ label, click: () => void openExternalLink(url) });
  return {
    role: 'help',
    submenu: [
      link('PyTorch: how the DataLoader works', externalLinks.dataLoader),
      link('PyTorch: pinned memory and non_blocking', externalLinks.pinnedMemory),
      link('NVIDIA: CUDA best practices', externalLinks.cudaBestPractices),
      ...(isMac ? [] : [separator, { role: 'about' } as const]),
    ],
  };
}

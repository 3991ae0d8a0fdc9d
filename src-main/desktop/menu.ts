import { app, Menu, type MenuItemConstructorOptions } from 'electron';
import { type CommandId, commandSpec } from '../shared/commands.ts';
import { externalLinks } from '../shared/external-links.ts';
import type { Settings } from '../shared/library/settings.ts';
import { tabs } from '../shared/tabs/tabs.ts';
import { acceleratorOf } from './accelerator.ts';
import { openExternalLink } from './external-links.ts';

type Item = MenuItemConstructorOptions;

/** What the menu's entries do, and the keys that are shown beside them. */
export interface MenuActions {
  /** File → Open…, which works without a window too. */
  openFile(): Promise<void>;
  /** Has the page do what it calls `command`; where that can't be done now, it says so. */
  run(command: CommandId): void;
  readonly keys: Settings['keys'];
}

const separator: Item = { type: 'separator' };

/** Installs the application menu; again where the user's keys changed. */
export function installMenu(actions: MenuActions): void {
  const isMac = process.platform === 'darwin';
  const item = commandItems(actions);
  const template: Item[] = [
    ...(isMac ? [appMenu(item)] : []),
    fileMenu(actions, item, isMac),
    { role: 'editMenu' },
    viewMenu(item),
    goMenu(item),
    { role: 'windowMenu' },
    helpMenu(item, isMac),
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}

type CommandItem = (command: CommandId, label?: string) => Item;

/** Keys are the page's, which knows what is on the screen and who types: the menu only shows them. */
function commandItems({ run, keys }: MenuActions): CommandItem {
  return (command, label = commandSpec(command).title) => {
    const chords = keys[command] ?? commandSpec(command).keys;
    const accelerator = chords.map(acceleratorOf).find((each) => each !== undefined);
    return {
      label,
      click: () => run(command),
      ...(accelerator !== undefined && { accelerator, registerAccelerator: false }),
    };
  };
}

/** The first menu of macOS: by its roles, but for what the page shows. */
function appMenu(item: CommandItem): Item {
  return {
    label: app.name,
    submenu: [
      item('about'),
      separator,
      item('settings', 'Settings…'),
      separator,
      { role: 'services' },
      separator,
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      separator,
      { role: 'quit' },
    ],
  };
}

function fileMenu({ openFile }: MenuActions, item: CommandItem, isMac: boolean): Item {
  return {
    label: '&File',
    submenu: [
      { ...item('open-file', 'Open…'), click: () => void openFile() },
      item('capture'),
      separator,
      item('save-archive'),
      item('report'),
      item('save-picture', 'Save a picture…'),
      item('save-benchmark', 'Save a benchmark script…'),
      item('save-perfetto'),
      item('copy-link'),
      separator,
      ...(isMac ? [] : [item('settings', 'Settings…'), separator]),
      { role: 'close' },
      ...(isMac ? [] : [separator, { role: 'quit' } as const]),
    ],
  };
}

function viewMenu(item: CommandItem): Item {
  const developer: Item[] = app.isPackaged
    ? []
    : [separator, { role: 'reload' }, { role: 'toggleDevTools' }];
  return {
    label: '&View',
    submenu: [
      ...tabs.map((tab) => item(`show-${tab}`)),
      separator,
      item('toggle-panel'),
      item('palette'),
      {
        label: 'Theme',
        submenu: [
          item('theme-system', 'As the system'),
          item('theme-light', 'Light'),
          item('theme-dark', 'Dark'),
        ],
      },
      separator,
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      separator,
      { role: 'togglefullscreen' },
      ...developer,
    ],
  };
}

function goMenu(item: CommandItem): Item {
  return {
    label: '&Go',
    submenu: [
      item('show-library'),
      separator,
      item('view-back'),
      item('view-forward'),
      separator,
      item('next-slow-call'),
      item('previous-slow-call'),
      item('go-to-time', 'A time…'),
    ],
  };
}

function helpMenu(item: CommandItem, isMac: boolean): Item {
  const link = (label: string, url: string) => ({ label, click: () => void openExternalLink(url) });
  return {
    role: 'help',
    submenu: [
      item('help', 'Keys and mouse'),
      item('messages'),
      separator,
      link('PyTorch: how the DataLoader works', externalLinks.dataLoader),
      link('PyTorch: pinned memory and non_blocking', externalLinks.pinnedMemory),
      link('NVIDIA: CUDA best practices', externalLinks.cudaBestPractices),
      ...(isMac ? [] : [separator, item('about')]),
    ],
  };
}

import { requireReady } from './strict.ts';

const ROLES: Readonly<Record<string, string>> = {
  about: 'About',
  appMenu: 'Electron',
  close: 'Close Window',
  editMenu: 'Edit',
  help: 'Help',
  hide: 'Hide',
  hideOthers: 'Hide Others',
  quit: 'Quit',
  reload: 'Reload',
  resetZoom: 'Actual Size',
  services: 'Services',
  toggleDevTools: 'Toggle Developer Tools',
  togglefullscreen: 'Toggle Full Screen',
  unhide: 'Show All',
  windowMenu: 'Window',
  zoomIn: 'Zoom In',
  zoomOut: 'Zoom Out',
};

export interface MenuItem {
  readonly label?: string;
  readonly role?: string;
  readonly type?: string;
  readonly accelerator?: string;
  readonly click?: () => void;
  readonly submenu?: readonly MenuItem[];
}

/** What buildFromTemplate makes; only setApplicationMenu takes it. */
class MenuDouble {
  readonly items: readonly MenuItem[];

  constructor(items: readonly MenuItem[]) {
    this.items = items;
  }
}

let applicationMenu: MenuDouble | undefined;

export const Menu = {
  buildFromTemplate(template: readonly MenuItem[]): MenuDouble {
    for (const item of template) check(item);
    return new MenuDouble(template);
  },
  setApplicationMenu(menu: unknown): void {
    requireReady('Menu.setApplicationMenu');
    if (!(menu instanceof MenuDouble)) throw new TypeError('electron double: not a Menu');
    applicationMenu = menu;
  },
};

function check(item: MenuItem): void {
  if (item.role !== undefined && !(item.role in ROLES)) {
    throw new Error(`electron double: no menu role "${item.role}"`);
  }
  if (item.type !== 'separator' && labelOf(item) === '') {
    throw new Error('electron double: a menu item needs a label, a role or a type');
  }
  for (const child of item.submenu ?? []) check(child);
}

function labelOf({ label, role }: MenuItem): string {
  return (label ?? ROLES[role ?? ''] ?? '').replace('&', '');
}

function lineOf(item: MenuItem): string {
  return item.accelerator === undefined ? labelOf(item) : `${labelOf(item)} (${item.accelerator})`;
}

/** Clicks what the labels of `path` lead to, as a user would. */
export function clickMenu(path: readonly string[]): void {
  let items = applicationMenu?.items ?? [];
  let found: MenuItem | undefined;
  for (const label of path) {
    found = items.find((item) => labelOf(item) === label);
    if (found === undefined) throw new Error(`electron double: no menu item "${label}"`);
    items = found.submenu ?? [];
  }
  if (found?.click === undefined)
    throw new Error(`electron double: "${path.join(' > ')}" is a role`);
  found.click();
}

/** The labels of the application menu with their keys, one line each, indented. */
export function menuText(
  items: readonly MenuItem[] = applicationMenu?.items ?? [],
  indent = '',
): string[] {
  return items.flatMap((item) => [
    `${indent}${item.type === 'separator' ? '—' : lineOf(item)}`,
    ...menuText(item.submenu ?? [], `${indent}  `),
  ]);
}

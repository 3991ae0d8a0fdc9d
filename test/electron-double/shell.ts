import { rm } from 'node:fs/promises';

/** Nothing leaves a test: what would open in the browser is only written down. */
const opened: string[] = [];
const trashed: string[] = [];

export const shellDouble = {
  async openExternal(url: string): Promise<void> {
    opened.push(url);
  },
  /** Takes the file away, as the system does. */
  async trashItem(path: string): Promise<void> {
    await rm(path);
    trashed.push(path);
  },
};

export function openedExternally(): readonly string[] {
  return opened;
}

export function trashedFiles(): readonly string[] {
  return trashed;
}

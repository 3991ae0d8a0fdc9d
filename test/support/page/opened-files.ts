import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { sharedData } from '../requirements.ts';
import { type AppPage, openAppPage } from './app-page.ts';

/** The app with files that were added to its library. */
export interface OpenedFiles extends AppPage {
  /** Of the library. */
  row(name: string | RegExp): Locator;
  /** Picks a row, beside its name, which would open it. */
  pick(name: RegExp, modifiers?: 'Control'[]): Promise<void>;
}

/** Adds real traces of `../shared/data` to an empty library, each under the name that leads to it. */
export async function openFiles(files: Readonly<Record<string, string>>): Promise<OpenedFiles> {
  const folder = mkdtempSync(join(tmpdir(), 'stalltrace-opened-'));
  const paths = Object.entries(files).map(([name, from]) => {
    copyFileSync(join(sharedData, from), join(folder, name));
    return join(folder, name);
  });
  const app = await openAppPage({ args: ['--root', folder] });
  const row = (name: string | RegExp) => app.page.getByRole('row', { name });
  await row('Sample').waitFor();
  const chooser = app.page.waitForEvent('filechooser');
  await app.page.getByRole('button', { name: 'Open files…' }).click();
  await (await chooser).setFiles(paths);
  for (const name of Object.keys(files)) await row(new RegExp(`^${name.split('.')[0]}`)).waitFor();
  return {
    ...app,
    row,
    pick: (name, modifiers = []) => row(name).click({ position: { x: 600, y: 10 }, modifiers }),
    async close() {
      await app.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

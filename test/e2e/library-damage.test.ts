import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeIngeroDatabase } from '../fixtures/ingero/make.ts';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { seriousFindings } from '../support/page/axe.ts';
import { describeWith } from '../support/requirements.ts';
import { runCli } from '../support/run-cli.ts';

const PAGE_BYTES = 4096;

/** Zeroes pages of a database, as a failing disk does. */
function zero(path: string, from: number, pages: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(pages * PAGE_BYTES), 0, pages * PAGE_BYTES, (from - 1) * PAGE_BYTES);
  closeSync(file);
}

describeWith(['chromium'], 'a library that is damaged', () => {
  test('says so with its next step, and is restored from its backup', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'library-damage-'));
    const environment = { STALLTRACE_DATA_DIR: join(folder, 'data') };
    const library = join(folder, 'data', 'library.db');
    let app: AppPage | undefined;
    try {
      makeIngeroDatabase(join(folder, 'my-run.db'), '0.16.0');
      expect(runCli(['import', 'my-run.db'], folder, environment).code).toBe(0);
      zero(library, 3, 2);
      const listed = runCli(['library'], folder, environment);
      expect(listed).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('--restore newest'),
      });
      app = await openAppPage({ environment });
      const { page } = app;
      const alert = page.getByRole('alert').filter({ hasText: 'is damaged' });
      await alert.waitFor();
      expect(await alert.textContent()).toContain('(1 entry, 0 notes)');
      expect(await seriousFindings(page)).toEqual([]);
      await alert.getByRole('button', { name: 'Restore a backup…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Restore a backup of the library?' });
      await dialog.getByRole('radio').first().waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Restore' }).click();
      await page.getByRole('row', { name: /my-run/ }).waitFor();
      await alert.waitFor({ state: 'detached' });
      rmSync(library);
      // Whatever is done next notices it.
      await page.reload();
      await page.getByRole('alert').filter({ hasText: 'was deleted or moved away' }).waitFor();
      await page.getByRole('row', { name: /my-run/ }).waitFor();
      app.expectNoComplaints();
      const back = runCli(['library', '--restore', 'newest'], folder, environment);
      expect(back).toMatchObject({ code: 0, stdout: expect.stringContaining('Restored') });
    } finally {
      await app?.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

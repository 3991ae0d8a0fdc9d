import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statementExamples } from '../../src-main/shared/statements/examples.ts';
import { root } from '../support/built.ts';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { seriousFindings } from '../support/page/axe.ts';
import { describeWith } from '../support/requirements.ts';
import { runCli } from '../support/run-cli.ts';

const sample = 'resources/sample/dataloader-starvation.trace.db';
const ENDLESS =
  'WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT count(*) FROM n';
const HOSTILE = `<img src=x onerror="document.title='owned'">`;

describeWith(['chromium'], 'SQL statements over a trace', () => {
  describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
    let app: AppPage;
    let folder: string;
    let file: string;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'stalltrace-sql-'));
      file = join(folder, 'run.db');
      copyFileSync(join(root, sample), file);
      app = await openAppPage({ args: ['--root', folder], colorScheme });
      await app.page.emulateMedia({ reducedMotion: 'reduce' });
      await app.page.getByLabel('Path on the machine').fill(file);
      await app.page.keyboard.press('Enter');
      await tab('SQL').waitFor();
      await app.page.keyboard.press('Alt+Digit7');
      await editor().waitFor();
    });
    afterAll(async () => {
      await app.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const tab = (name: string) => app.page.getByRole('tab', { name });
    const panel = () => app.page.getByRole('tabpanel', { name: 'SQL' });
    const editor = () => app.page.getByRole('textbox', { name: 'SQL statement' });
    const grid = () => app.page.getByRole('grid', { name: 'Result' });
    const button = (name: string) => panel().getByRole('button', { name, exact: true });
    const alert = (text: string) => panel().getByRole('alert').filter({ hasText: text });
    const said = (text: string | RegExp) => panel().getByText(text).first();

    async function write(text: string) {
      await editor().click();
      await app.page.keyboard.press('Control+KeyA');
      await app.page.keyboard.insertText(text);
    }

    async function run(text: string) {
      await write(text);
      await app.page.keyboard.press('Control+Enter');
    }

    test('the editor has its look without a style of its own in the page', async () => {
      const look = await app.page.evaluate(() => {
        const host = document.querySelector('[data-typing]')?.shadowRoot;
        const scroller = host?.querySelector('.cm-scroller');
        return {
          display: scroller == null ? '' : getComputedStyle(scroller).display,
          styles:
            document.querySelectorAll('style').length +
            (host?.querySelectorAll('style').length ?? 0),
        };
      });
      expect(look).toEqual({ display: 'flex', styles: 0 });
      await said('Ask the trace anything').waitFor();
      expect(await seriousFindings(app.page)).toEqual([]);
    });

    test('an example is answered as the command line answers it, as a table and as CSV', async () => {
      const [example] = statementExamples;
      await panel()
        .getByRole('button', { name: example?.title ?? '' })
        .click();
      await grid().waitFor();
      const told = runCli(['sql', file, example?.text ?? '', '--csv'], folder, {
        STALLTRACE_DATA_DIR: join(folder, 'data'),
      });
      expect(told).toMatchObject({ code: 0 });
      const lines = told.stdout.trimEnd().split('\n');
      expect(await grid().getAttribute('aria-rowcount')).toBe(String(lines.length));
      expect(await grid().getByRole('columnheader').allInnerTexts()).toEqual(lines[0]?.split(','));
      const downloading = app.page.waitForEvent('download');
      await button('Save as CSV').click();
      const saved = await downloading;
      expect(saved.suggestedFilename()).toBe('run statement.csv');
      expect(readFileSync(await saved.path(), 'utf8')).toBe(told.stdout);
      expect(await seriousFindings(app.page)).toEqual([]);
    });

    test('a row that is about a call leads to it, by the mouse and by the keyboard', async () => {
      await grid().getByRole('row').nth(1).click();
      await expect.poll(() => tab('Timeline').getAttribute('aria-selected')).toBe('true');
      const slow = app.page.getByRole('complementary', { name: 'Why slow' });
      await expect.poll(() => slow.innerText()).toContain('25.76');
      await app.page.keyboard.press('Alt+Digit7');
      // The result is still there.
      await grid().getByRole('row').nth(1).focus();
      await app.page.keyboard.press('End');
      await app.page.keyboard.press('Home');
      await app.page.keyboard.press('Enter');
      await expect.poll(() => tab('Timeline').getAttribute('aria-selected')).toBe('true');
      await app.page.keyboard.press('Alt+Digit7');
    });

    test('a row that has a time leads to that stretch of it, also from a chart', async () => {
      await run('SELECT start_ms, duration_ms, tid FROM waits ORDER BY duration_ns DESC LIMIT 5');
      await said(/^5 rows in/).waitFor();
      await button('Chart').click();
      const chart = panel().getByRole('img', { name: /over start_ms, 5 points/ });
      await chart.waitFor();
      expect(await seriousFindings(app.page)).toEqual([]);
      await chart.locator('[data-row="0"]').click();
      await expect.poll(() => tab('Timeline').getAttribute('aria-selected')).toBe('true');
      await app.page.getByRole('button', { name: 'Flame of the range' }).waitFor();
      await app.page.keyboard.press('Alt+Digit7');
      await run('SELECT call, count(*) AS calls FROM calls GROUP BY call');
      await panel()
        .getByRole('img', { name: /calls over call, \d+ bars/ })
        .waitFor();
      await button('Table').click();
    });

    test('tables and columns are found with what they mean, and written where the cursor is', async () => {
      await write('SELECT ');
      await panel().getByRole('searchbox').fill('run_queue');
      await panel()
        .getByRole('button', { name: /^run_queue_ms / })
        .first()
        .click();
      await expect.poll(() => editor().innerText()).toContain('SELECT run_queue_ms');
      await panel().getByRole('searchbox').fill('no such thing');
      await said('No table or column has this word.').waitFor();
      await panel().getByRole('searchbox').fill('');
    });

    test('a wrong statement is told in one sentence with its place; one that would write is refused', async () => {
      await run('SELECT nowhere FROM calls');
      await alert('The statement is wrong at line 1, column 8: no such column: nowhere.').waitFor();
      expect(await seriousFindings(app.page)).toEqual([]);
      await run('DELETE FROM cuda_call');
      await alert('Only SELECT is possible').waitFor();
    });

    test('no rows, and what nobody recorded, are said', async () => {
      await run('SELECT stolen_ns FROM cuda_call WHERE duration_ns < 0');
      await said('No rows: nothing in this trace fits.').waitFor();
      await said('cuda_call.stolen_ns').waitFor();
    });

    test('a statement without an end is cancelled; all else is answered while it runs', async () => {
      for (const end of [() => app.page.keyboard.press('Escape'), () => button('Cancel').click()]) {
        await run(ENDLESS);
        await button('Cancel').waitFor();
        await tab('Processes').click();
        await app.page.getByRole('table', { name: 'What each process and thread did' }).waitFor();
        await tab('SQL').click();
        await editor().focus();
        await end();
        await button('Run').waitFor();
      }
      await run('SELECT 6 * 7 AS answer');
      await expect.poll(() => grid().innerText()).toContain('42');
    });

    test('of a huge result only what is on the screen is made, and that it is cut is said', async () => {
      await run(
        "WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n LIMIT 150000) SELECT a, 'row ' || a AS name FROM n",
      );
      await said(/These are the first 100,000 rows/).waitFor();
      expect(await grid().getByRole('row').count()).toBeLessThan(120);
      await grid().getByRole('row').nth(1).focus();
      await app.page.keyboard.press('End');
      await grid().getByText('row 100000').waitFor();
      await grid().getByRole('button', { name: 'a', exact: true }).click();
      await expect
        .poll(() => grid().getByRole('columnheader').first().getAttribute('aria-sort'))
        .toBe('descending');
      await grid().getByText('row 99999', { exact: true }).waitFor();
    });

    test('an answer is saved as the Parquet file that the command line writes', async () => {
      const text = 'SELECT start_ns, duration_ms, call, direction FROM calls ORDER BY start_ns';
      await run(text);
      await said(/ rows in/).waitFor();
      await expect
        .poll(() => grid().getByRole('columnheader').allInnerTexts())
        .toEqual(['start_ns', 'duration_ms', 'call', 'direction']);
      const downloading = app.page.waitForEvent('download');
      await button('Save as Parquet').click();
      const saved = await downloading;
      expect(saved.suggestedFilename()).toBe('run statement.parquet');
      const output = join(folder, 'told.parquet');
      const told = runCli(['sql', file, text, '--parquet', output, '--force'], folder, {
        STALLTRACE_DATA_DIR: join(folder, 'data'),
      });
      expect(told).toMatchObject({ code: 0 });
      const rowsOf = async (path: string) => {
        const bytes = new Uint8Array(readFileSync(path));
        return parquetReadObjects({ file: bytes.buffer });
      };
      const rows = await rowsOf(await saved.path());
      expect(rows.length).toBeGreaterThan(100);
      expect(typeof rows[0]?.start_ns).toBe('bigint');
      expect(rows).toEqual(await rowsOf(output));
    });

    test('names made of markup are text, in a result and of what is kept', async () => {
      await run(
        `SELECT '${HOSTILE.replaceAll("'", "''")}' AS "<b>name</b>", char(8238) || 'x' AS y`,
      );
      await expect.poll(() => grid().innerText()).toContain(HOSTILE);
      expect(await grid().innerText()).toContain('<b>name</b>');
      await button('Saved…').click();
      const dialog = app.page.getByRole('dialog', { name: 'Saved statements' });
      await dialog.getByLabel('Keep this statement as').fill(HOSTILE);
      await dialog.getByRole('button', { name: 'Save', exact: true }).click();
      const kept = dialog.getByRole('list', { name: 'Saved statements' });
      await expect.poll(() => kept.innerText()).toContain(HOSTILE);
      expect(await seriousFindings(app.page)).toEqual([]);
      expect(await app.page.locator('img').count()).toBe(0);
      expect(await app.page.title()).not.toBe('owned');
    });

    test('what is kept is there after a reload, for any trace, until it is removed', async () => {
      await app.page.reload();
      await tab('SQL').click();
      await button('Saved…').click();
      const dialog = app.page.getByRole('dialog', { name: 'Saved statements' });
      await dialog.getByRole('button', { name: HOSTILE }).first().click();
      await expect.poll(() => editor().innerText()).toContain('<b>name</b>');
      await button('Saved…').click();
      await dialog.getByRole('button', { name: `Remove ${HOSTILE}` }).click();
      await dialog.getByText('No statement is saved yet.').waitFor();
      await app.page.keyboard.press('Escape');
      await app.page.getByRole('button', { name: 'Undo' }).click();
      await button('Saved…').click();
      await dialog.getByRole('button', { name: `Remove ${HOSTILE}` }).waitFor();
      await app.page.keyboard.press('Escape');
    });

    test('nothing of it made the page complain, nor broke its content security policy', () =>
      app.expectNoComplaints());
  });
});

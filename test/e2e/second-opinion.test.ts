import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { seriousFindings } from '../support/page/axe.ts';
import { dropFile } from '../support/page/drop-file.ts';
import { describeWith, sharedData } from '../support/requirements.ts';

describeWith(['chromium', 'sharedData'], 'TraceML’s summary', () => {
  let app: AppPage;
  const name = 'final_summary.json';
  let text = '';

  beforeAll(async () => {
    const path = join(sharedData, 'traceml/traceml_input_bound.final_summary.json');
    text = readFileSync(path, 'utf8');
    app = await openAppPage();
    await app.page.getByRole('row', { name: /Sample/ }).waitFor();
  });
  afterAll(() => app.close());

  const opinion = () => app.page.getByRole('region', { name: 'What TraceML says' });

  test('alone says that it goes beside a trace', async () => {
    await dropFile(app.page, name, text);
    const alert = app.page.getByRole('alert').getByText('open a trace of the same run first');
    await alert.waitFor();
  });

  test('dropped on a trace stands under its verdict, until it is closed', async () => {
    await app.page
      .getByRole('row', { name: /Sample/ })
      .getByRole('button')
      .first()
      .click();
    await app.page.getByRole('region', { name: 'Verdict' }).waitFor();
    await dropFile(app.page, name, text);
    await opinion().getByText('TraceML says INPUT-BOUND', { exact: true }).waitFor();
    await opinion().getByText('of another run').waitFor();
    await opinion().getByText('Figures of both').click();
    await opinion().getByRole('rowheader', { name: 'Waiting for input' }).waitFor();
    expect(
      await opinion()
        .getByRole('row', { name: /^Waiting for input/ })
        .innerText(),
    ).toContain('94.7');
    expect(await seriousFindings(app.page)).toEqual([]);
    // It is there again when the trace is.
    await app.page.getByRole('button', { name: /Library/ }).click();
    await app.page
      .getByRole('row', { name: /Sample/ })
      .getByRole('button')
      .first()
      .click();
    await opinion().getByText('TraceML says INPUT-BOUND', { exact: true }).waitFor();
    await opinion().getByRole('button', { name: 'Close' }).click();
    await opinion().waitFor({ state: 'detached' });
    app.expectNoComplaints();
  });

  test('that is damaged is refused in a sentence, and the trace stays', async () => {
    await dropFile(app.page, name, text.replace('"status": "INPUT-BOUND"', '"status": 7'));
    await app.page.getByRole('alert').getByText('is not a whole summary by TraceML').waitFor();
    await app.page.getByRole('region', { name: 'Verdict' }).waitFor();
  });
});

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

  const summary = (of: string) =>
    readFileSync(join(sharedData, `traceml/traceml_${of}.final_summary.json`), 'utf8');

  beforeAll(async () => {
    text = summary('input_bound');
    app = await openAppPage({ args: ['--root', sharedData] });
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
    await opinion().getByText('is of another run').waitFor();
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

  test.each([
    [
      'nw0_1623143089861',
      'input_bound',
      '2021-06-08T08:57:40Z',
      /^Stalltrace agrees$/,
      /INPUT-BOUND\. Waiting/,
    ],
    [
      'nw4_1623212756351',
      'fast',
      '2021-06-09T04:19:40Z',
      /^Stalltrace says otherwise$/,
      /Both may be right: /,
    ],
  ])('of the time of %s: its words stand beside ours', async (run, of, at, agreement, sentence) => {
    const { page } = app;
    await page
      .getByRole('button', { name: /Library/ })
      .first()
      .click();
    await page
      .getByLabel('Path on the machine')
      .fill(join(sharedData, `kineto/kineto_resnet50_${run}.pt.trace.json.gz`));
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Verdict' }).waitFor();
    await opinion().waitFor({ state: 'detached' });
    await dropFile(page, name, JSON.stringify({ ...JSON.parse(summary(of)), generated_at: at }));
    await opinion().getByText(agreement).waitFor();
    await opinion().getByRole('status').filter({ hasText: sentence }).waitFor();
    // The steps of these two are of other lengths.
    await opinion().getByRole('status').filter({ hasText: 'But a mean step takes' }).waitFor();
  });
});

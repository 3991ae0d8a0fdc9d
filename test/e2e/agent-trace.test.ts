import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cudart, query, runAgent, standIn } from '../support/agent/agent-run.ts';
import { root } from '../support/built.ts';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { openHowKnown } from '../support/page/how-known.ts';
import { openTimeline, type TimelinePage } from '../support/page/timeline-page.ts';
import { describeWith } from '../support/requirements.ts';

/** What a user sees of a recording that the agent has just made. */

const script = join(root, 'test/agent/jobs/dataloader.py');
const train = ['/usr/bin/python3', script, '--library', cudart, '--report', '/dev/null'];
const copies = '--features 65536 --batch 96 --items 960 --item-cpu-us 250'.split(' ');

function scratch(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'stalltrace-agent-trace-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

describeWith(['agent', 'bpf', 'torch', 'chromium'], 'a recording of a DataLoader', () => {
  const { folder, remove } = scratch();
  let file = '';
  let timeline: TimelinePage;

  beforeAll(async () => {
    // A rival on each CPU: somebody else holds what the job waits for.
    const rivals = [0, 1].map((cpu) => `${standIn('spin')} 100 ${cpu} rival-${cpu} &`).join(' ');
    const job = `taskset -c 0,1 ${[...train, ...copies].join(' ')} --workers 2; kill %1 %2`;
    const recording = await runAgent(['/bin/bash', '-c', `${rivals} ${job}`], {
      folder,
      args: ['--library', cudart],
    });
    expect(recording.code, recording.stderr).toBe(0);
    file = recording.file;
    timeline = await openTimeline(file);
  });
  afterAll(async () => {
    await timeline?.app.close();
    remove();
  });

  const panel = () => timeline.panel.innerText();

  test('says of the slowest copy where its time went, to the ns', async () => {
    const { page } = timeline;
    await page.keyboard.press('KeyN');
    await expect.poll(panel).toContain('cudaMemcpyAsync');
    await openHowKnown(page);
    await expect.poll(panel).toContain('Every switch of thread');
    expect(await panel()).toMatch(
      /^((Off|On) the CPU for [\d.]+ % of its time|Waited [\d.]+ .?s of [\d.]+ .?s for (a CPU|CPU \d+))/m,
    );
    // Mostly a rival; where other jobs want the CPUs too, its own workers may be all that ran meanwhile.
    expect(await panel()).toMatch(/Who ran instead.* · pid \d+/s);
    expect(await panel()).toContain('Every switch of thread');
    expect(await panel()).not.toContain('unexplained');
    const [call] = query(
      file,
      `SELECT max(duration_ns) AS ns FROM cuda_call JOIN name ON name.id = op_id
       WHERE name.text = 'cudaMemcpyAsync'`,
    );
    expect((await panel()).replaceAll(',', '')).toContain(String(call?.ns));
  });

  test('names the line of Python and the kind of memory', async () => {
    expect(await panel()).toContain('transfer_batch');
    expect(await panel()).toContain('pageable');
    expect(await panel()).toContain('As the GPU’s own record of the copy says');
    expect(await panel()).not.toContain('inferred from size and duration');
  });

  test('shows on the CPUs who held them meanwhile', async () => {
    const { page, filter } = timeline;
    await page.keyboard.press('Digit0');
    await filter.fill('name:rival');
    await expect.poll(() => timeline.rowNames()).toContainEqual(expect.stringMatching(/^CPU \d/));
    await page.keyboard.press('Escape');
    await filter.fill('');
  });

  test('counts the processes that are no part of the job, and shows them on demand', async () => {
    const { page } = timeline;
    await page.getByRole('tab', { name: 'Overview' }).click();
    const table = page.getByRole('table', { name: 'Processes with their roles' });
    const workers = table.getByRole('cell', { name: 'DataLoader worker', exact: true });
    await expect.poll(() => workers.count()).toBe(2);
    const rows = table.getByRole('row');
    const ofTheJob = await rows.count();
    const section = page.locator('section', { has: table });
    expect(await section.innerText()).toMatch(/\d process(es)? outside the job held a CPU/);
    await section.getByRole('button', { name: 'Show them' }).click();
    expect(await rows.count()).toBeGreaterThan(ofTheJob);
    await section.getByRole('button', { name: 'Leave them out' }).click();
    expect(await rows.count()).toBe(ofTheJob);
    await page.getByRole('tab', { name: 'Recording' }).click();
    expect(await page.getByRole('region', { name: /recorder could use/ }).innerText()).toMatch(
      /cuda_calls\s+yes/,
    );
    timeline.app.expectNoComplaints();
  });
});

describeWith(['agent', 'torch', 'chromium'], 'a recording without BPF', () => {
  const { folder, remove } = scratch();
  let app: AppPage;

  beforeAll(async () => {
    const recording = await runAgent([...train, '--workers', '2', '--item-cpu-us', '500'], {
      folder,
      args: ['--no-bpf', '--no-inside', '--pretend-missing', 'perf_switch'],
    });
    expect(recording.code, recording.stderr).toBe(0);
    app = await openAppPage({ args: [recording.file] });
  });
  afterAll(async () => {
    await app?.close();
    remove();
  });

  test('says that it is made of samples, and what is missing for it', async () => {
    const { page } = app;
    const text = () => page.locator('main').innerText();
    await expect.poll(text).toContain('without BPF');
    await expect
      .poll(text)
      .toMatch(/CUDA calls\s+not recorded\s+BPF was switched off for this capture \(--no-bpf\)/);
    const panel = page.getByRole('complementary', { name: 'Why slow' });
    await expect
      .poll(() => panel.innerText())
      .toContain('They were not recorded. BPF was switched off for this capture (--no-bpf).');
  });

  test('claims no exact duration of a state', async () => {
    const { page } = app;
    await page.getByRole('tab', { name: 'Timeline' }).click();
    // Its name may begin with the button that folds out the other threads.
    const row = page.getByRole('row', { name: /\bState\b/ }).first();
    await expect.poll(() => row.innerText()).toMatch(/sampled [\d.]+ ms/);
    await row.click();
    await page.keyboard.press('ArrowRight');
    const panel = page.getByRole('complementary', { name: 'Why slow' });
    await expect
      .poll(() => panel.innerText())
      .toMatch(/≈ [\d.]+ .?s, from samples every [\d.]+ ms/);
    expect(await panel.innerText()).toContain('This track is sampled every');
    app.expectNoComplaints();
  });
});

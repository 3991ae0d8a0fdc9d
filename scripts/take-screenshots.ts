// `npm run screenshots [-- FILE]`: every screen in both themes, four sizes and at 200 % zoom, into
// test/artifacts, to be looked at; the README's picture and docs/gallery. FILE is a trace to take instead of the sample.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { root } from '../test/support/built.ts';
import { type AppPage, openAppPage } from '../test/support/page/app-page.ts';

/** Width and height of the window, and the zoom of the page. */
const SIZES = [
  [900, 600, 1],
  [1280, 800, 1],
  [1920, 1080, 1],
  [2560, 1440, 1],
  [1280, 800, 2],
] as const;
const THEMES = ['light', 'dark'] as const;
const folder = join(root, 'test/artifacts/screenshots');
const file = process.argv[2];
/** The sample that users have, not that of the tests. */
const environment = { STALLTRACE_SAMPLE: '' };

async function openTrace({ page }: AppPage): Promise<void> {
  await page.getByRole('row', { name: /Sample/ }).waitFor();
  if (file === undefined) {
    await page.getByRole('button', { name: /^Sample/ }).click();
  } else {
    await page.getByLabel('Path on the machine').fill(resolve(file));
    await page.keyboard.press('Enter');
  }
  await page
    .getByRole('row', { name: /^CUDA / })
    .first()
    .waitFor();
}

async function takeAll(app: AppPage, label: string): Promise<void> {
  const { page } = app;
  const take = async (name: string) => {
    // Transitions end, and what is drawn later than the page is there.
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(folder, `${name}-${label}.png`) });
  };
  const listed = page.getByRole('row', { name: /Sample/ });
  await listed.waitFor();
  // It is read, and judged, once nothing else is to be done.
  await listed.getByText('INPUT-BOUND').waitFor();
  await take('library');
  await page.getByLabel('Path on the machine').fill('/nowhere/run.db');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').first().waitFor();
  await take('error');
  await openTrace(app);
  await page.getByRole('list', { name: 'Rows of the picture' }).waitFor();
  await take('overview');
  await page.getByRole('tab', { name: 'Recording' }).click();
  await take('recording');
  await page.getByRole('tab', { name: 'Processes' }).click();
  await page
    .getByRole('button', { name: /^Threads of pid/ })
    .first()
    .waitFor();
  await take('processes');
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await page
    .getByRole('row', { name: /CUDA calls/ })
    .first()
    .waitFor();
  await take('timeline');
  await page.keyboard.press('KeyN');
  await take('why-slow');
  await page.keyboard.press('KeyF');
  await page.keyboard.press('KeyS');
  await page.keyboard.press('KeyS');
  await take('why-slow-zoomed');
  await takeNotes(app, take);
  await takeFlame(app, take);
  await takeSql(app, take);
  await takeDialogs(app, take);
  await page.getByRole('button', { name: /Library/ }).click();
  await page.getByRole('row', { name: /Sample/ }).waitFor();
  await page.getByRole('searchbox').fill('worker');
  await take('library-search');
  await page.getByRole('searchbox').fill('nothing of this name');
  await take('library-nothing-found');
  await page.getByRole('button', { name: 'Capture from a GPU host…' }).click();
  await page.getByRole('button', { name: 'Connect to this machine' }).waitFor();
  await take('capture');
}

async function takeSql({ page }: AppPage, take: Take): Promise<void> {
  await page.getByRole('tab', { name: 'SQL' }).click();
  await page.getByRole('textbox', { name: 'SQL statement' }).waitFor();
  await take('sql-first');
  const tab = page.getByRole('tabpanel', { name: 'SQL' });
  await tab.getByRole('button', { name: 'CPU time of each role over time' }).click();
  await tab.getByRole('grid', { name: 'Result' }).waitFor();
  await take('sql-table');
  await tab.getByRole('button', { name: 'Chart' }).click();
  await take('sql-chart');
  await tab.getByRole('button', { name: 'Examples' }).click();
  await take('sql-examples');
  await page.keyboard.press('Escape');
}

type Take = (name: string) => Promise<void>;

async function takeNotes({ page }: AppPage, take: Take): Promise<void> {
  await page.keyboard.press('KeyR');
  await page.keyboard.press('KeyM');
  await page
    .getByLabel('Text of the note')
    .fill('**Waits for a CPU**: four workers, two CPUs.\n\n- try `num_workers=2`\n- see run 12');
  await take('note-editor');
  await page.keyboard.press('Control+Enter');
  await page.keyboard.press('KeyB');
  await take('timeline-notes');
  // Unread, it would be counted in the pictures that follow.
  await page.getByRole('button', { name: 'Dismiss' }).first().click();
  await page.getByRole('tab', { name: 'Notes' }).click();
  await take('notes');
}

async function takeFlame({ page }: AppPage, take: Take): Promise<void> {
  await page.getByRole('tab', { name: 'Flame' }).click();
  await take('flame-of-range');
  await page
    .getByRole('button', { name: 'Clear the range' })
    .click()
    .catch(() => undefined);
  for (const order of ['Time order', 'Left heavy']) {
    await page.getByRole('button', { name: order }).click();
    await take(`flame-${order.toLowerCase().replace(' ', '-')}`);
  }
  for (const _ of [1, 2, 3]) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('KeyC');
  await take('flame-sandwich');
}

async function takeDialogs({ page }: AppPage, take: Take): Promise<void> {
  const dialogs = [
    ['report', 'Control+KeyE'],
    ['palette', 'Control+KeyK'],
    ['settings', 'Control+Comma'],
    ['keys', 'Shift+Slash'],
  ] as const;
  for (const [name, keys] of dialogs) {
    await page.keyboard.press(keys);
    await page.getByRole('dialog').waitFor();
    await take(name);
    await page.keyboard.press('Escape');
  }
  for (const [name, entry] of [
    ['picture', /picture/],
    ['share-menu', undefined],
  ] as const) {
    await page.getByRole('button', { name: 'Share' }).click();
    if (entry !== undefined) await page.getByRole('menuitem', { name: entry }).click();
    await take(name);
    await page.keyboard.press('Escape');
  }
}

/** What the gallery shows: a screen, in which theme, and what it is. */
const GALLERY = [
  ['overview', 'dark', 'Overview: the answer, and the costliest time that it happened'],
  ['why-slow', 'dark', 'Timeline: the slowest copy, what tells of it, who had the CPU'],
  ['timeline', 'light', 'Timeline: all tracks'],
  ['flame-left-heavy', 'light', 'Flame: where the CPU time went, by role'],
  ['flame-sandwich', 'dark', 'Flame: callers and callees of one function'],
  ['sql-chart', 'dark', 'SQL: any question, its answer as a table or a chart'],
  ['library', 'light', 'Library: every investigation, offline'],
  ['notes', 'light', 'Notes: Markdown on a range or an event'],
  ['report', 'light', 'Report: to be pasted into an issue'],
  ['recording', 'dark', 'Recording: what was recorded, and how far it can be trusted'],
  ['palette', 'dark', 'Every command, by its name'],
] as const;

function writeGallery(): void {
  const gallery = join(root, 'docs/gallery');
  mkdirSync(gallery, { recursive: true });
  const parts = GALLERY.map(([name, theme, words]) => {
    const picture = `${name}-${theme}.png`;
    copyFileSync(join(folder, `${name}-${theme}-1280x800.png`), join(gallery, picture));
    return `## ${words}\n\n![${words}](gallery/${picture})`;
  });
  const begin =
    '# Gallery\n\nThe sample investigation in headless Chromium at 1280×800, taken by `npm run screenshots`.';
  writeFileSync(join(root, 'docs/gallery.md'), `${[begin, ...parts].join('\n\n')}\n`);
}

mkdirSync(folder, { recursive: true });
for (const [width, height, zoom] of SIZES) {
  for (const colorScheme of THEMES) {
    const args = file === undefined ? [] : ['--root', dirname(resolve(file))];
    const app = await openAppPage({ args, width, height, zoom, colorScheme, environment });
    await takeAll(app, `${colorScheme}-${width}x${height}${zoom === 1 ? '' : `-zoom-${zoom}`}`);
    await app.close();
  }
}
if (file === undefined) {
  mkdirSync(join(root, 'docs/images'), { recursive: true });
  copyFileSync(join(folder, 'overview-light-1280x800.png'), join(root, 'docs/images/overview.png'));
  copyFileSync(join(folder, 'why-slow-light-1280x800.png'), join(root, 'docs/images/timeline.png'));
  writeGallery();
}
console.log(`Screenshots are in ${folder}`);

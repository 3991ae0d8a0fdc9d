// `npm run screenshots [-- FILE]`: every screen in both themes and two sizes, into test/artifacts,
// to be looked at; and the README's picture. FILE is a trace to take instead of the sample.
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type AppPage, openAppPage } from '../test/support/app-page.ts';
import { root } from '../test/support/built.ts';

const SIZES = [
  [1280, 800],
  [2560, 1440],
] as const;
const THEMES = ['light', 'dark'] as const;
const folder = join(root, 'test/artifacts/screenshots');
const file = process.argv[2];

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
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(folder, `${name}-${label}.png`) });
  };
  await page.getByRole('row', { name: /Sample/ }).waitFor();
  await take('library');
  await page.getByLabel('Path on the machine').fill('/nowhere/run.db');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').first().waitFor();
  await take('error');
  await openTrace(app);
  await take('overview');
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
  await page.getByRole('tab', { name: 'Flame' }).click();
  await page.getByRole('group', { name: /^Flame graph/ }).waitFor();
  await page.keyboard.press('Digit0');
  await take('flame');
  await page.keyboard.press('KeyC');
  await take('flame-sandwich');
}

mkdirSync(folder, { recursive: true });
for (const [width, height] of SIZES) {
  for (const colorScheme of THEMES) {
    const args = file === undefined ? [] : ['--root', dirname(resolve(file))];
    const app = await openAppPage({ args, width, height, colorScheme });
    await takeAll(app, `${colorScheme}-${width}x${height}`);
    await app.close();
  }
}
if (file === undefined) {
  mkdirSync(join(root, 'docs/images'), { recursive: true });
  copyFileSync(join(folder, 'why-slow-light-1280x800.png'), join(root, 'docs/images/timeline.png'));
}
console.log(`Screenshots are in ${folder}`);

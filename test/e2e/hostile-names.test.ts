/// <reference lib="dom" />
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { archiveEntries, buildZip } from '../../src-main/archive/testing/build-zip.ts';
import { hostileNames, UNREADABLE } from '../fixtures/hostile/names.ts';
import { makeIngeroDatabase } from '../fixtures/ingero/make.ts';
import { type AppPage, openAppPage } from '../support/page/app-page.ts';
import { writeHostileTrace } from '../support/page/hostile-trace.ts';
import { nextFrame } from '../support/page/timeline-page.ts';
import { describeWith } from '../support/requirements.ts';

/** Those that are as long as a name is kept would be cut before their end. */
const names = Object.values(hostileNames).filter((name) => name.length < 1_000);
const EVENT = {
  table: 'cuda_call',
  row: 0,
  startNs: 0,
  durationNs: 1,
  label: names.join(' ').slice(0, 250),
};

/** A .stalltrace file in which every text is somebody's attempt: of the trace, its notes, its entry. */
function hostileArchive(folder: string, nth = 0): Buffer {
  const path = join(folder, `hostile${nth}.db`);
  // Each twice: nothing says that names of a file are different.
  writeHostileTrace(path, (at) => `${names[((at >> 1) + nth) % names.length] ?? ''} ${at >> 1}`);
  const notes = names
    .filter((text) => text.trim() !== '')
    .map((text, at) => ({
      id: `6f1f2f0e-7d0c-4a6b-9f43-${String(at).padStart(12, '0')}`,
      kind: 'note',
      text: text.toWellFormed(),
      startNs: at * 1e8,
      endNs: at * 1e8,
      createdAt: '2026-01-02T03:04:05.000Z',
      updatedAt: '2026-01-02T03:04:06.000Z',
      ...(at % 2 === 0 && { event: { ...EVENT, label: text.slice(0, 200) || 'x' } }),
    }));
  const investigation = {
    name: `<img src=x onerror="globalThis.pwned=${nth}"> \u202e\u001b[31m @team "' run ${nth}`,
    tags: ['<b onclick=1>', '\u202egpj.exe', '=1+1', '__proto__'],
    verdict: {
      kind: 'input-bound',
      text: '[x](javascript:globalThis.pwned=1) </script><svg onload=1>',
    },
  };
  const trace = readFileSync(path);
  return buildZip(archiveEntries({ trace, notes, manifest: { investigation } }));
}

/** What a name may never have made of the page: read in the page, all at once. */
interface Seen {
  readonly ran: unknown;
  readonly elements: readonly string[];
  readonly texts: readonly string[];
}

function lookAtPage(): Seen {
  const elements = [...document.querySelectorAll('body *')].flatMap((element) => {
    const name = element.localName;
    const made =
      /^(?:img|iframe|script|style|base|meta|link|object|embed|b|use|foreignobject)$/.test(name);
    const own = name === 'img' && /^(?:blob|data):/.test(element.getAttribute('src') ?? '');
    const attributes = element
      .getAttributeNames()
      .filter((each) => /^on|^(?:form)?action$/.test(each));
    const href = element.getAttribute('href') ?? '';
    const active = /^\s*(?:javascript|data|vbscript|file):|elsewhere/i.test(href);
    return (made && !own) || attributes.length > 0 || active
      ? [element.outerHTML.slice(0, 200)]
      : [];
  });
  const texts: string[] = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ALL);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    // What the user types is the user's own.
    if (node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement) continue;
    if (node instanceof Element) {
      for (const { name, value } of node.attributes)
        if (/^(?:title|alt|aria-.*|placeholder)$/.test(name)) texts.push(value);
    } else texts.push(node.textContent ?? '');
  }
  return { ran: Reflect.get(globalThis, 'pwned'), elements, texts };
}

describeWith(['chromium'], 'hostile names on every screen', () => {
  let app: AppPage;
  let folder: string;
  const elsewhere: string[] = [];
  const tab = (name: string) => app.page.getByRole('tab', { name });
  const dialog = () => app.page.getByRole('dialog').first();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stalltrace-names-'));
    writeFileSync(join(folder, 'sent\u202ebd.stalltrace'), hostileArchive(folder));
    app = await openAppPage({ args: ['--root', folder], width: 1600, height: 1000 });
    app.page.on('request', (request) => {
      const { protocol, port } = new URL(request.url());
      const isOwn = protocol === 'blob:' || protocol === 'data:' || port === String(app.host.port);
      if (!isOwn) elsewhere.push(request.url());
    });
    await app.page.getByLabel('Path on the machine').fill(join(folder, 'sent\u202ebd.stalltrace'));
    await app.page.keyboard.press('Enter');
    await tab('Overview').waitFor();
  });
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Nothing ran, nothing was loaded, nothing was made of a name, and all of it can be read. */
  async function expectPlain(): Promise<void> {
    const { ran, elements, texts } = await app.page.evaluate(lookAtPage);
    expect(ran).toBeUndefined();
    expect(elements).toEqual([]);
    expect(await app.page.title()).not.toBe('pwned');
    const lines = texts.flatMap((text) => text.split(/[\n\t]/));
    expect(
      lines
        .filter((line) => UNREADABLE.test(line))
        .map((line) => JSON.stringify(line.slice(0, 300))),
    ).toEqual([]);
    expect(elsewhere).toEqual([]);
  }
  afterEach(expectPlain);

  /** Moves over what is there, so that tooltips are shown; each is looked at. */
  async function hoverOver(place: string, across: number, down: number): Promise<void> {
    const box = await app.page.locator(place).first().boundingBox();
    if (box === null) throw new Error(`${place} is not on screen`);
    for (let step = 1; step < across * down; step++) {
      const [x, y] = [(step % across) + 0.5, Math.floor(step / across) + 0.5];
      await app.page.mouse.move(box.x + (x / across) * box.width, box.y + (y / down) * box.height);
    }
    await expectPlain();
  }

  test('the overview', async () => {
    await app.page.getByText('<script>globalThis.pwned').first().waitFor();
  });

  test('the timeline, its tooltips, its filter', async () => {
    await tab('Timeline').click();
    await app.page
      .getByRole('row', { name: /CUDA calls/ })
      .first()
      .waitFor();
    await hoverOver('.timeline .tracks', 8, 6);
    const filter = app.page.getByLabel('Filter tracks and events');
    for (const text of [
      `<img src=x onerror="globalThis.pwned=1">`,
      '(a+)+$ [ \\',
      '\u202e',
      '__proto__',
    ]) {
      await filter.fill(text);
      await expectPlain();
    }
    await filter.fill('');
  });

  test('why a call was slow', async () => {
    await app.page.keyboard.press('Escape');
    await app.page
      .getByRole('button', { name: /slowest/i })
      .first()
      .click();
    const panel = app.page.getByRole('complementary', { name: 'Why slow' });
    await expect.poll(() => panel.textContent()).toContain('ms');
    await app.page.getByRole('button', { name: 'Report…' }).waitFor();
  });

  test('the report, as GitHub shows it and as Markdown', async () => {
    await app.page.getByRole('button', { name: 'Report…' }).click();
    await dialog()
      .getByRole('region', { name: 'The report as GitHub shows it' })
      .getByRole('heading')
      .first()
      .waitFor();
    await dialog()
      .getByRole('checkbox', { name: /Hide host/ })
      .uncheck();
    await expect.poll(() => dialog().textContent()).toContain('Notes');
    await expectPlain();
    await app.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  test('the picture', async () => {
    await app.page.getByRole('button', { name: 'Share' }).click();
    await app.page.getByRole('menuitem', { name: /picture/ }).click();
    await dialog().getByRole('img').waitFor();
    await expect.poll(() => dialog().getByRole('status').innerText()).toContain('pixels');
    await expectPlain();
    const waiting = app.page.waitForEvent('download');
    await dialog().getByRole('button', { name: /^Save/ }).click();
    expect((await waiting).suggestedFilename()).toMatch(
      /^[\p{L}\p{N}. _-]+ timeline\.(?:svg|png)$/u,
    );
    await app.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  test('the flame graph, its search, its table', async () => {
    await tab('Flame').click();
    await app.page.getByRole('group', { name: /^Flame graph/ }).waitFor();
    await app.page.getByRole('group', { name: /^Flame graph/ }).focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowDown']) {
      await app.page.keyboard.press(key);
      await expectPlain();
    }
  });

  test('the processes and their threads', async () => {
    await tab('Processes').click();
    await app.page.getByRole('table', { name: 'What each process and thread did' }).waitFor();
    for (const button of await app.page.getByRole('button', { name: /^Threads of pid/ }).all())
      await button.click();
  });

  test('notes somebody sent', async () => {
    await tab('Notes').click();
    await app.page
      .getByRole('list', { name: 'Notes and bookmarks' })
      .getByRole('article')
      .first()
      .waitFor();
    // Only those in view are on the page.
    const scroller = app.page.getByRole('tabpanel', { name: 'Notes' }).locator('.scroller');
    const height = () => scroller.evaluate((element) => element.scrollHeight);
    for (let top = 0; top < (await height()); top += 400) {
      await scroller.evaluate((element, to) => element.scrollTo(0, to), top);
      await nextFrame(app.page);
      await nextFrame(app.page);
      await expectPlain();
    }
  });

  test('the palette and the settings', async () => {
    await app.page.keyboard.press('ControlOrMeta+KeyK');
    await dialog().waitFor();
    await app.page.keyboard.type('<img');
    // A name of the trace, with what was typed marked in it.
    const found = dialog().getByRole('option', { name: /<img src=x onerror/ });
    await found.first().waitFor();
    expect(await found.first().locator('mark').allTextContents()).toContain('<img');
    await expectPlain();
    for (const text of ['</script>', 'javascript:', '__proto__', '\ufffd']) {
      await dialog().getByRole('combobox').fill(text);
      await expectPlain();
    }
    await app.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await app.page.keyboard.press('ControlOrMeta+Comma');
    await dialog().waitFor();
    await expectPlain();
    await app.page.keyboard.press('Escape');
  });

  test('the library, its search, and a message', async () => {
    const { page } = app;
    await page
      .getByRole('button', { name: /Library/ })
      .first()
      .click();
    await page.getByRole('row', { name: /<img src=x/ }).waitFor();
    await expectPlain();
    for (const text of [
      '<img src=x',
      `'; DROP TABLE x; --`,
      'NEAR(a b) "',
      '\u202e',
      '__proto__',
    ]) {
      await page.getByRole('searchbox').first().fill(text);
      await expectPlain();
    }
    await page.getByRole('searchbox').first().fill('');
    await page
      .getByLabel('Path on the machine')
      .fill(join(folder, `<img src=x onerror="globalThis.pwned=1">\u202e\u009b.db`));
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'onerror' }).waitFor();
  });

  test('a file that stays where such a name put it', async () => {
    const { page } = app;
    const path = join(folder, `x\u202e\u009b<svg onload=1> 'y.db`);
    makeIngeroDatabase(path, '0.8.1');
    await page.getByLabel('Path on the machine').fill(path);
    await page.keyboard.press('Enter');
    await tab('Overview').waitFor();
    await expectPlain();
    await page
      .getByRole('button', { name: /Library/ })
      .first()
      .click();
    await page.getByRole('row', { name: /'y\.db/ }).waitFor();
    rmSync(path);
    await page.reload();
    await page.getByRole('row', { name: /'y\.db.*missing/ }).waitFor();
  });

  test('two such runs compared, several, and made one', async () => {
    const { page } = app;
    const library = async () => {
      await page
        .getByRole('button', { name: /Library/ })
        .first()
        .click();
      await row(/run 0/).waitFor();
    };
    const row = (name: RegExp) => page.getByRole('row', { name });
    /** When it was recorded: beside its name, which would open it, and its tags, which would narrow the list. */
    const moment = (name: RegExp) => row(name).getByRole('gridcell').nth(3);
    const pick = (...rows: readonly RegExp[]) =>
      rows.reduce(
        (before, name, at) =>
          before.then(() => moment(name).click({ modifiers: at === 0 ? [] : ['ControlOrMeta'] })),
        Promise.resolve(),
      );
    writeFileSync(join(folder, 'second.stalltrace'), hostileArchive(folder, 5));
    await page.getByLabel('Path on the machine').fill(join(folder, 'second.stalltrace'));
    await page.keyboard.press('Enter');
    await tab('Overview').waitFor();
    await library();
    await pick(/run 0/, /run 5/);
    await page.keyboard.press('c');
    await dialog().locator('.headline').waitFor();
    await dialog().getByRole('table', { name: 'What differs' }).waitFor();
    await expectPlain();
    const stacks = dialog().getByRole('button', { name: 'Compare the stacks' });
    await stacks.click();
    await dialog()
      .getByRole('group', { name: /arrow keys go from frame to frame/ })
      .waitFor();
    await expectPlain();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await pick(/run 0/, /run 5/, /Sample/);
    await page.keyboard.press('c');
    await dialog().getByRole('table', { name: 'Beside the first' }).waitFor();
    await expectPlain();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await pick(/run 0/, /run 5/);
    await moment(/run 5/).click({ button: 'right' });
    await page.getByRole('menuitem', { name: /^Open 2 as one run/ }).click();
    // Made one, or refused with both names: neither may make anything of them.
    await page.getByRole('alert').or(tab('Overview')).first().waitFor();
  });

  test('nothing of it made the page complain', () => app.expectNoComplaints());
});

import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLibraryClient } from '../services/library-client.ts';
import { FakeLibrary } from '../testing/fake-library.ts';
import { contextOf, fakePlatform } from '../testing/fake-platform.ts';
import { OpenTraces } from '../traces/open-traces.ts';
import { VerdictQueue } from './verdict-queue.ts';

let folder: string;
let library: FakeLibrary;
let fake: ReturnType<typeof fakePlatform>;
let traces: OpenTraces;
let verdicts: VerdictQueue;
let close: () => Promise<void>;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'verdicts-')));
  library = new FakeLibrary();
  fake = fakePlatform(library.handlers);
  const { platform } = fake;
  const client = createLibraryClient(platform, folder);
  const scratch = join(folder, 'scratch');
  traces = new OpenTraces(platform, scratch, () => undefined);
  const emit = () => verdicts.changed();
  verdicts = new VerdictQueue({ platform, library: client, traces, emit }, { scratch }, 2);
  close = async () => {
    await verdicts.close();
    await traces.closeAll();
    await client.close();
  };
});
afterEach(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

/** A listed file. */
function list(name: string): void {
  const path = join(folder, name);
  writeFileSync(path, name);
  const fixed = { format: 'x', sample: false, synthetic: false, processes: [] };
  library.put({ ...fixed, path, name, sizeBytes: name.length, storage: 'referenced' });
}

const found = () =>
  library
    .list()
    .filter((entry) => entry.found !== undefined)
    .map(({ name }) => name)
    .sort();

test('every entry has its verdict without being opened, one that comes later too', async () => {
  list('a.db');
  list('b.db');
  verdicts.begin();
  await expect.poll(found).toEqual(['a.db', 'b.db']);
  expect(library.list()[0]?.found).toMatchObject({ kind: 'unclear' });
  list('c.db');
  verdicts.changed();
  await expect.poll(found).toEqual(['a.db', 'b.db', 'c.db']);
  await expect.poll(() => fake.alive.size).toBe(0);
});

test('what is no trace keeps the others from nothing, and is not tried again', async () => {
  list('a.db');
  list('bad.db');
  verdicts.begin();
  await expect.poll(found).toEqual(['a.db']);
  verdicts.changed();
  list('b.db');
  verdicts.changed();
  await expect.poll(found).toEqual(['a.db', 'b.db']);
  await delay(40);
  expect(fake.opened()).toBe(2);
});

test('it gives way to an opening, and goes on after that', async () => {
  fake.reading.isEndless = true;
  list('a.db');
  verdicts.begin();
  await expect.poll(() => fake.reading.begun).toBe(1);
  expect(fake.alive.size).toBe(1);
  fake.reading.isEndless = false;
  const opening = traces.open(join(folder, 'a.db'), contextOf());
  expect(fake.alive.size).toBe(0);
  const opened = await opening;
  expect(opened.ok).toBe(true);
  await expect.poll(found).toEqual(['a.db']);
});

test('what is open is asked, not read a second time', async () => {
  list('a.db');
  const opened = await traces.open(join(folder, 'a.db'), contextOf());
  if (!opened.ok) throw new Error(opened.error.message);
  traces.refresh(opened.value.id, { investigation: library.list()[0]?.id });
  list('b.db');
  verdicts.begin();
  await expect.poll(found).toEqual(['a.db', 'b.db']);
  // b.db was read for its verdict, a.db when it was opened.
  expect(fake.opened()).toBe(2);
  expect(fake.alive.size).toBe(1);
});

test('nothing of it is left once the app ends', async () => {
  fake.reading.isEndless = true;
  list('a.db');
  verdicts.begin();
  await expect.poll(() => fake.reading.begun).toBe(1);
  await verdicts.close();
  expect(fake.alive.size).toBe(0);
  expect(found()).toEqual([]);
});

test('it does not begin by itself: a host that is about to end has nothing worked out', async () => {
  list('a.db');
  verdicts.changed();
  await delay(40);
  expect([fake.opened(), fake.alive.size]).toEqual([0, 0]);
});

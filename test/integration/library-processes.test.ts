import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NoteDraft } from '../../src-main/shared/library/note.ts';
import { answerOf } from '../support/fork-library.ts';
import {
  endLibraryProcesses,
  type LibraryProcess,
  startLibraryProcess,
} from '../support/library-process.ts';
import { describeWith } from '../support/requirements.ts';

/** One catalogue, several processes, and processes that die. */

/** More of them in `npm run soak`. */
const KILLS = process.env.STALLTRACE_SOAK === '1' ? 60 : 4;

let folder: string;
const library = () => join(folder, 'library.db');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'library-'));
});
afterEach(async () => {
  await endLibraryProcesses();
  rmSync(folder, { recursive: true, force: true });
});

function note(text: string): NoteDraft {
  return { id: crypto.randomUUID(), kind: 'note', text, startNs: 0, endNs: 0 };
}

/** SQLite's own check, which looks into the search index too. */
function expectSound(): void {
  const database = new DatabaseSync(library());
  const rows = database.prepare('PRAGMA integrity_check').all();
  expect(rows).toEqual([{ integrity_check: 'ok' }]);
  database.close();
}

describeWith(['notWindows'], 'Ctrl+C at the terminal that a process was started from', () => {
  test('is its host’s to answer', async () => {
    const process = startLibraryProcess(folder);
    await process.add('a');
    process.signal('SIGINT');
    expect(await process.names()).toEqual(['a']);
    process.signal('SIGINT');
    await process.disconnect();
  });
});

describe('processes that share a catalogue', () => {
  test('create it at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const data = join(folder, `${round}`);
      const all = [1, 2, 3, 4].map(() => startLibraryProcess(data));
      await Promise.all(all.map((one, index) => one.add(`trace ${index}`)));
      for (const one of all) expect(await one.names()).toHaveLength(4);
      await Promise.all(all.map((one) => one.kill()));
    }
  });

  test('write at the same time, and lose nothing', async () => {
    const WRITES = 150;
    const [one, other] = [startLibraryProcess(folder), startLibraryProcess(folder)];
    const { id } = await one.add('shared');
    async function writes(process: LibraryProcess, name: string): Promise<void> {
      for (let count = 0; count < WRITES; count++) {
        answerOf(await process.call('putNote', { id, note: note(`${name} ${count}`) }));
        if (count % 10 === 0) await process.add(`${name}${count}`);
        // The one writes what the other reads.
        if (count % 25 === 0) answerOf(await process.call('list', { search: 'o' }));
      }
    }
    await Promise.all([writes(one, 'one'), writes(other, 'other')]);
    for (const process of [one, other]) {
      const notes = answerOf(await process.call('notes', { id }));
      expect(new Set(notes.map(({ text }) => text)).size).toBe(2 * WRITES);
      expect(await process.names()).toHaveLength(1 + 2 * (WRITES / 10));
      expect(await process.names('other 149')).toEqual(['shared']);
    }
    expectSound();
  });

  test('hand out each removal once', async () => {
    const all = [1, 2, 3].map(() => startLibraryProcess(folder));
    const [first] = all;
    for (let count = 0; count < 30; count++) {
      const { id } = (await first?.add(`trace ${count}`)) ?? { id: 0 };
      answerOf((await first?.call('remove', { id, trashFile: true })) ?? neverStarted());
    }
    const due = await Promise.all(
      all.flatMap((one) => [1, 2, 3].map(() => one.call('takeDueRemovals', { graceMs: 0 }))),
    );
    const ids = due.flatMap((taken) => answerOf(taken).map(({ id }) => id));
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });
});

describe('a process that is killed', () => {
  test('in the middle of writes leaves every acknowledged one, and a sound file', async () => {
    const kept: string[] = [];
    let id = 0;
    for (let round = 0; round < 12; round++) {
      const process = startLibraryProcess(folder);
      if (id === 0) ({ id } = await process.add('trace'));
      const writers = [1, 2, 3].map(() => writeUntilItEnds(process, id, kept));
      // Busy for certain, then at another moment in each round.
      const enough = kept.length + 10;
      while (kept.length < enough) await delay(5);
      await delay(7 * round);
      await process.kill();
      await Promise.all(writers);
      expectSound();
      const again = startLibraryProcess(folder);
      const notes = answerOf(await again.call('notes', { id }));
      const texts = new Set(notes.map(({ text }) => text));
      expect(kept.filter((text) => !texts.has(text))).toEqual([]);
      await again.kill();
    }
    expect(kept.length).toBeGreaterThanOrEqual(120);
  });

  test('leaves a log that the next one reads, also in a copy of both files', async () => {
    const process = startLibraryProcess(folder);
    const { id } = await process.add('trace');
    answerOf(await process.call('putNote', { id, note: note('only in the log') }));
    await process.kill();
    expect(statSync(`${library()}-wal`).size).toBeGreaterThan(0);
    expect(readFileSync(library()).includes('only in the log')).toBe(false);
    const copy = mkdtempSync(join(folder, 'copy-'));
    for (const suffix of ['', '-wal']) {
      copyFileSync(library() + suffix, join(copy, `library.db${suffix}`));
    }
    for (const place of [folder, copy]) {
      expect(await startLibraryProcess(place).names('only log')).toEqual(['trace']);
    }
  });

  test('by its host’s end leaves one file', async () => {
    const process = startLibraryProcess(folder);
    await process.add('trace');
    await process.disconnect();
    expect(existsSync(`${library()}-wal`)).toBe(false);
    expect(await startLibraryProcess(folder).names()).toEqual(['trace']);
  });
});

describe('a process that is killed while it', () => {
  const backups = () => readdirSync(join(folder, 'backups')).filter((name) => name.endsWith('.db'));

  test('makes backups leaves whole ones only, and the next clears up', async () => {
    const first = startLibraryProcess(folder);
    const { id } = await first.add('trace');
    for (let count = 0; count < 30; count++) {
      answerOf(await first.call('putNote', { id, note: note(`${count} `.repeat(20_000)) }));
    }
    await first.kill();
    for (let round = 0; round < KILLS; round++) {
      const process = startLibraryProcess(folder);
      answerOf(await process.call('putNote', { id, note: note(`round ${round}`) }));
      const ended = process.call('end', {});
      await delay(4 * round);
      await process.kill();
      await ended;
      for (const name of backups()) expect(checkOf(join(folder, 'backups', name))).toBe('ok');
      expectSound();
    }
    const last = startLibraryProcess(folder);
    await last.add('more');
    answerOf(await last.call('end', {}));
    const left = readdirSync(join(folder, 'backups')).filter((name) => !name.endsWith('.db'));
    expect(left).toEqual([]);
    expect(backups().length).toBeGreaterThan(0);
  });

  test('restores one leaves the old library or the backup, whole', async () => {
    const first = startLibraryProcess(folder);
    await first.add('in the backup');
    answerOf(await first.call('end', {}));
    await first.disconnect();
    const name = (backups().at(-1) ?? '').slice('library-'.length, -'.db'.length);
    for (let round = 0; round < KILLS; round++) {
      const process = startLibraryProcess(folder);
      await process.add(`later ${round}`);
      const restored = process.call('restoreBackup', { name });
      await delay(round);
      await process.kill();
      await restored;
      const again = startLibraryProcess(folder);
      const names = await again.names();
      expect(names).toContain('in the backup');
      expect([1, 2]).toContain(
        names.filter((one) => !/^later/.test(one) || one === `later ${round}`).length,
      );
      expect(answerOf(await again.call('health', {})).state).toBe('ok');
      await again.kill();
      expectSound();
    }
  });
});

/** SQLite's own word on a file that nobody has open. */
function checkOf(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return Object.values(database.prepare('PRAGMA integrity_check').get() ?? {})[0];
  } finally {
    database.close();
  }
}

/** Adds to `kept` what the process said it has written. */
async function writeUntilItEnds(
  process: LibraryProcess,
  id: number,
  kept: string[],
): Promise<void> {
  for (let count = 0; ; count++) {
    const draft = note(`${crypto.randomUUID()} ${'x'.repeat((count * 997) % 20_000)}`);
    const written = await process.call('putNote', { id, note: draft });
    if (written.ok) kept.push(draft.text);
    else {
      expect(written.error.code).toBe('disconnected');
      return;
    }
  }
}

function neverStarted(): never {
  throw new Error('no process was started');
}

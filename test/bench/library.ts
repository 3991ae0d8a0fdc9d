import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { formatCount } from '../../src-main/shared/text/units.ts';
import { answerOf, forkLibrary } from '../support/fork-library.ts';
import { median } from '../support/median.ts';

/**
 * List and search of a catalogue of 5,000 entries with 20,000 notes, as a host sees them: asked of
 * the process of the build, with the state of every file. Peer of the search: SQLite's LIKE over the
 * notes' text alone, in this process, without files and messages. Medians.
 */

const ENTRIES = 5_000;
const NOTES_EACH = 4;
const RUNS = 11;
const WORDS =
  'allocator page fault worker pinned transfer kernel queue stall cache loader batch stream wait'.split(
    ' ',
  );

const folder = mkdtempSync(join(tmpdir(), 'stalltrace-bench-'));
const { child, client } = forkLibrary(join(folder, 'data'));

/** The same words in every run, rare ones among them. */
function sentence(seed: number, length: number): string {
  const words = Array.from(
    { length },
    (_, index) => WORDS[(seed * 7 + index * index) % WORDS.length],
  );
  return `${words.join(' ')} run${seed}`;
}

async function fill(): Promise<void> {
  mkdirSync(join(folder, 'files'));
  for (let index = 0; index < ENTRIES; index++) {
    const path = join(folder, 'files', `trace-${index}.db`);
    writeFileSync(path, '');
    const entry = {
      path,
      name: `trace-${index}.db`,
      format: 'Ingero',
      sizeBytes: 0,
      sample: false,
      synthetic: false,
      storage: 'referenced' as const,
      processes: ['python3', 'pt_data_worker', `rank${index}`],
    };
    const { id } = answerOf(await client.call('put', { entry })).investigation;
    answerOf(await client.call('change', { id, tags: [`tag${index % 40}`, 'cluster'] }));
    const time = new Date().toISOString();
    const notes = Array.from({ length: NOTES_EACH }, (_, count) => ({
      id: crypto.randomUUID(),
      kind: 'note' as const,
      text: sentence(index * NOTES_EACH + count, 60),
      startNs: count,
      endNs: count,
      createdAt: time,
      updatedAt: time,
    }));
    answerOf(await client.call('addNotes', { id, notes }));
  }
}

async function medianMs(action: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now();
    await action();
    times.push(performance.now() - start);
  }
  return median(times);
}

async function measure(): Promise<void> {
  const listed = await medianMs(async () => answerOf(await client.call('list', {})));
  console.log(`list ${formatCount(ENTRIES)} entries: ${listed.toFixed(0)} ms`);
  const peer = new DatabaseSync(join(folder, 'data', 'library.db'), { readOnly: true });
  const like = peer.prepare('SELECT DISTINCT investigation FROM note WHERE text LIKE ?');
  for (const search of ['run1777', 'run17', 'alloc', 'a', 'alloc stall tag7', 'rank12']) {
    const found = answerOf(await client.call('list', { search })).length;
    const ours = await medianMs(async () => answerOf(await client.call('list', { search })));
    const theirs = await medianMs(() => search.split(' ').map((word) => like.all(`%${word}%`)));
    console.log(
      `search “${search}” (${found} found): ${ours.toFixed(1)} ms; LIKE: ${theirs.toFixed(1)} ms; ratio ${(ours / theirs).toFixed(2)}`,
    );
  }
  peer.close();
}

try {
  await fill();
  await measure();
} finally {
  child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
}

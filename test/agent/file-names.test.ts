import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectWhole, record, scratchFolder } from '../support/agent/agent.ts';
import { query, type RunOptions } from '../support/agent/agent-run.ts';
import { root } from '../support/built.ts';
import { describeWith } from '../support/requirements.ts';

/** Files that threads wait on have their own names, whatever their number stood for a moment before, or without any. */

/** As the job has it. */
const NUMBER = 100;

interface Wait {
  readonly file: string;
  /** CLOCK_MONOTONIC. */
  readonly startNs: number;
  readonly endNs: number;
}

type Meanwhile = NonNullable<RunOptions['meanwhile']>;

/** Lets the job go on once the agent has read waits for each of the two named pipes. */
function seeBoth(folder: string): Meanwhile {
  return async ({ said, events }) => {
    for (const name of ['a', 'b']) {
      await expect.poll(() => existsSync(join(folder, `waits-${name}`))).toBe(true);
      const before = events().filter(({ event }) => event === 'progress').length;
      // The first of them may have been under way; before the second all records were read.
      await said('progress', /^/, before + 2);
      writeFileSync(join(folder, `seen-${name}`), '');
    }
  };
}

/** Names in the trace of what was waited for from `startNs` to `endNs` by that number. */
function tracedNames(file: string, { startNs, endNs }: Wait): readonly unknown[] {
  return query(
    file,
    `SELECT name.text AS name FROM off_cpu JOIN meta ON meta.key = 'begin_monotonic_ns'
       LEFT JOIN name ON name.id = file_id
     WHERE state > 0 AND syscall_arg0 = ${NUMBER}
       AND off_cpu.start_ns + meta.value BETWEEN ${startNs} AND ${endNs}`,
  ).map(({ name }) => name);
}

/** Lets the job unmap its file once the agent has read what it waited for. */
function seePages(folder: string): Meanwhile {
  return async ({ said, events }) => {
    await expect.poll(() => existsSync(join(folder, 'touched'))).toBe(true);
    const before = events().filter(({ event }) => event === 'progress').length;
    await said('progress', /^/, before + 2);
    writeFileSync(join(folder, 'seen'), '');
  };
}

interface Touched extends Wait {
  readonly majorFaults: number;
}

describeWith(['agent', 'bpf'], 'the file of a wait', () => {
  test('is the one that is mapped, where a thread touched memory that is on the disk', async () => {
    const folder = scratchFolder();
    const job = ['/usr/bin/python3', join(root, 'test/agent/jobs/touched_pages.py'), folder];
    const recording = await record(job, { folder, meanwhile: seePages(folder) });
    expectWhole(recording);
    const { file, startNs, endNs, majorFaults } = recording.report() as unknown as Touched;
    expect(majorFaults).toBeGreaterThan(0);
    const waits = query(
      recording.file,
      `SELECT name.text AS name FROM off_cpu JOIN meta ON meta.key = 'begin_monotonic_ns'
         LEFT JOIN name ON name.id = file_id
       WHERE io_wait = 1 AND syscall IS NULL
         AND off_cpu.start_ns + meta.value BETWEEN ${startNs} AND ${endNs}`,
    );
    const own = waits.filter(({ name }) => name === file || String(name).startsWith(`${file} (`));
    expect(own.length).toBeGreaterThan(0);
    // The interpreter’s own pages may have been dropped, on a machine that is short of memory.
    expect(own.length).toBeGreaterThanOrEqual(0.9 * waits.length);
  });

  test('is the one it waited for, though its number stood for another just before', async () => {
    const folder = scratchFolder();
    const job = ['/usr/bin/python3', join(root, 'test/agent/jobs/reused_number.py'), folder];
    const recording = await record(job, { folder, meanwhile: seeBoth(folder) });
    expectWhole(recording);
    const { waits } = recording.report() as { readonly waits: readonly Wait[] };
    const traced = Map.groupBy(waits, ({ file }) => file);
    expect([...traced.keys()]).toEqual(['a', 'b', 'pipe', 'socket', 'eventfd']);
    for (const [file, own] of traced) {
      const names = own.flatMap((wait) => tracedNames(recording.file, wait));
      const path = `${join(folder, file)} (named pipe)`;
      const expected = file.length === 1 ? path : file;
      // A wait that was over before it began has no row.
      expect(names.length, file).toBeGreaterThan(0);
      expect([...new Set(names)], file).toEqual([expected]);
    }
  });
});

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Trace } from '../../shared/model/trace.ts';
import { freeBytesIn, SPARE_BYTES } from '../../system/disk-room.ts';
import { makeFolder } from '../../system/make-folder.ts';
import { sidecarSuffixes } from '../sqlite/private-copy.ts';
import { readAnswerFile, writeAnswerFile } from './answer-file.ts';
import { readCacheFile, sourceOfCacheFile, writeCacheFile } from './cache-file.ts';
import { contentHash } from './content-hash.ts';

/** All files of the cache together. */
const MOST_BYTES = 4 * 2 ** 30;
/** A smaller file is read again as fast. */
const LEAST_SOURCE_BYTES = 4 * 2 ** 20;
/** A part that nobody has written to for so long is of a process that was ended. */
const STALE_PART_MS = 3_600_000;
const KEPT = '.columns';
const ANSWER = '.answer';

/** The traces of one folder that were read before, and what was worked out of them. `program`: what tells this build from others. */
export class TraceCache {
  readonly #folder: string;
  /** Stands in the names of what this program keeps. */
  readonly #program: string;
  readonly #mostBytes: number;

  constructor(folder: string, program: string, mostBytes = MOST_BYTES) {
    this.#folder = folder;
    this.#program = createHash('sha256').update(program).digest('hex').slice(0, 16);
    this.#mostBytes = mostBytes;
  }

  /** Whether a trace of the file at `path` is ever kept: not where it is small, its log lies beside it, or it can't be read. */
  keeps(path: string): boolean {
    return keptSize(path) !== undefined;
  }

  /** Whether something is kept of a file as long as the one at `path`: only then its bytes are worth a look before it is read. */
  mayHave(path: string): boolean {
    const size = keptSize(path);
    if (size === undefined || !existsSync(this.#folder)) return false;
    const begin = lengthName(size);
    return readdirSync(this.#folder).some(
      (name) => name.startsWith(begin) && name.includes(this.#program),
    );
  }

  /** Under which name a trace of the file at `path` is kept, as the file is now; undefined where it never is. Reads all of the file. */
  async nameOf(path: string): Promise<string | undefined> {
    const size = keptSize(path);
    if (size === undefined) return undefined;
    try {
      return `${lengthName(size)}${await contentHash(path)}-${this.#program}${KEPT}`;
    } catch {
      return undefined;
    }
  }

  /** The trace kept as `name`. What is damaged is removed. */
  read(name: string): Promise<Trace | undefined> {
    return this.#read(name, readCacheFile);
  }

  /** Whether a trace is kept as `name`, whole or damaged. */
  has(name: string): boolean {
    return existsSync(join(this.#folder, name));
  }

  /** What was answered to `question` about the trace kept as `name`; undefined where that is not kept. */
  async answer(name: string, question: string): Promise<unknown> {
    return (await this.#read(answerName(name, question), readAnswerFile))?.answer;
  }

  /** Keeps what was answered to `question` about that trace, which was read from the file at `source`. */
  async keepAnswer(name: string, source: string, question: string, answer: unknown): Promise<void> {
    try {
      await makeFolder(this.#folder);
      if ((await freeBytesIn(this.#folder)) < SPARE_BYTES) return;
      await writeAnswerFile(join(this.#folder, answerName(name, question)), { source, answer });
      await this.#limit(this.#mostBytes);
    } catch (thrown) {
      // It is worked out again next time: nothing else is lost.
      console.error(`An answer could not be kept for the next time: ${String(thrown)}`);
    }
  }

  async #read<Value>(
    name: string,
    read: (path: string) => Promise<Value> | Value,
  ): Promise<Value | undefined> {
    const path = join(this.#folder, name);
    if (!existsSync(path)) return undefined;
    try {
      const value = await read(path);
      const now = new Date();
      if (value === undefined) rmSync(path, { force: true });
      else utimesSync(path, now, now);
      return value;
    } catch (thrown) {
      console.error(`What was kept of a trace could not be read: ${String(thrown)}`);
      return undefined;
    }
  }

  /** Keeps `trace`, read from the file at `source`, where there is room for it. */
  async keep(name: string, source: string, trace: Trace): Promise<void> {
    try {
      await makeFolder(this.#folder);
      const bytes = bytesOf(trace);
      const room = (await freeBytesIn(this.#folder)) - SPARE_BYTES;
      if (bytes > this.#mostBytes || bytes > room) return;
      await this.#limit(this.#mostBytes - bytes);
      await writeCacheFile(join(this.#folder, name), source, trace);
    } catch (thrown) {
      // Opening it takes longer next time: nothing else is lost.
      console.error(`A trace could not be kept for the next time: ${String(thrown)}`);
    }
  }

  /** Removes those not used for longest, until the others take `bytes` at most. */
  async #limit(bytes: number): Promise<void> {
    const files = await Promise.all(
      (await filesIn(this.#folder)).map(async (path) => ({ path, ...(await sizeAndTime(path)) })),
    );
    let left = bytes;
    for (const { path, size, usedMs } of files.toSorted((a, b) => b.usedMs - a.usedMs)) {
      const isStale = path.endsWith('.part') && Date.now() - usedMs > STALE_PART_MS;
      left -= size;
      if (left < 0 || isStale) await rm(path, { force: true });
    }
  }
}

/** Removes what `folder` keeps of the file at `source`. */
export async function forgetKept(folder: string | undefined, source: string): Promise<void> {
  if (folder === undefined) return;
  for (const path of await filesIn(folder))
    if (sourceOf(path) === source) await rm(path, { force: true });
}

function answerName(name: string, question: string): string {
  const digest = createHash('sha256').update(question).digest('hex').slice(0, 16);
  return `${name.slice(0, -KEPT.length)}-${digest}${ANSWER}`;
}

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const own = names.filter((name) => [KEPT, ANSWER, '.part'].some((end) => name.endsWith(end)));
  return own.map((name) => join(folder, name));
}

function sourceOf(path: string): string | undefined {
  try {
    if (path.endsWith(ANSWER)) return readAnswerFile(path)?.source;
    return path.endsWith(KEPT) ? sourceOfCacheFile(path) : undefined;
  } catch {
    return undefined;
  }
}

/** One that another process has removed meanwhile takes nothing. */
async function sizeAndTime(path: string): Promise<{ size: number; usedMs: number }> {
  const found = await stat(path).catch(() => undefined);
  return { size: found?.size ?? 0, usedMs: found?.mtimeMs ?? 0 };
}

/** Names begin so, so that a file of another length is told without reading it. */
const lengthName = (size: number) => `${size.toString(36)}-`;

/** The length of the file at `path`, where traces of it are kept. */
function keptSize(path: string): number | undefined {
  try {
    const { size } = statSync(path);
    return size < LEAST_SOURCE_BYTES || hasLog(path) ? undefined : size;
  } catch {
    return undefined;
  }
}

function hasLog(path: string): boolean {
  return sidecarSuffixes.some((suffix) => {
    const log = statSync(path + suffix, { throwIfNoEntry: false });
    return log !== undefined && log.size > 0;
  });
}

function bytesOf({ tables }: Trace): number {
  const columns = Object.values(tables).flatMap((table) => Object.values(table.columns));
  return columns.reduce((sum, column) => sum + (column as Uint8Array).byteLength, 0);
}

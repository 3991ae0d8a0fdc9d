import { createHash, randomUUID } from 'node:crypto';
import { open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { parseJson } from '../../shared/text/parse-json.ts';
import { errnoOf } from '../../system/errno.ts';
import { makeFolder } from '../../system/make-folder.ts';
import { hasEnded, processIdentity, processIdentityOf } from '../../system/process-identity.ts';
import { type StateError, unwritable } from './state-file.ts';

/** A lock without words: its owner writes them at once, unless it died in between. */
const WRITTEN_WITHIN_MS = 10_000;

export interface RunLock {
  release(): Promise<void>;
}

/**
 * Takes a run in hand, alone among all processes that share the data folder: `lock` in the run's
 * `folder` names the owner. That of a process which has ended is taken over.
 */
export async function lockRun(folder: string): Promise<Result<RunLock, 'run-busy' | StateError>> {
  const path = join(folder, 'lock');
  const text = JSON.stringify({ ...processIdentityOf(), nonce: randomUUID() });
  try {
    await makeFolder(folder);
    if (!(await take(path, text))) return busy();
    return ok({ release: () => release(path, text) });
  } catch (thrown) {
    return unwritable(path, thrown);
  }
}

export function busy(): Result<never, 'run-busy'> {
  return fail(
    'run-busy',
    'Another Stalltrace window, or its command line, is using this capture: continue there, or close it first.',
  );
}

/** Once more after a stale one was removed; whoever is faster then has it. */
async function take(path: string, text: string): Promise<boolean> {
  return (await create(path, text)) || ((await removeStale(path, text)) && create(path, text));
}

async function create(path: string, text: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    return true;
  } catch (thrown) {
    if (errnoOf(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}

/**
 * Whether nothing stands in the way any more. What a process left behind is removed by whoever holds the
 * lock of just that, so that nobody removes what another has put in its place meanwhile. One of those who
 * die over it leaves a lock like any other.
 */
async function removeStale(path: string, ownText: string): Promise<boolean> {
  const text = await textOf(path);
  if (text === undefined) return true;
  if (!(await isStale(path, text))) return false;
  const guard = `${path}.${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
  if (!(await take(guard, ownText))) return false;
  try {
    const isStillThere = (await textOf(path)) === text;
    if (isStillThere) await rm(path, { force: true });
    return isStillThere;
  } finally {
    await rm(guard, { force: true });
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

async function isStale(path: string, text: string): Promise<boolean> {
  const owner = processIdentity.loose().safeParse(parseJson(text));
  if (owner.success) return hasEnded(owner.data);
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > WRITTEN_WITHIN_MS;
}

async function release(path: string, text: string): Promise<void> {
  const now = await textOf(path).catch(() => undefined);
  if (now === text) await rm(path, { force: true });
}

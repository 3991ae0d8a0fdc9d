import { readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { z } from 'zod';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';
import { parseJson } from '../../shared/text/parse-json.ts';
import { errnoOf } from '../../system/errno.ts';
import { flushFolder } from '../../system/flush-folder.ts';
import { replaceFile } from '../../system/replace-file.ts';

export type StateError = 'state-unwritable';

/** No file of ours comes near; what does is damaged. */
const LARGEST_BYTES = 16 * 1024 ** 2;

/**
 * Replaces a small file of ours as a whole or not at all: 0600, in a folder 0700 that is made, on the
 * disk when this returns.
 */
export async function writeState(path: string, value: unknown): Promise<Result<null, StateError>> {
  try {
    await replaceFile(path, `${JSON.stringify(value, null, 2)}\n`);
    await flushFolder(dirname(path));
    return ok(null);
  } catch (thrown) {
    return unwritable(path, thrown);
  }
}

/**
 * What a file of ours holds; undefined where there is none, or where it is damaged: that one is set
 * aside as `‹path›.damaged`, for whoever wants to look.
 */
export async function readState<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const text = await readText(path);
  if (text === undefined) return undefined;
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  await rename(path, `${path}.damaged`).catch(() => undefined);
  return undefined;
}

/** The sentence for a folder of ours that can't be written. */
export function unwritable(path: string, thrown: unknown): Result<never, StateError> {
  const full = ['ENOSPC', 'EDQUOT'].includes(errnoOf(thrown));
  const message = full
    ? `There is no room for ${path}: free disk space on this machine, then try again.`
    : `${path} can't be written: check its permissions and the disk it is on, then try again.`;
  return fail('state-unwritable', message, describeThrown(thrown));
}

async function readText(path: string): Promise<string | undefined> {
  try {
    const text = await readFile(path, 'utf8');
    return text.length > LARGEST_BYTES ? '' : text;
  } catch {
    // One that can't be read is left as it is: nothing is known of it.
    return undefined;
  }
}

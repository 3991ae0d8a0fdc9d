import { isAbsolute } from 'node:path';
import type { WrittenFile } from '../../shared/contract/archive-calls.ts';
import type { HostPlatform } from '../../shared/platform.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { realPath } from '../../system/real-path.ts';
import { checkTarget } from '../../system/write-file.ts';
import { allowedPath } from './allowed-path.ts';

/** Asks the user where a file is to be written, and has it written there; `null` = changed their mind. */
export async function saveWhereChosen<Code extends string>(
  { chooseSavePath }: HostPlatform,
  suggestedName: string,
  write: (path: string) => Promise<Result<WrittenFile, Code>>,
): Promise<Result<WrittenFile | null, Code | 'no-dialog'>> {
  if (chooseSavePath === undefined)
    return fail('no-dialog', 'This host has no file dialog: download the file in the browser.');
  const path = await chooseSavePath(suggestedName);
  return path === null ? ok(null) : write(path);
}

/** Where a file is written, its links resolved, if it may be. */
export async function checkSaving(
  platform: HostPlatform,
  path: string,
  overwrite: boolean,
): Promise<Result<string, 'file-unwritable' | 'path-not-allowed' | 'file-exists' | 'disk-full'>> {
  if (!isAbsolute(path)) {
    return fail('file-unwritable', `${path} does not say in which folder: give the whole path.`);
  }
  const allowed = await allowedPath(platform, path);
  if (!allowed.ok) return allowed;
  const free = await checkTarget(allowed.value, overwrite);
  return free.ok ? allowed : free;
}

/** Why a file is not written where the trace is that it is made of; undefined where it is elsewhere. */
export async function refuseTrace(
  target: string,
  tracePath: string,
): Promise<Result<never, 'file-unwritable'> | undefined> {
  if ((await realPath(tracePath)) !== target) return undefined;
  return fail('file-unwritable', `${target} is the trace itself: choose another name.`);
}

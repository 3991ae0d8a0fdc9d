import { realpath } from 'node:fs/promises';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { realPath } from '../../system/real-path.ts';
import { checkTarget } from '../../system/write-file.ts';

/**
 * Before a large file is read for nothing: whether each output may be written, and is not the input.
 * `-` is stdout.
 */
export async function checkOutputs(
  file: string,
  outputs: readonly (string | undefined)[],
  force: boolean,
): Promise<Result<null>> {
  const input = await realpath(file).catch(() => file);
  const targets = new Set<string>();
  for (const output of outputs) {
    if (output === undefined || output === '-') continue;
    const target = await realPath(output);
    if (target === input || targets.has(target)) {
      const what = target === input ? 'the file to export from' : 'named twice';
      return fail('file-unwritable', `${target} is ${what}: choose another name.`);
    }
    targets.add(target);
    const free = await checkTarget(target, force);
    if (!free.ok) return free.error.code === 'file-exists' ? existing(target) : free;
  }
  return ok(null);
}

function existing(path: string): Result<never> {
  return fail('file-exists', `${path} exists already: choose another name, or add --force.`);
}

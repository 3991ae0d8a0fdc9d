import { open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import { makeFolder } from '../../system/make-folder.ts';
import { replaceFile } from '../../system/replace-file.ts';
import { readPlainFile } from '../config/read-plain-file.ts';
import { fingerprintOf } from './host-key.ts';
import { type KnownHostsLine, namesHost, parseKnownHosts, writtenName } from './known-hosts.ts';

/**
 * The app's own known_hosts. The user's files are never written, so a key that takes the place of one in
 * them is written here, with the fingerprints of those it replaces as its comment:
 *
 *     [gpu]:2222 ssh-ed25519 AAAA… replaces:SHA256:…,SHA256:…
 *
 * Those keys, and only those, count no more for that host, wherever they stand; a key that the user's
 * files gain later counts as always. `@revoked` lines hold whatever is replaced.
 */

const REPLACES = 'replaces:';
const LARGEST_FILE = 8 * 1024 ** 2;

/** The fingerprints that a line of ours says are replaced. */
export function replacedBy(line: KnownHostsLine): readonly string[] {
  const word = line.comment.split(/\s+/).find((part) => part.startsWith(REPLACES));
  return word === undefined ? [] : word.slice(REPLACES.length).split(',');
}

/** A known_hosts file's text; empty where it is missing, is none, or is too large to be one. */
export async function readKnownHosts(path: string): Promise<string> {
  try {
    return (await readPlainFile(path, LARGEST_FILE))?.toString('utf8') ?? '';
  } catch {
    return '';
  }
}

interface NewKey {
  /** As looked up: `host`, `[host]:port`, or an alias. */
  readonly name: string;
  readonly type: string;
  readonly blob: Buffer;
}

/** Adds a line at the end. */
export async function appendKey(
  path: string,
  key: NewKey,
): Promise<Result<null, 'state-unwritable'>> {
  return guarded(path, async () => {
    const before = await readFile(path, 'utf8').catch(() => '');
    const begin = before === '' || before.endsWith('\n') ? '' : '\n';
    const file = await open(path, 'a', 0o600);
    try {
      await file.writeFile(`${begin}${formatLine(key, [])}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  });
}

/** Writes a key in the place of ours for that host; `replaced` are the fingerprints it replaces elsewhere. */
export async function replaceKey(
  path: string,
  key: NewKey,
  replaced: readonly string[],
): Promise<Result<null, 'state-unwritable'>> {
  return guarded(path, async () => {
    const text = await readFile(path, 'utf8').catch(() => '');
    const dropped = new Set<number>();
    const before = new Set(replaced);
    for (const line of parseKnownHosts(text)) {
      if (line.marker !== undefined || !namesHost(line, key.name)) continue;
      for (const fingerprint of [fingerprintOf(line.blob), ...replacedBy(line)])
        before.add(fingerprint);
      // A line of several names is the work of a person: it stays, and its key counts as replaced.
      if (!/[,*?]/.test(line.names)) dropped.add(line.line);
    }
    before.delete(fingerprintOf(key.blob));
    const kept = text.split('\n').filter((line, index) => line !== '' && !dropped.has(index + 1));
    await replaceFile(path, `${[...kept, formatLine(key, [...before])].join('\n')}\n`);
  });
}

function formatLine({ name, type, blob }: NewKey, replaced: readonly string[]): string {
  const comment = replaced.length === 0 ? '' : ` ${REPLACES}${replaced.join(',')}`;
  return `${writtenName(name)} ${type} ${blob.toString('base64')}${comment}`;
}

async function guarded(
  path: string,
  write: () => Promise<void>,
): Promise<Result<null, 'state-unwritable'>> {
  try {
    await makeFolder(dirname(path));
    await write();
    return ok(null);
  } catch (error) {
    return fail(
      'state-unwritable',
      `The host's key can't be written to ${cleanText(path)}: check the folder's permissions and the disk it is on, then try again.`,
      describeThrown(error),
    );
  }
}

import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ResolvedHost } from '../config/resolved-host.ts';
import { fingerprintOf } from './host-key.ts';
import { namesHost, parseKnownHosts } from './known-hosts.ts';
import { readKnownHosts, replacedBy } from './own-known-hosts.ts';

/**
 * The known_hosts files that the system's ssh is to check a host by: ours, the user's and the machine's. It
 * knows nothing of keys that were replaced, so where one of those stands in a file, it gets a copy without
 * that line, made by `copyPath`.
 */
export async function knownHostsForSsh(
  ownFile: string,
  host: ResolvedHost,
  copyPath: (name: string) => string,
): Promise<readonly string[]> {
  const name = host.keyName.toLowerCase();
  const bare = /^\[(.+)\]:\d+$/.exec(name)?.[1] ?? name;
  const ours = parseKnownHosts(await readKnownHosts(ownFile)).filter((line) =>
    namesHost(line, name),
  );
  const replaced = new Set(ours.flatMap(replacedBy));
  const files = [ownFile, ...host.knownHostsFiles];
  if (replaced.size === 0) return files;
  return Promise.all(
    files.map(async (file, index) => {
      const text = await readKnownHosts(file);
      const dropped = parseKnownHosts(text)
        .filter((line) => line.marker === undefined && replaced.has(fingerprintOf(line.blob)))
        .filter((line) => namesHost(line, name) || namesHost(line, bare))
        .map(({ line }) => line);
      if (dropped.length === 0) return file;
      const copy = copyPath(`${index}.${basename(file).replace(/[^\w.-]/g, '_')}`);
      const kept = text.split('\n').filter((_, at) => !dropped.includes(at + 1));
      await writeFile(copy, kept.join('\n'), { mode: 0o600 });
      return copy;
    }),
  );
}

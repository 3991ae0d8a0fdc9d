import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigEnvironment } from '../config/config-environment.ts';

/** A folder of one connection, 0700: control socket, logs, askpass. Removed with the connection. */
export interface SshFolder {
  readonly path: string;
  /** Absent where there is no `sh`: then nobody can be asked anything. */
  readonly askpass?: string;
  readonly socket: string;
  file(name: string): string;
  remove(): void;
}

/** Of a socket's path on macOS and the BSDs, less what ssh appends while it makes one, and the end. */
const LONGEST_SOCKET_PATH = 104 - 17 - 1;

/**
 * Makes one where programs may be run from and a socket's path fits; undefined where there is no such
 * place. Its path has only characters that need no quoting anywhere.
 */
export async function makeSshFolder(
  environment: ConfigEnvironment,
): Promise<SshFolder | undefined> {
  const places = [
    environment.env.XDG_RUNTIME_DIR ?? '',
    tmpdir(),
    '/tmp',
    join(environment.homeFolder, '.cache'),
  ];
  for (const place of new Set(places.filter((path) => path !== ''))) {
    const folder = makeIn(place, environment.platform);
    if (folder === undefined) continue;
    if (folder.askpass === undefined || (await runs(folder.askpass))) return folder;
    folder.remove();
  }
  return undefined;
}

function makeIn(place: string, platform: NodeJS.Platform): SshFolder | undefined {
  const windows = platform === 'win32';
  const length = Buffer.byteLength(join(place, 'st-XXXXXX', 's'));
  if (!windows && (!/^\/[\w./+-]+$/.test(place) || length > LONGEST_SOCKET_PATH)) return undefined;
  try {
    const path = mkdtempSync(join(place, 'st-'));
    const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    const file = (name: string) => join(path, name);
    const folder = { path, socket: file('s'), file, remove };
    if (windows) return folder;
    writeFileSync(file('askpass'), askpassScript(path), { mode: 0o700 });
    return { ...folder, askpass: file('askpass') };
  } catch {
    return undefined;
  }
}

/** What it answers to, to see whether programs may be run from its folder; no host knows it. */
const probe = randomBytes(16).toString('hex');

/**
 * What ssh runs to ask a person. It puts the question into a file (which is no secret) and hands on what
 * comes through a pipe: an answer is never in a file, an argument or an environment. For a touch of a
 * security key it says when that is over.
 */
function askpassScript(folder: string): string {
  return `#!/bin/sh
[ "$1" = ${probe} ] && exit 0
umask 077
cd ${folder} || exit 1
q=q.$$
{ printf '%s\\n' "\${SSH_ASKPASS_PROMPT:-text}"; printf '%s' "$1"; } > $q.part
if [ "\${SSH_ASKPASS_PROMPT-}" = none ]; then
  sleep 600 & s=$!
  trap 'kill $s; mv $q.part $q.gone; exit 0' TERM HUP INT
  cp $q.part $q.copy && mv $q.copy $q.ask
  wait $s
  exit 0
fi
mkfifo $q.answer || exit 1
mv $q.part $q.ask
exec cat $q.answer
`;
}

function runs(script: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(script, [probe], { timeout: 5000 }, (error) => resolve(error === null));
  });
}

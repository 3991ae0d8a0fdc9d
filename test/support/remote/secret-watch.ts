import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Looks for secrets in the command lines and environments of all processes, until it is ended. */
export interface SecretWatch {
  /** How often it looked at all of them. */
  readonly looks: () => number;
  /** Ends it. What of the secrets was seen where, without saying which. */
  end(): readonly string[];
}

const LOOK_EVERY_MS = 100;

export function watchProcesses(secrets: () => readonly string[]): SecretWatch {
  const seen = new Set<string>();
  let looks = 0;
  const timer = setInterval(() => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      for (const what of ['cmdline', 'environ']) {
        const text = readText(`/proc/${pid}/${what}`);
        if (secrets().some((secret) => text.includes(secret)))
          seen.add(`${what} of ${readText(`/proc/${pid}/comm`).trim()}`);
      }
    looks++;
  }, LOOK_EVERY_MS);
  return {
    looks: () => looks,
    end() {
      clearInterval(timer);
      return [...seen];
    },
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // Ended meanwhile.
    return '';
  }
}

/** Files below `folders`, of the last minutes, that hold one of the secrets. */
export function filesWith(secrets: readonly string[], folders: readonly string[]): string[] {
  const prune = ['-name', 'node_modules', '-prune', '-o'];
  const which = ['-type', 'f', '-mmin', '-10', '-size', '-256M', '-print'];
  const { stdout } = spawnSync(
    'find',
    [...folders, '-maxdepth', '4', '-xdev', ...prune, ...which],
    {
      encoding: 'utf8',
      maxBuffer: 64 << 20,
    },
  );
  const files = stdout.split('\n').filter(Boolean);
  return files.filter((file) => {
    const text = readText(file);
    return secrets.some((secret) => text.includes(secret));
  });
}

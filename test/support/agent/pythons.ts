import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** As many as the agent takes, leaf first. */
export const MAX_FRAMES = 48;

export type PythonFrame = readonly [symbol: string, file: string, line: number];

/** What an interpreter says of one of its threads. */
export interface PythonPlace {
  readonly place: string;
  readonly tid: number;
  readonly frames: readonly PythonFrame[];
}

const OLDEST = 8;
const NEWEST = 14;

/** A library of the system's Python, for programs that embed it. */
export function findLibpython(): string | undefined {
  return globSync('/usr/lib/*/libpython3.*.so.1.0').find((path) => {
    const minor = Number(/libpython3\.(\d+)\.so/.exec(path)?.[1]);
    return minor >= OLDEST && minor <= NEWEST;
  });
}

/** The system's and pyenv's, of the versions that the agent knows. */
export function interpreters(): string[] {
  const pyenv = join(homedir(), '.pyenv/versions');
  const versions = existsSync(pyenv) ? readdirSync(pyenv) : [];
  const paths = ['/usr/bin/python3', ...versions.map((name) => join(pyenv, name, 'bin/python'))];
  return paths.filter((path) => {
    const { stdout } = spawnSync(path, ['-c', 'import sys; print(*sys.version_info[:2])']);
    const [major, minor = 0] = String(stdout ?? '')
      .split(' ')
      .map(Number);
    return major === 3 && minor >= OLDEST && minor <= NEWEST;
  });
}

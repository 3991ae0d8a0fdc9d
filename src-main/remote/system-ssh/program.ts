import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { ConfigEnvironment } from '../config/config-environment.ts';

/** This machine's `ssh`, from the PATH; undefined where there is none. */
export function findSsh({ env, platform }: ConfigEnvironment): string | undefined {
  const windows = platform === 'win32';
  const usual = windows ? [`${env.SystemRoot ?? 'C:\\Windows'}\\System32\\OpenSSH`] : ['/usr/bin'];
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...folders, ...usual]
    .map((folder) => join(folder, windows ? 'ssh.exe' : 'ssh'))
    .find(mayRun);
}

function mayRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A control group whose members stop all at once. */
export interface FreezerGroup {
  /** What a command begins with so that it is a member. */
  readonly through: readonly string[];
  /** What its members are called. */
  names(): string[];
  freeze(): void;
  /** Whether the kernel says that all of it stands still. */
  isFrozen(): boolean;
  thaw(): void;
  /** Once nobody is in it. */
  remove(): void;
}

/** Where each version is to be seen; 2 may be beside 1. */
const ROOTS = { 1: ['/sys/fs/cgroup/freezer'], 2: ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'] };
let made = 0;

const rootOf = (version: 1 | 2): string | undefined =>
  ROOTS[version].find((root) =>
    existsSync(join(root, version === 1 ? 'tasks' : 'cgroup.controllers')),
  );

export const mayFreeze = (version: 1 | 2): boolean =>
  process.getuid?.() === 0 && rootOf(version) !== undefined;

export function freezerGroup(version: 1 | 2): FreezerGroup {
  const folder = join(rootOf(version) ?? '', `stalltrace-test-${process.pid}-${made++}`);
  mkdirSync(folder);
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  return {
    through: ['/bin/sh', '-c', 'echo $$ > "$0"; exec "$@"', join(folder, 'cgroup.procs')],
    names: () =>
      read('cgroup.procs')
        .split('\n')
        .filter(Boolean)
        .map((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim()),
    freeze: () => (version === 1 ? write('freezer.state', 'FROZEN') : write('cgroup.freeze', '1')),
    isFrozen: () =>
      version === 1
        ? read('freezer.state').trim() === 'FROZEN'
        : /^frozen 1$/m.test(read('cgroup.events')),
    thaw: () => (version === 1 ? write('freezer.state', 'THAWED') : write('cgroup.freeze', '0')),
    remove: () => rmdirSync(folder),
  };
}

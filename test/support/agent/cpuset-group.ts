import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A control group, of whichever version this machine has, that leaves its members some CPUs only. */
export interface CpusetGroup {
  /** What a command begins with so that it is a member. */
  readonly through: readonly string[];
  /** Once nobody is in it. */
  remove(): void;
}

const V1 = '/sys/fs/cgroup/cpuset';
const V2 = '/sys/fs/cgroup';
let made = 0;

const isOld = () => existsSync(join(V1, 'cpuset.cpus'));

export function mayConfine(): boolean {
  const list = join(V2, 'cgroup.subtree_control');
  return (
    process.getuid?.() === 0 &&
    (isOld() || (existsSync(list) && readFileSync(list, 'utf8').includes('cpuset')))
  );
}

export function cpusetGroup(cpus: string): CpusetGroup {
  const above = isOld() ? V1 : V2;
  const folder = join(above, `stalltrace-test-${process.pid}-${made++}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'cpuset.cpus'), cpus);
  // In version 1 a group has no memory nodes until it is given some.
  if (isOld())
    writeFileSync(join(folder, 'cpuset.mems'), readFileSync(join(above, 'cpuset.mems'), 'utf8'));
  return {
    through: ['/bin/sh', '-c', 'echo $$ > "$0"; exec "$@"', join(folder, 'cgroup.procs')],
    remove: () => rmdirSync(folder),
  };
}

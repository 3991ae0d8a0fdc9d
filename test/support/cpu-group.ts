import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A control group, of whichever version this machine has, whose members hardly notice what else keeps
 * its CPUs busy: what a recording of them says is about them.
 */
export interface CpuGroup {
  /** What a command begins with so that it is a member. */
  readonly through: readonly string[];
  /** ns that the kernel has kept its threads from running so far. */
  throttledNs(): number;
  /** Once nobody is in it. */
  remove(): void;
}

const V1 = '/sys/fs/cgroup/cpu';
const V2 = '/sys/fs/cgroup';
const PERIOD_US = 100_000;
let made = 0;

const hasV2 = () =>
  existsSync(join(V2, 'cgroup.subtree_control')) &&
  readFileSync(join(V2, 'cgroup.subtree_control'), 'utf8').includes('cpu');

export function mayGroup(): boolean {
  return process.getuid?.() === 0 && (existsSync(join(V1, 'cpu.cfs_quota_us')) || hasV2());
}

function statOf(folder: string, key: string): number {
  const text = readFileSync(join(folder, 'cpu.stat'), 'utf8');
  return Number(new RegExp(`^${key} (\\d+)`, 'm').exec(text)?.[1]);
}

/** A new group; its members may use `cpus` CPUs together, where that is given. */
export function cpuGroup(cpus?: number): CpuGroup {
  const old = existsSync(join(V1, 'cpu.cfs_quota_us'));
  const folder = join(old ? V1 : V2, `stalltrace-test-${process.pid}-${made++}`);
  mkdirSync(folder);
  // The most there is, against the 1024 or 100 of others.
  if (old) writeFileSync(join(folder, 'cpu.shares'), '262144');
  else writeFileSync(join(folder, 'cpu.weight'), '10000');
  if (cpus !== undefined) {
    const quotaUs = Math.round(cpus * PERIOD_US);
    if (old) writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quotaUs));
    else writeFileSync(join(folder, 'cpu.max'), `${quotaUs} ${PERIOD_US}`);
  }
  const processes = join(folder, 'cgroup.procs');
  return {
    through: ['/bin/sh', '-c', 'echo $$ > "$0"; exec "$@"', processes],
    throttledNs: () =>
      old ? statOf(folder, 'throttled_time') : statOf(folder, 'throttled_usec') * 1000,
    remove: () => rmdirSync(folder),
  };
}

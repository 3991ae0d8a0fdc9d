import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A control group with a CPU quota, of whichever version this machine has. */
export interface LimitedGroup {
  /** Takes in the process whose id is written to it. */
  readonly processes: string;
  /** ns that the kernel has kept its threads from running so far. */
  throttledNs(): number;
  /** Once nobody is in it. */
  remove(): void;
}

const V1 = '/sys/fs/cgroup/cpu';
const V2 = '/sys/fs/cgroup';
const PERIOD_US = 100_000;

const hasV2 = () =>
  existsSync(join(V2, 'cgroup.subtree_control')) &&
  readFileSync(join(V2, 'cgroup.subtree_control'), 'utf8').includes('cpu');

export function mayLimitCpu(): boolean {
  return process.getuid?.() === 0 && (existsSync(join(V1, 'cpu.cfs_quota_us')) || hasV2());
}

function statOf(folder: string, key: string): number {
  const text = readFileSync(join(folder, 'cpu.stat'), 'utf8');
  return Number(new RegExp(`^${key} (\\d+)`, 'm').exec(text)?.[1]);
}

/** A new group whose members may use `cpus` CPUs together. */
export function limitCpu(cpus: number): LimitedGroup {
  const old = existsSync(join(V1, 'cpu.cfs_quota_us'));
  const folder = join(old ? V1 : V2, `stalltrace-test-${process.pid}`);
  const quotaUs = Math.round(cpus * PERIOD_US);
  mkdirSync(folder, { recursive: true });
  if (old) writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quotaUs));
  else writeFileSync(join(folder, 'cpu.max'), `${quotaUs} ${PERIOD_US}`);
  return {
    processes: join(folder, 'cgroup.procs'),
    throttledNs: () =>
      old ? statOf(folder, 'throttled_time') : statOf(folder, 'throttled_usec') * 1000,
    remove: () => rmdirSync(folder),
  };
}

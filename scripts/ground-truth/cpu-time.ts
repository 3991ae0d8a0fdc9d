import { readFileSync } from 'node:fs';

/** CPU time of the machine, and of what this process started, in ticks: how much of it others took. */
interface CpuTime {
  readonly all: number;
  readonly busy: number;
  /** Of this process and of children that ended and were waited for, with theirs. */
  readonly own: number;
}

/** In /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal; guest time is part of user's. */
const IDLE = [3, 4];
const COUNTED = 8;
/** In /proc/PID/stat, after the name: utime, stime, cutime, cstime. */
const OWN_FROM = 11;

export function readCpuTime(): CpuTime {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const times = line
    .trim()
    .split(/\s+/)
    .slice(1, 1 + COUNTED)
    .map(Number);
  const all = times.reduce((sum, time) => sum + time, 0);
  const idle = IDLE.reduce((sum, at) => sum + (times[at] ?? 0), 0);
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const own = fields.slice(OWN_FROM, OWN_FROM + 4).reduce((sum, text) => sum + Number(text), 0);
  return { all, busy: all - idle, own };
}

/** Share of all CPU time since `before` that went to others. */
export function othersShareSince(before: CpuTime): number {
  const now = readCpuTime();
  const others = now.busy - before.busy - (now.own - before.own);
  return Math.max(0, others) / Math.max(1, now.all - before.all);
}

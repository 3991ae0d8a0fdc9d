import { readFileSync } from 'node:fs';

/** Memory that the process `pid` holds, proc_pid_status(5); `undefined` where the system does not say. */
export function residentBytes(pid: number): number | undefined {
  try {
    const [, kib] =
      /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return kib === undefined ? undefined : Number(kib) * 1024;
  } catch {
    return undefined;
  }
}

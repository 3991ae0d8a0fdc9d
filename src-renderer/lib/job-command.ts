import type { ProcessInfo } from '../../src-main/shared/model/trace.ts';

/**
 * The command line that began the job of a process, as its trace tells it: of its launcher where it has one. What looked
 * like a secret is not in it. Empty where it is not known.
 */
export function jobCommand(processes: readonly ProcessInfo[], process: number): string {
  const own = processes[process];
  const above = processes[own?.parent ?? -1];
  return (above?.role === 'launcher' ? above : own)?.commandLine ?? '';
}

import type { ThreadLabel } from '../answers/jobs.ts';

/** `DataLoader worker 3 · pid 2256`; a thread that is not its process's first also by its tid. */
export function threadLabelText({
  name,
  pid,
  tid,
}: Pick<ThreadLabel, 'name' | 'pid' | 'tid'>): string {
  const parts = [name || 'unnamed'];
  if (pid >= 0) parts.push(`pid ${pid}`);
  if (tid >= 0 && tid !== pid) parts.push(`tid ${tid}`);
  return parts.join(' · ');
}

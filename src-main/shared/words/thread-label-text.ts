import type { ThreadLabel } from '../answers/jobs.ts';
import { onHost } from './on-host.ts';

/** `DataLoader worker 3 · pid 2256`, of several hosts `pid 2256 on node2`; a thread that is not its process's first also by its tid. */
export function threadLabelText({
  name,
  pid,
  tid,
  host,
}: Pick<ThreadLabel, 'name' | 'pid' | 'tid' | 'host'>): string {
  const parts = [name || 'unnamed'];
  if (pid >= 0) parts.push(`pid ${pid}${onHost({ host })}`);
  if (tid >= 0 && tid !== pid) parts.push(`tid ${tid}`);
  return parts.join(' · ');
}

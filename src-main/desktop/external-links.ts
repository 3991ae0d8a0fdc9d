import { shell } from 'electron';
import { externalLinks } from '../shared/external-links.ts';

const allowed: ReadonlySet<string> = new Set(Object.values(externalLinks));

/** Opens `url` in the browser where it is on the list of shared/external-links; resolves to whether it was. */
export async function openExternalLink(url: string): Promise<boolean> {
  if (!allowed.has(url)) return false;
  await shell.openExternal(url);
  return true;
}

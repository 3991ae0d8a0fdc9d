import type { AppState } from '../../state/app.svelte.ts';
import { copyText } from '../../ui/clipboard.ts';

/** Puts the finding of the call on the clipboard, private words hidden. */
export async function copyFinding({ report, toasts }: AppState): Promise<void> {
  const finding = await report.finding();
  if (!finding.ok) toasts.error(finding.error.message);
  else if (await copyText(finding.value))
    toasts.show('Copied as Markdown, without host, users, paths and arguments.');
  else toasts.error('The clipboard is not available to this page: use Report… and save the file.');
}

import type { PictureOptions } from '../../shared/answers/report.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import { privateWords, type Viewer } from '../hide-private.ts';
import { hider, withoutArguments } from '../private-words.ts';

/** Between the parts of a track's name. */
const DOT = ' · ';

/** What takes host, users, paths and arguments out of a picture's texts. */
export function pictureHider(
  { name, notes }: Pick<PictureOptions, 'name' | 'notes'>,
  summary: TraceSummary,
  viewer: Viewer,
): (text: string) => string {
  const hide = hider(privateWords({ name, notes }, summary, viewer));
  // A track of a process is named by its command, and then by what tells it from others.
  return (text) => hide(text.split(DOT).map(withoutArguments).join(DOT));
}

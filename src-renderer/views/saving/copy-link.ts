import type { LeftOut } from '../../../src-main/shared/library/link.ts';
import type { SavedView } from '../../../src-main/shared/library/view.ts';
import type { AppState } from '../../state/app.svelte.ts';
import { copyText } from '../../ui/clipboard.ts';

const DESKTOP_LINK = 'stalltrace://open';

/** What a link carries, for a person who is about to send it. */
export function linkContents(view: SavedView | undefined, leftOut: readonly LeftOut[]): string {
  const parts = [
    ...(view?.window === undefined ? [] : ['the time in view']),
    ...(view?.range === undefined ? [] : ['the selected range']),
    ...(view?.event === undefined ? [] : [`the selected event (${view.event.label})`]),
    ...(view?.tracks === undefined || leftOut.includes('tracks') ? [] : ['the tracks and filter']),
    ...(view?.flame === undefined || leftOut.includes('flame')
      ? []
      : [
          view.flame.file === undefined
            ? 'the flame graph'
            : `the flame graph (${view.flame.file})`,
        ]),
  ];
  const [last = '', ...before] = parts.toReversed();
  const list = before.length === 0 ? last : `${before.toReversed().join(', ')} and ${last}`;
  return list === '' ? 'this screen' : list;
}

/** Copies the address of what is on the screen, and says what is in it. */
export async function copyLink(app: AppState): Promise<void> {
  const { opened, view } = app.investigation;
  if (opened === undefined) return;
  const { hash, leftOut } = app.links.here;
  const base =
    app.about?.host === 'desktop' ? DESKTOP_LINK : `${location.origin}${location.pathname}`;
  if (!(await copyText(`${base}${hash}`))) {
    app.toasts.show('The clipboard cannot be written: copy the address of this page instead.');
    return;
  }
  const left = leftOut.length === 0 ? '' : ` Too long for it: ${leftOut.join(' and ')}.`;
  const reach = hash.includes('&sha=')
    ? 'It opens wherever this trace file is in the library.'
    : 'It works in this library only: the file is still being hashed.';
  app.toasts.show(
    `Link copied. It carries ${linkContents(view.current, leftOut)}.${left} ${reach}`,
  );
}

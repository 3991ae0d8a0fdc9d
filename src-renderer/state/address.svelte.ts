import { untrack } from 'svelte';
import type { AppState } from './app.svelte.ts';
import { keepLeftAddress, placeOf, replaceAddress } from './page-address.ts';
import { formatCaptureAddress } from './remote/capture-address.ts';

/**
 * The address names the trace and the view on the screen, so that a reload shows them again, the
 * browser's Back leads to the library, and the address can be sent as a link.
 */

/** Browsers refuse an address that changes more often than some hundred times in half a minute. */
const SETTLE_MS = 300;
/** The place on the screen, without what its view depends on. */
function shownPlace({ investigation, capture }: AppState): string {
  const id = investigation.opened?.investigation.id;
  if (id !== undefined) return String(id);
  return capture.shown ? formatCaptureAddress(capture.runId) : '';
}

/** Keeps the address and the screen in step; for an effect, in which it makes its own. */
export function followAddress(app: AppState): () => void {
  const onMove = () => void app.links.open(location.hash);
  const onLeave = () => keepLeftAddress(app.links.here.hash);
  /** Of the place that is, or was last, on the screen. */
  let last = '';
  addEventListener('popstate', onMove);
  addEventListener('beforeunload', onLeave);
  $effect(() => {
    const shown = shownPlace(app);
    if (!app.loaded || app.opener.task !== undefined || shown === placeOf(location.hash)) return;
    // What was left in a hurry: Back must find it as it was.
    if (placeOf(last) === placeOf(location.hash)) replaceAddress(last);
    const { hash } = untrack(() => app.links.here);
    history.pushState(null, '', `${location.pathname}${hash}`);
  });
  $effect(() => {
    const { hash } = app.links.here;
    if (!app.loaded || app.opener.task !== undefined || hash === '') return undefined;
    last = hash;
    const timer = setTimeout(() => replaceAddress(hash), SETTLE_MS);
    return () => clearTimeout(timer);
  });
  return () => {
    removeEventListener('popstate', onMove);
    removeEventListener('beforeunload', onLeave);
  };
}

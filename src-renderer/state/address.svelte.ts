import { untrack } from 'svelte';
import { parseLink } from '../../src-main/shared/link.ts';
import type { AppState } from './app.svelte.ts';

/**
 * The address names the trace and the view on the screen, so that a reload shows them again, the
 * browser's Back leads to the library, and the address can be sent as a link.
 */

/** Browsers refuse an address that changes more often than some hundred times in half a minute. */
const SETTLE_MS = 300;

/** The investigation an address names. */
function investigationOf(hash: string): number | undefined {
  const parsed = parseLink(hash);
  return parsed.kind === 'link' ? parsed.link.investigation : undefined;
}

/** Another address for the same place in the history. */
export function replaceAddress(hash: string): void {
  if (location.hash !== hash) history.replaceState(null, '', `${location.pathname}${hash}`);
}

/** Keeps the address and the screen in step; for an effect, in which it makes its own. */
export function followAddress(app: AppState): () => void {
  const onMove = () => void app.links.open(location.hash);
  // A reload right after a change must find it in the address.
  const onLeave = () => {
    if (app.investigation.opened !== undefined) replaceAddress(app.links.here.hash);
  };
  addEventListener('popstate', onMove);
  addEventListener('beforeunload', onLeave);
  $effect(() => {
    const shown = app.investigation.opened?.investigation.id;
    if (!app.loaded || app.opener.task !== undefined || shown === investigationOf(location.hash))
      return;
    const { hash } = untrack(() => app.links.here);
    history.pushState(null, '', `${location.pathname}${hash}`);
  });
  $effect(() => {
    const { hash } = app.links.here;
    if (!app.loaded || app.opener.task !== undefined || hash === '') return undefined;
    const timer = setTimeout(() => replaceAddress(hash), SETTLE_MS);
    return () => clearTimeout(timer);
  });
  return () => {
    removeEventListener('popstate', onMove);
    removeEventListener('beforeunload', onLeave);
  };
}

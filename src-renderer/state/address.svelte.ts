import type { AppState } from './app.svelte.ts';

/**
 * The address names the trace on the screen (`#investigation=3`), so that a reload shows it again
 * and the browser's Back leads to the library.
 */

const FRAGMENT = /^#investigation=(\d{1,15})$/;

/** The investigation an address asks for. */
export function investigationOf(hash: string): number | undefined {
  const id = FRAGMENT.exec(hash)?.[1];
  return id === undefined ? undefined : Number(id);
}

/** Whether an address is the app's: any other fragment names a place in the page, not a screen. */
export function isOwnAddress(hash: string): boolean {
  return hash === '' || FRAGMENT.test(hash);
}

/** Takes back an address that led nowhere. */
export function clearAddress(): void {
  history.replaceState(null, '', location.pathname);
}

/** Keeps the address and the screen in step; for an effect, which it makes depend on both. */
export function followAddress(app: AppState): () => void {
  const shown = app.investigation.opened?.investigation.id;
  const asked = investigationOf(location.hash);
  if (app.loaded && app.opener.task === undefined && shown !== asked) {
    const hash = shown === undefined ? '' : `#investigation=${shown}`;
    history.pushState(null, '', `${location.pathname}${hash}`);
  }
  const onMove = () => {
    if (isOwnAddress(location.hash)) void app.showInvestigation(investigationOf(location.hash));
  };
  addEventListener('popstate', onMove);
  return () => removeEventListener('popstate', onMove);
}

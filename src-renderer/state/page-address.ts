import { parseLink } from '../../src-main/shared/library/link.ts';
import { tabStorage } from '../lib/page-storage.ts';
import { formatCaptureAddress, parseCaptureAddress } from './remote/capture-address.ts';
import type { Visit } from './visit.ts';

/** In the storage of this window, which a reload keeps. */
const LEFT_KEY = 'stalltrace.left';

/** The screen an address names: an investigation, whatever its view, or that of captures; else the library. */
export function placeOf(hash: string): string {
  const capture = parseCaptureAddress(hash);
  if (capture !== undefined) return formatCaptureAddress(capture.runId);
  const parsed = parseLink(hash);
  return parsed.kind === 'link' ? String(parsed.link.investigation) : '';
}

/**
 * The address to begin with. A reload right after a change comes before the address has followed it:
 * then it is the one that was left.
 */
export function firstAddress(): string {
  const [navigation] = performance.getEntriesByType('navigation');
  const isReload = (navigation as PerformanceNavigationTiming | undefined)?.type === 'reload';
  const left = isReload ? tabStorage().getItem(LEFT_KEY) : null;
  const isSame = left !== null && placeOf(left) === placeOf(location.hash);
  return isSame ? left : location.hash;
}

/** Another address for the same place in the history, and what is kept with it. */
export function replaceAddress(hash: string, visit?: Visit): void {
  const kept = visit ?? history.state;
  const isSame = location.hash === hash && JSON.stringify(kept) === JSON.stringify(history.state);
  if (!isSame) history.replaceState(kept, '', `${location.pathname}${hash}`);
}

/** For a reload that comes before the address has followed a change. */
export function keepLeftAddress(hash: string): void {
  tabStorage().setItem(LEFT_KEY, hash);
}

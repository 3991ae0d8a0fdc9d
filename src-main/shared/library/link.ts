import type { SavedEvent } from './saved-event.ts';
import { type SavedView, savedView } from './view.ts';

/**
 * A link to a view: `#investigation=3&sha=<16 hex>&view=<base64url>`. The number is the entry's in
 * the library that made the link; `sha`, the first 16 digits of the file's SHA-256, finds the trace
 * in another library. Anybody can write a link, so everything in it is checked.
 */
export interface ViewLink {
  readonly investigation: number;
  readonly sha?: string;
  readonly view?: SavedView;
}

/** What had to be left out of a link to keep it short. */
export type LeftOut = 'tracks' | 'flame';

/** What an address asks for. `damaged`: it names a view that can't be read. */
export type ParsedLink =
  | { readonly kind: 'none' }
  | { readonly kind: 'bad' }
  | { readonly kind: 'link'; readonly link: ViewLink; readonly damaged: boolean };

/** Longest fragment that is written; chat programs and mail cut what is much longer. */
export const MAX_LINK_LENGTH = 4_000;
/** Longest fragment that is read. */
const MAX_READ_LENGTH = 2 * MAX_LINK_LENGTH;
export const SHA_LENGTH = 16;

const OWN = /^#investigation=/;
const LINK = /^#investigation=(\d{1,15})(?:&sha=([0-9a-f]{16}))?(?:&view=([\w-]*))?$/;

type Times = readonly [startNs: number, endNs: number];
type Packed = Readonly<Record<string, unknown>>;

const packTimes = ({ startNs, endNs }: { startNs: number; endNs: number }): Times => [
  startNs,
  endNs,
];
const packEvent = ({ table, row, startNs, durationNs, label }: SavedEvent) => [
  table,
  row,
  startNs,
  durationNs,
  label,
];

/** One letter a part, lists for what has a fixed order: half the length of plain JSON. */
function pack({ tab, window, range, rangeTracks, event, tracks, flame }: SavedView): Packed {
  return {
    b: tab,
    ...(window !== undefined && { w: packTimes(window) }),
    ...(range !== undefined && { r: packTimes(range) }),
    ...(rangeTracks !== undefined && { o: rangeTracks }),
    ...(event !== undefined && { e: packEvent(event) }),
    ...(tracks !== undefined && {
      t: [
        tracks.pinned,
        tracks.hidden,
        tracks.expanded,
        tracks.collapsedGroups,
        tracks.order,
        tracks.filter,
        ...(tracks.telling === undefined ? [] : [tracks.telling]),
      ],
    }),
    ...(flame !== undefined && {
      f: [
        ...[flame.weight, flame.order, flame.search, flame.symbol ?? null, flame.file ?? null],
        ...(flame.byRole === undefined ? [] : [flame.byRole]),
      ],
    }),
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function unpackTimes(value: unknown) {
  const [startNs, endNs] = listOf(value);
  return { startNs, endNs };
}

function unpackEvent(value: unknown) {
  const [table, row, startNs, durationNs, label] = listOf(value);
  return { table, row, startNs, durationNs, label };
}

function unpackTracks(value: unknown) {
  const [pinned, hidden, expanded, collapsedGroups, order, filter, telling] = listOf(value);
  const lists = { pinned, hidden, expanded, collapsedGroups, order, filter };
  return telling === undefined ? lists : { ...lists, telling };
}

function unpackFlame(value: unknown) {
  const [weight, order, search, symbol = null, file = null, byRole] = listOf(value);
  return {
    weight,
    order,
    search,
    ...(symbol !== null && { symbol }),
    ...(file !== null && { file }),
    ...(byRole !== undefined && { byRole }),
  };
}

function unpack(packed: unknown): SavedView | undefined {
  if (typeof packed !== 'object' || packed === null) return undefined;
  const { b, w, r, o, e, t, f } = packed as Packed;
  const parsed = savedView.safeParse({
    tab: b,
    ...(w !== undefined && { window: unpackTimes(w) }),
    ...(r !== undefined && { range: unpackTimes(r) }),
    ...(o !== undefined && { rangeTracks: o }),
    ...(e !== undefined && { event: unpackEvent(e) }),
    ...(t !== undefined && { tracks: unpackTracks(t) }),
    ...(f !== undefined && { flame: unpackFlame(f) }),
  });
  return parsed.success ? parsed.data : undefined;
}

function toBase64Url(text: string): string {
  let bytes = '';
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(text: string): string {
  const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder('utf-8', { fatal: true }).decode(
    Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)),
  );
}

function readView(text: string): SavedView | undefined {
  try {
    return unpack(JSON.parse(fromBase64Url(text)));
  } catch {
    return undefined;
  }
}

function write({ investigation, sha }: ViewLink, view: SavedView | undefined): string {
  const parts = [`#investigation=${investigation}`];
  if (sha !== undefined) parts.push(`sha=${sha.slice(0, SHA_LENGTH)}`);
  // JSON writes lone surrogates as escapes, so every text survives UTF-8.
  if (view !== undefined) parts.push(`view=${toBase64Url(JSON.stringify(pack(view)))}`);
  return parts.join('&');
}

/** The fragment of a link, at most MAX_LINK_LENGTH long; what is too long is left out, and named. */
export function formatLink(link: ViewLink): { readonly hash: string; readonly leftOut: LeftOut[] } {
  const { view } = link;
  const hash = write(link, view);
  if (view === undefined || hash.length <= MAX_LINK_LENGTH) return { hash, leftOut: [] };
  const { tracks, rangeTracks, ...withoutTracks } = view;
  const hasTracks = tracks !== undefined || rangeTracks !== undefined;
  const shorter = write(link, withoutTracks);
  if (hasTracks && shorter.length <= MAX_LINK_LENGTH) return { hash: shorter, leftOut: ['tracks'] };
  const { flame, ...shortest } = withoutTracks;
  const leftOut: LeftOut[] = [];
  if (hasTracks) leftOut.push('tracks');
  if (flame !== undefined) leftOut.push('flame');
  return { hash: write(link, shortest), leftOut };
}

/** What a fragment, with its `#`, asks for. */
export function parseLink(hash: string): ParsedLink {
  if (hash === '' || hash === '#' || !OWN.test(hash)) return { kind: 'none' };
  const match = hash.length > MAX_READ_LENGTH ? null : LINK.exec(hash);
  const [, id, sha, text] = match ?? [];
  const investigation = Number(id);
  if (match === null || !(investigation > 0)) return { kind: 'bad' };
  const view = text === undefined ? undefined : readView(text);
  const link = {
    investigation,
    ...(sha !== undefined && { sha }),
    ...(view !== undefined && { view }),
  };
  return { kind: 'link', link, damaged: text !== undefined && view === undefined };
}

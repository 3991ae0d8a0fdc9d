import type { FlameFrame, FlameTree } from '../../src-main/shared/answers/flame.ts';

/** A function over all of a tree. */
export interface FunctionRow {
  /** Index into the tree's frames. */
  readonly frame: number;
  readonly self: number;
  readonly total: number;
  readonly count: number;
}

/** Self, total and count of every function; one that calls itself counts once. A role is none. */
export function functionRows(tree: FlameTree): FunctionRow[] {
  const rows = tree.frames.map((_, frame) => ({ frame, self: 0, total: 0, count: 0 }));
  tree.parent.forEach((_, node) => {
    const row = rows[tree.frame[node] ?? -1];
    if (row === undefined) return;
    row.self += tree.self[node] ?? 0;
    if (isInsideItself(tree, node)) return;
    row.total += tree.total[node] ?? 0;
    row.count += tree.count[node] ?? 0;
  });
  return rows.filter(({ frame }) => tree.frames[frame]?.language !== 'role');
}

/** Whether a node above is of the same function. */
function isInsideItself({ parent, frame }: FlameTree, node: number): boolean {
  let above = parent[node] ?? -1;
  while (above >= 0 && frame[above] !== frame[node]) above = parent[above] ?? -1;
  return above >= 0;
}

/** What a search found: by frame, and the weight of all that goes through one of these. */
export interface FlameMatches {
  readonly frames: Uint8Array;
  readonly functions: number;
  readonly weight: number;
}

/** The frames in whose name, symbol or file all words of `search` are; `undefined` without words. */
export function findFrames(tree: FlameTree, search: string): FlameMatches | undefined {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return undefined;
  const frames = Uint8Array.from(tree.frames, (frame) => {
    const text = `${frame.demangled ?? ''} ${frame.symbol} ${frame.file ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word)) ? 1 : 0;
  });
  let weight = 0;
  const found = new Set<number>();
  const covered = new Uint8Array(tree.parent.length);
  tree.parent.forEach((above, node) => {
    const isMatch = frames[tree.frame[node] ?? 0] === 1;
    const isBelow = above >= 0 && covered[above] === 1;
    if (isMatch) found.add(tree.frame[node] ?? 0);
    if (isMatch && !isBelow) weight += tree.total[node] ?? 0;
    covered[node] = isMatch || isBelow ? 1 : 0;
  });
  return { frames, functions: found.size, weight };
}

const LIBRARY =
  /(^|[\\/])(site-packages|dist-packages|lib[\\/]python\d[\d.]*|torch|torchvision|numpy)[\\/]|^<frozen /;
/** Modules of Python itself, where a recorder keeps their names only. */
const STANDARD =
  /^(multiprocessing|threading|queue|concurrent|asyncio|selectors|socket|ssl|json|pickle|runpy|contextlib|functools|importlib|logging|subprocess|inspect)([\\/]|\.py$)/;

/** Whether a frame is not the user's: native code, Python itself, an installed package. */
export function isLibraryCode({ language, file = '' }: FlameFrame): boolean {
  return language === 'native' || LIBRARY.test(file) || STANDARD.test(file);
}

/** What stands for library and native code that no code of the user called. */
export const FOLDED: FlameFrame = { symbol: 'Library and native code', language: 'native' };

/** How a tree is folded. */
export interface Folding {
  /** Equal stacks are one: so they are after folding. In order of time neighbours stay apart. */
  readonly joinsAll: boolean;
  /** The root is the function that was asked for, and stays whatever code it is. */
  readonly keepsRoot: boolean;
}

/**
 * The tree without what is not the user's code. Its weight is the self of the nearest of the user's
 * frames above it, as in the Firefox Profiler; what has none above stands at the root as `FOLDED`.
 */
export function foldLibraryCode(tree: FlameTree, { joinsAll, keepsRoot }: Folding): FlameTree {
  const folded = tree.frames.length;
  const isLibrary = tree.frames.map(isLibraryCode);
  const places: number[] = [];
  const made = new Map<string, number>();
  const out = {
    parent: [] as number[],
    frame: [] as number[],
    total: [] as number[],
    self: [] as number[],
    count: [] as number[],
  };
  let lastRoot = -1;
  tree.parent.forEach((above, node) => {
    const parent = above < 0 ? -1 : (places[above] ?? -1);
    const own = tree.frame[node] ?? 0;
    const isHidden = isLibrary[own] === true && !(keepsRoot && above < 0);
    const isInside = isHidden && parent >= 0;
    const frame = isHidden ? folded : own;
    const key = `${parent} ${frame}`;
    const neighbour = isHidden && out.frame[lastRoot] === folded ? lastRoot : undefined;
    const known = isInside ? parent : joinsAll ? made.get(key) : neighbour;
    const place = known ?? out.parent.push(parent) - 1;
    if (known === undefined) {
      out.frame[place] = frame;
      out.total[place] = out.self[place] = out.count[place] = 0;
      made.set(key, place);
    }
    if (parent < 0) lastRoot = place;
    places[node] = place;
    out.self[place] = (out.self[place] ?? 0) + (tree.self[node] ?? 0);
    if (isInside) return;
    out.total[place] = (out.total[place] ?? 0) + (tree.total[node] ?? 0);
    out.count[place] = (out.count[place] ?? 0) + (tree.count[node] ?? 0);
  });
  return { ...tree, ...out, frames: [...tree.frames, FOLDED] };
}

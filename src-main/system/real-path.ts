import { readlinkSync, realpathSync } from 'node:fs';
import { readlink, realpath } from 'node:fs/promises';
import { join, parse, resolve, sep } from 'node:path';

/** As many links on the way as Linux follows. */
const MOST_LINKS = 40;

/** `path` made absolute, with the links of what exists of it resolved, and those that lead to nothing. */
export async function realPath(path: string): Promise<string> {
  const search = searchFor(path);
  for (let step = search.next(); ; ) {
    if (step.done) return step.value;
    const { ask, path: asked } = step.value;
    const answer = ask === 'link' ? readlink(asked) : realpath(asked);
    step = search.next(await answer.catch(() => undefined));
  }
}

/** Likewise, for the few paths that are needed before anything runs. */
export function realPathNow(path: string): string {
  const search = searchFor(path);
  for (let step = search.next(); ; ) {
    if (step.done) return step.value;
    const { ask, path: asked } = step.value;
    let answer: string | undefined;
    try {
      answer = ask === 'link' ? readlinkSync(asked) : realpathSync(asked);
    } catch {
      answer = undefined;
    }
    step = search.next(answer);
  }
}

interface Question {
  /** Where a path really is, or what a link says; the answer is `undefined` where there is none. */
  readonly ask: 'place' | 'link';
  readonly path: string;
}
type Search<T> = Generator<Question, T, string | undefined>;

function* searchFor(path: string): Search<string> {
  let absolute = resolve(path);
  for (let links = 0; ; links++) {
    const { place, rest } = yield* whatExists(absolute);
    const [first, ...below] = rest;
    if (first === undefined || links === MOST_LINKS) return join(place, rest.join(sep));
    // A link to what is not there yet: who creates that would decide where the path leads.
    const target = yield { ask: 'link', path: join(place, first) };
    if (target === undefined) return join(place, rest.join(sep));
    absolute = resolve(place, target, below.join(sep));
  }
}

/** The longest beginning of a path that exists. Of one with 20,000 folders, 16 are looked at. */
function* whatExists(absolute: string): Search<{ place: string; rest: readonly string[] }> {
  const { root } = parse(absolute);
  const parts = absolute.slice(root.length).split(sep).filter(Boolean);
  let place = root;
  let exists = 0;
  let at = parts.length;
  for (let missing = parts.length + 1; missing - exists > 1; at = (exists + missing) >> 1) {
    const found = yield { ask: 'place', path: root + parts.slice(0, at).join(sep) };
    if (found === undefined) missing = at;
    else [place, exists] = [found, at];
  }
  return { place, rest: parts.slice(exists) };
}

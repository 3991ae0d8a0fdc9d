/** Patterns of ssh_config(5), as OpenSSH's match.c reads them. */

/** Whether `text` is matched by `pattern`: `*` for any characters, `?` for one. Case counts. */
export function matchPattern(text: string, pattern: string): boolean {
  let at = 0;
  let next = 0;
  let star = -1;
  let resume = 0;
  // One place to go back to is enough, so hostile patterns take no more than length × length steps.
  while (at < text.length) {
    if (pattern[next] === '*') {
      star = next++;
      resume = at;
    } else if (pattern[next] === '?' || (pattern[next] === text[at] && next < pattern.length)) {
      at += 1;
      next += 1;
    } else if (star >= 0) {
      next = star + 1;
      at = ++resume;
    } else return false;
  }
  while (pattern[next] === '*') next += 1;
  return next === pattern.length;
}

export type ListMatch = 'yes' | 'no' | 'negated';

/** A comma-separated list, where a `!pattern` that matches wins over all others. */
export function matchPatternList(text: string, list: string): ListMatch {
  let found: ListMatch = 'no';
  for (const entry of list.split(',')) {
    const negated = entry.startsWith('!');
    if (!matchPattern(text, negated ? entry.slice(1) : entry)) continue;
    if (negated) return 'negated';
    found = 'yes';
  }
  return found;
}

/** Likewise for names of hosts, whose case doesn't count. */
export function matchHostNames(name: string, list: string): ListMatch {
  return matchPatternList(name.toLowerCase(), list.toLowerCase());
}

/** How many keys are looked at: a file of one object with a million of them is none that is known. */
const MAX_KEYS = 1000;

/**
 * A string as a whole, so that a bracket in one is no bracket; a colon behind one makes it a key. One that is cut
 * off ends with the text: else each of its quotes would be tried as the begin of another.
 */
const TOKEN = /"((?:[^"\\]|\\.)*)(?:"(\s*:)?|\\?$)|[{}[\]]/gs;

/**
 * The keys of the object that `text` begins, or, where it begins an array, of the objects in it. The text may
 * be cut off anywhere and be wrong anywhere; what is no JSON has none.
 */
export function jsonKeys(text: string): ReadonlySet<string> {
  const keys = new Set<string>();
  const begin = /^\ufeff?\s*([{[])/.exec(text);
  if (begin === null) return keys;
  const depthOfKeys = begin[1] === '{' ? 1 : 2;
  let depth = 0;
  for (const [token, string, colon] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    else if (colon !== undefined && depth === depthOfKeys) keys.add(string ?? '');
    if (keys.size === MAX_KEYS) break;
  }
  return keys;
}

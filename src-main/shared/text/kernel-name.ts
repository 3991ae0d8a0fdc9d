const OPENING = '<([{';
const CLOSING = '>)]}';
const ANONYMOUS = '(anonymous namespace)';

/**
 * A kernel's name as profilers show it: `void at::native::reduce<4, float>(int)` → `reduce`. What is not
 * written as C++ stays as it is: `ampere_sgemm_128x64_tn`, `triton_poi_fused_add_0`.
 */
export function kernelBaseName(name: string): string {
  if (!/[<(]|::/.test(name)) return name;
  const words = outsideBrackets(name.replaceAll(ANONYMOUS, ''));
  const last = words.slice(words.lastIndexOf(' ') + 1);
  const base = last.slice(last.lastIndexOf(':') + 1);
  return IDENTIFIER.test(base) ? base : name;
}

/** What is cut out of anything else, of a path for one, would no longer be known for what it is. */
const IDENTIFIER = /^[\p{ID_Start}_$][\p{ID_Continue}$.]*$/u;

/** What stands in no brackets, up to the parameters; nothing where brackets don't match. */
function outsideBrackets(name: string): string {
  let out = '';
  let depth = 0;
  for (let at = 0; at < name.length; at++) {
    const letter = name[at];
    if (letter === '(' && depth === 0 && out !== '') return out;
    if (OPENING.includes(letter)) depth++;
    // The `>` of `->` closes nothing.
    else if (CLOSING.includes(letter) && name[at - 1] !== '-') depth--;
    else if (depth === 0) out += letter;
    if (depth < 0) return '';
  }
  return depth === 0 ? out : '';
}

/** Names up to this long are shown as they are. */
const LONG = 40;

/** Pieces of a name: what has brackets that enclose nothing comes as one. */
const PIECES =
  /operator(?:<=>|<<=?|>>=?|<=|>=|->\*?|\(\)|\[\]|<|>)|\(anonymous namespace\)|\{closure[^}]*\}|->|[<>()[\]{}]|[^<>()[\]{}\-o]+|[-o]/g;

const OPENING = '<([{';
const CLOSING = '>)]}';
/** Stands for a space inside of a piece while words are told apart. */
const INNER_SPACE = '\u00a0';
/** What a compiler made of a function, ` [clone .isra.0]`: in the full name only. */
const CLONES = /( \[clone [^\]]*\])+$/;
/** Said of a thing that is not the name: its words stay. */
const SAID_OF = /(^| )(for|to)$/;

/**
 * A C++ or Rust name as a box of a graph has room for: arguments of templates and functions folded
 * to …, without what a function returns. `a::b<int, c<d> >::e(int)` → `a::b<…>::e(…)`.
 */
export function shortName(name: string): string {
  if (name.length <= LONG) return name;
  const folded = foldBrackets(name.replace(CLONES, ''));
  const params = folded.lastIndexOf('(…)');
  const head = params < 0 ? folded : folded.slice(0, params);
  const operator = head.indexOf('operator');
  const space = head.slice(0, operator < 0 ? undefined : operator).lastIndexOf(' ');
  const hasResult = space > 0 && !SAID_OF.test(head.slice(0, space));
  return folded.slice(hasResult ? space + 1 : 0).replaceAll(INNER_SPACE, ' ');
}

function foldBrackets(name: string): string {
  const pieces = name.match(PIECES) ?? [];
  let out = '';
  let depth = 0;
  pieces.forEach((piece, at) => {
    const opens = piece.length === 1 ? OPENING.indexOf(piece) : -1;
    const closes = piece.length === 1 && CLOSING.includes(piece);
    if (closes) depth = Math.max(0, depth - 1);
    if (depth === 0) out += piece.startsWith('(a') ? piece.replace(' ', INNER_SPACE) : piece;
    if (opens < 0) return;
    if (depth === 0 && pieces[at + 1] !== CLOSING[opens]) out += '…';
    depth++;
  });
  return out;
}

/** Reads the SVG that pictures are made of back, strictly: what it does not know is an error. */

export interface SvgShape {
  readonly fill: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const TOKEN = /<(\/?)([a-z]+)((?: [a-zA-Z:-]+="[^"<]*")*)(\/?)>|([^<]+)/y;
const ENTITY = /&(?!(?:amp|lt|gt|quot|apos);)/;
// What XML 1.0 has no characters for, section 2.2, and what it has but nobody can see.
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is its purpose
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

const elements = new Set('svg title desc defs pattern path circle g text'.split(' '));

/** Throws where `svg` is no well-formed XML of the elements a picture may have; its texts. */
export function readTexts(svg: string): string[] {
  const open: string[] = [];
  const texts: string[] = [];
  if (FORBIDDEN.test(svg)) throw new Error('forbidden characters');
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < svg.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(svg);
    if (match === null) throw new Error(`not well-formed: ${svg.slice(at, at + 80)}`);
    const [, closes, name = '', attributes = '', empty, text] = match;
    if (ENTITY.test(attributes) || ENTITY.test(text ?? '')) throw new Error('a bare &');
    if (text !== undefined) {
      if (text.trim() !== '') texts.push(text);
      continue;
    }
    if (!elements.has(name)) throw new Error(`<${name}> is none of a picture's elements`);
    if (closes !== '' && open.pop() !== name) throw new Error(`</${name}> closes nothing`);
    if (closes === '' && empty === '') open.push(name);
  }
  if (open.length > 0) throw new Error(`<${open.join('><')}> is not closed`);
  return texts;
}

/** Every rectangle of `svg`, of one fill or of all. */
export function readRectangles(svg: string, fill?: string): SvgShape[] {
  const shapes: SvgShape[] = [];
  for (const [, own = '', path = ''] of svg.matchAll(/<path fill="([^"]*)"[^>]* d="([^"]*)"/g)) {
    if (fill !== undefined && own !== fill) continue;
    for (const [, x, y, width, height] of path.matchAll(
      /M([-\d.]+) ([-\d.]+)h([-\d.]+)v([-\d.]+)h[-\d.]+z/g,
    ))
      shapes.push({
        fill: own,
        x: Number(x),
        y: Number(y),
        width: Number(width),
        height: Number(height),
      });
  }
  return shapes;
}

import type { FlameFrame, FlameTree } from '../../../src-main/shared/answers/flame.ts';
import { kernelBaseName } from '../../../src-main/shared/text/kernel-name.ts';
import { cleanText } from '../../../src-main/shared/text/text.ts';
import { formatShare, plural } from '../../../src-main/shared/text/units.ts';
import { formatWeight } from '../../../src-main/shared/words/flame-weights.ts';
import { FOLDED } from '../../lib/flame-functions.ts';
import { frameKind } from '../../lib/frame-kind.ts';
import { shortName } from '../../lib/short-name.ts';

export const fullName = (frame: FlameFrame): string =>
  cleanText(frame.demangled ?? frame.symbol, 4_096);

/** The name where there is little room: a C++ or Rust one without what is in its brackets, a kernel's base name. */
export function shortNameOf(frame: FlameFrame): string {
  const name = fullName(frame);
  if (frame.language === 'gpu') return kernelBaseName(name);
  return frame.demangled !== undefined || name.includes('::') ? shortName(name) : name;
}

/** `train.py`, of a path its last part. */
const fileName = (file: string) => file.split(/[\\/]/).at(-1) ?? file;

/** What stands on a frame's box. */
export function labelOf(frame: FlameFrame): string {
  if (frame === FOLDED) return frame.symbol;
  const name = shortNameOf(frame);
  return frame.file === undefined ? name : `${name} · ${cleanText(fileName(frame.file))}`;
}

/** `train.py:62, 63`. */
export function placeOfFrame({ file, line, lines }: FlameFrame): string {
  if (file === undefined) return '';
  const at = lines?.join(', ') ?? (line === undefined ? '' : String(line));
  return at === '' ? cleanText(file) : `${cleanText(file)}:${at}`;
}

export function kindOf(frame: FlameFrame): string {
  if (frame === FOLDED) return 'Folded';
  const kind = frameKind(frame);
  if (kind !== 'framework') return kindWords[kind];
  return frame.language === 'python' ? 'Framework, in Python' : 'Framework, native';
}

const kindWords = {
  ...{ python: 'Python', native: 'Native', kernel: 'Kernel', gpu: 'On the GPU' },
  role: 'Role',
} as const;

type Fact = readonly [label: string, value: string];

/** What a tooltip and the details say of a node. */
export function nodeFacts(tree: FlameTree, node: number, whole: number): Fact[] {
  const frame = tree.frames[tree.frame[node] ?? -1];
  const total = tree.total[node] ?? 0;
  const self = tree.self[node] ?? 0;
  const weight = (value: number) =>
    `${formatWeight(tree.unit, value)} (${formatShare(value, whole)})`;
  const place = frame === undefined ? '' : placeOfFrame(frame);
  return [
    ...(place === '' ? [] : [['In', place] as const]),
    ['Kind', frame === undefined ? '' : kindOf(frame)],
    ['Total', weight(total)],
    ['Self', weight(self)],
    ['Events', plural(tree.count[node] ?? 0, 'event')],
  ];
}

/** A node in one sentence, for aria-live. */
export function spokenNode(tree: FlameTree, node: number, whole: number): string {
  const frame = tree.frames[tree.frame[node] ?? -1];
  if (frame === undefined) return '';
  const facts = nodeFacts(tree, node, whole).map((fact) => fact.join(' '));
  return [shortNameOf(frame), ...facts].join(', ');
}

import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { functionOf } from '../facts/culprit.ts';

/**
 * The code of fixes in the names of the job. Rules write it with placeholders, `your_dataset`, `YourDataset`; here what the trace
 * knows takes their place. placeholders.ts says what the others stand for.
 */

/** What the trace knows of the job's names; undefined = not known. */
export interface OwnNames {
  /** `Rows`: the class of its dataset. */
  readonly dataset: string | undefined;
  /** `pad (train.py:30)`: as Judgement.place. */
  readonly place: string | undefined;
  readonly batchSize: number | undefined;
  /** Workers that were there; 0 = not known. */
  readonly workers: number;
  /** `train.py`: what was started. */
  readonly script: string | undefined;
}

/**
 * Placeholders for the function that a fix with a place is for. In another process (`APART`) only one that stands by itself:
 * a method would take its object along, and what it changes there would be lost.
 */
const OF_PLACE: ReadonlySet<string> = new Set([
  'your_build',
  'your_collate_fn',
  'your_make',
  'your_request',
  'your_write',
]);

const APART: ReadonlySet<string> = new Set(['your_evaluate', 'your_figure', 'your_function']);

/** `Encoder.` before the name of a method, not `<locals>.`; and the name. */
const CALLED = /(?:(?:^|\.)([A-Za-z_]\w*)\.)?(?:^|\.)?([A-Za-z_]\w*)$/;

/**
 * `find_sum` of `find_sum (train.py:42)`, as one would call it, and `your_tree.find_sum` of `Tree.find_sum`; undefined of what
 * has no such name, as a lambda.
 */
export function callable(place: string): string | undefined {
  const [, owner, name] = CALLED.exec(functionOf(place)) ?? [];
  if (owner === undefined || name === undefined) return name;
  const words = owner.replaceAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '_');
  const object = `your_${words.toLowerCase().replace(/^_+/, '')}`;
  if (name === '__call__') return object;
  return name.startsWith('__') ? undefined : `${object}.${name}`;
}

/** `fix` with its code in the names of the job. */
export function inOwnNames(fix: Fix, names: OwnNames): Fix {
  if (fix.language === 'shell') {
    const script = names.script ?? 'your_script.py';
    const said = (code: string) => code.replaceAll(/\btrain\.py\b/g, script);
    return { ...fix, before: said(fix.before), after: said(fix.after) };
  }
  const nameOf = namesFor(fix, names);
  const said = (code: string) => code.replaceAll(PLACEHOLDER, nameOf);
  return { ...fix, before: said(fix.before), after: said(fix.after) };
}

/** A name in the code of a fix that stands for one of the job’s. */
export const PLACEHOLDER = /\b(?:your_\w+|YourDataset)\b/g;

/** What stands for a placeholder of the code: itself where the trace knows nothing. */
function namesFor(
  { before, after }: Fix,
  { dataset, place, batchSize, workers }: OwnNames,
): (word: string) => string {
  const code = `${before}\n${after}`;
  const isMadeOnly = (code.match(/\byour_dataset\b/g) ?? []).length === countMade(code);
  const hasClass = /\bclass YourDataset\b/.test(code);
  const ofPlace = (word: string): string | undefined => {
    if (place === undefined) return undefined;
    // A method is no function that could be written down by its name alone.
    const isDefined = code.includes(`def ${word}(`);
    return isDefined || APART.has(word) ? /^([a-z_]\w*) \(/.exec(place)?.[1] : callable(place);
  };
  const known: Readonly<Record<string, string | undefined>> = {
    YourDataset: dataset,
    your_batch_size: batchSize?.toString(),
    your_num_workers: workers > 0 ? `${workers}` : undefined,
    your_dataset: isMadeOnly && !hasClass && dataset !== undefined ? `${dataset}(...)` : undefined,
  };
  return (word) => (OF_PLACE.has(word) || APART.has(word) ? ofPlace(word) : known[word]) ?? word;
}

/** How often the dataset is only handed to a loader. */
function countMade(code: string): number {
  return (code.match(/\b(?:DataLoader|Timed)\(your_dataset\b/g) ?? []).length;
}

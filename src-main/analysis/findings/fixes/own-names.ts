import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { functionOf } from '../facts/culprit.ts';

/**
 * The code of fixes in the names of the job. Rules write it with short stand-ins; here what the trace knows takes
 * their place, and where it knows nothing, a placeholder that says so: `your_files`, `YourDataset`.
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
  /** Names that a rule wrote as the trace has them. */
  readonly own: readonly string[];
}

/** Stand-ins for the class of the dataset. */
const DATASETS =
  'Counted Cropped Files Images Lines Locked Own Plain Records Remote Rows Samples Shards Told';
/** Stand-ins for the function that a fix with a place is for. */
const PLACES = 'ask collate evaluate';
/** Placeholders that say more than the stand-in, or something else. */
const PLACEHOLDERS: ReadonlyMap<string, string> = new Map([
  ['boxes', 'your_objects'],
  ['ragged', 'your_sequences'],
  ['raw', 'your_raw_samples'],
  ['scenes', 'your_samples'],
  ['ask', 'your_request'],
  ['tell', 'your_report'],
  // Classes that a fix itself adds.
  ['Balanced', 'YourSampler'],
  ['Blocks', 'YourBlocks'],
  ['Packed', 'YourPacked'],
]);
/** Stand-ins for all else that a script has, and for functions that a fix itself adds. */
const OTHERS =
  'answer augment build decode features fetch fetched files fill finish first folder images keep labels loss_fn metrics mine model optimizer prepare refresh table texts tokenize weights work write';

const words = (list: string) => new Set(list.split(' '));
const datasets = words(DATASETS);
const places = words(PLACES);
const others = words(OTHERS);

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
  return { ...fix, before: renamed(fix.before, nameOf), after: renamed(fix.after, nameOf) };
}

/** What stands for a word of the code: itself where it is no stand-in. */
function namesFor({ before, after }: Fix, names: OwnNames): (word: string) => string {
  const { dataset, place, batchSize, workers, own } = names;
  const code = `${before}\n${after}`;
  const isMadeOnly = (code.match(/\bdataset\b/g) ?? []).length === countMade(code);
  const hasClass = dataset !== undefined && new RegExp(`\\bclass ${dataset}\\b`).test(code);
  // A method is no function that could be written down by its name alone.
  const ofPlace = place === undefined ? undefined : /^([a-z_]\w*) \(/.exec(place)?.[1];
  return (word) => {
    if (own.includes(word)) return word;
    if (datasets.has(word)) return dataset ?? 'YourDataset';
    if (word === 'batch_size') return batchSize === undefined ? 'your_batch_size' : `${batchSize}`;
    if (word === 'num_workers') return workers > 0 ? `${workers}` : 'your_num_workers';
    if (word === 'dataset')
      return dataset !== undefined && isMadeOnly && !hasClass ? `${dataset}(...)` : 'your_dataset';
    if (places.has(word)) return ofPlace ?? PLACEHOLDERS.get(word) ?? `your_${word}`;
    return PLACEHOLDERS.get(word) ?? (others.has(word) ? `your_${word}` : word);
  };
}

/** How often the dataset is only handed to a loader. */
function countMade(code: string): number {
  return (code.match(/\b(?:DataLoader|Timed)\(dataset\b/g) ?? []).length;
}

/** Strings, comments, attributes and names of arguments are no names; words are. */
const TOKENS =
  /(?<quoted>\bf"(?:[^"\\\n]|\\.)*"|\bf'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<comment>#.*)|\.\s*\w+|\b\w+=(?!=)|(?<word>\b[A-Za-z_]\w*\b)/g;

function renamed(code: string, nameOf: (word: string) => string): string {
  return code.replace(TOKENS, (token, ...rest) => {
    const { quoted, word } = rest.at(-1) as { quoted?: string; word?: string };
    if (word !== undefined) return nameOf(word);
    // What stands between the braces of an f-string is code.
    if (quoted?.startsWith('f') === true)
      return token.replaceAll(/\{([^{}]*)\}/g, (_, inner: string) => `{${renamed(inner, nameOf)}}`);
    return token;
  });
}

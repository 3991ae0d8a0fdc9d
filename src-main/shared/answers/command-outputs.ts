/**
 * Whether two command lines differ only in where a job writes, or in what its run is called. It is told by the names of
 * options and the form of both values, never by what a value may mean: all else is another setting.
 */

/** `--output_dir`, `--outdir`, `--logging-dir`, `--save_path`, `--results_file`: what they name is written by their name. */
const OUTPUT_PLACE =
  /^(?:out(?:puts?)?|logs?|logging|save|results?|tensorboard)[-_]?(?:dir|directory|folder|path|file)$|^save[-_]to$|^hydra\.run\.dir$/;
/** These may be something else (`--save 500`, `--out bf16`), so that both values have to look like paths. */
const MAYBE_OUTPUT = /^(?:o|out|output|save)$/;
const RUN_NAME = /^(?:run|exp|experiment|wandb|wandb[-_]run)[-_]?name$/;
const TIMESTAMP = /^time[-_]?stamp$/;

/** Without what a shell or a list of settings is made of, and no address: `s3://` may take another time to write. */
const PLAIN = /^(?!-|\/dev\/|.*:\/\/)[\p{L}\p{N}\p{M}\\/:.~+@%_-]+$/u;
const SCALAR = /^(?:[-+]?[\d.]+(?:e[-+]?\d+)?|true|false|yes|no|on|off|none|null)$/i;
/** `20261130`, `2026-11-30_18-07-41`, `2026-11-30T18:07Z`. */
const DATE =
  /^(?:19|20)\d\d([-_.]?)[01]\d\1[0-3]\d(?:[-_.T]?[0-2]\d[-_.:h]?[0-5]\d(?:[-_.:m]?[0-5]\d)?[sZ]?)?$/;
const HAS_FOLDER = /[\\/]/;
const HAS_ENDING = /[^.\\/]\.[a-z]\w{0,9}$/i;
/** Files that a job reads to know what to do. */
const SETTINGS_FILE = /\.(?:py|sh|ya?ml|toml|cfg|conf|ini|json)$/i;

const isPlace = (value: string) => DATE.test(value) || !SCALAR.test(value);
const isPath = (value: string) =>
  (HAS_FOLDER.test(value) || HAS_ENDING.test(value)) && !SETTINGS_FILE.test(value);
/** A name that tells of a seed may be of a run with another one. */
const isSeedless = (value: string) => !/seed/i.test(value);

/** Options by their names, and the values that they may differ in. */
const rules: readonly (readonly [option: RegExp, value: (value: string) => boolean])[] = [
  [OUTPUT_PLACE, isPlace],
  [MAYBE_OUTPUT, isPath],
  [RUN_NAME, isSeedless],
  [TIMESTAMP, (value) => DATE.test(value)],
];

/** An option with its value: `--out a` or `--out=a`; Hydra’s have no dashes. */
interface Option {
  readonly name: string;
  readonly value: string;
}

/** Whether two command lines are the same but for where they write, and for names of runs. */
export function saysTheSame(first: string, second: string): boolean {
  const [were, are] = [wordsOf(first), wordsOf(second)];
  return (
    were.length === are.length &&
    were.every((was, at) => was === are[at] || isSameOutput(optionAt(were, at), optionAt(are, at)))
  );
}

function isSameOutput(one: Option | undefined, other: Option | undefined): boolean {
  if (one === undefined || other === undefined || one.name !== other.name) return false;
  const values = [one.value, other.value];
  return rules.some(
    ([option, holds]) =>
      option.test(one.name) && values.every((value) => PLAIN.test(value) && holds(value)),
  );
}

/** The option whose value the word at `at` has or is. */
function optionAt(words: readonly string[], at: number): Option | undefined {
  const [word = '', before = ''] = [words[at], words[at - 1]];
  const [, joined, value = ''] = /^(?:--?|(?=hydra\.))([a-z][\w.-]*)=(.+)$/.exec(word) ?? [];
  if (joined !== undefined) return { name: joined, value };
  const [, name] = /^--?([a-z][\w.-]*)$/.exec(before) ?? [];
  return name === undefined ? undefined : { name, value: word };
}

/** Words as they stand between blanks: a value with blanks in it is several, so that it is taken for another setting. */
const wordsOf = (command: string): readonly string[] => command.split(/\s+/).filter(Boolean);

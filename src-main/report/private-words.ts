/**
 * What in a text tells whose machine it was: host, user names, absolute paths, arguments. Found in the
 * texts of a trace, and then taken out wherever it stands.
 */

const HOST = '‹host›';
const USER = '‹user›';

export interface PrivateWords {
  readonly hosts: readonly string[];
  readonly users: readonly string[];
  /** Command lines as they were recorded. */
  readonly commandLines: readonly string[];
  /** Folders of files that are named as such: they may have spaces in them. */
  readonly folders: readonly string[];
}

/** Accounts and hosts that every machine has, and words too plain to be told from others. */
const PLAIN = new Set(
  'root user users ubuntu debian admin runner docker nobody localhost linux home node app python python3 main'.split(
    ' ',
  ),
);

/** After a host: the rest of its full name. */
const DOMAIN = '(?:\\.[a-z][a-z0-9-]*)*';

/** Shorter names are hidden as whole words only: they may be part of any other. */
const LONG_NAME = 8;

const HOME_OWNER = /(?:[\\/](?:home|Users)[\\/])([^\s\\/:"'`|<>]+)/g;

/** The users whose home folders a text names. */
export function homeOwners(text: string): string[] {
  if (!text.includes('home') && !text.includes('Users')) return [];
  return [...text.matchAll(HOME_OWNER)].flatMap(([, name]) => name ?? []);
}

/** Those worth hiding, the longest first, so that none is hidden in part. */
function telling(names: readonly string[]): string[] {
  return [...new Set(names)]
    .filter((name) => name.length >= 2 && !PLAIN.has(name.toLowerCase()))
    .sort((a, b) => b.length - a.length);
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Finds any of `names`, in any case, with what may follow; `undefined` where there is none. */
function finder(names: readonly string[], followed = ''): RegExp | undefined {
  const parts = names.map((name) =>
    name.length >= LONG_NAME ? literal(name) : `(?<![A-Za-z0-9])${literal(name)}(?![A-Za-z0-9])`,
  );
  return parts.length === 0 ? undefined : new RegExp(`(?:${parts.join('|')})${followed}`, 'gi');
}

/** A part of a path, in a set of characters of its own: quotes, brackets and spaces end it. */
const COMPONENT = '[^\\s\\\\/:"\'`|<>()[\\]{},;=*]';
/** At least two folders deep: `/s` and `H2D/D2H` are no paths. Not after a word: `src/a/b`, `https://a.b/c`. */
const POSIX_PATH = new RegExp(
  String.raw`(?<![\w.…/-])(?:file://)?~?/(?:${COMPONENT}+/)+(${COMPONENT}*)`,
  'g',
);
/** Also where it follows an option: `-I/home/…`. */
const HOME_PATH = new RegExp(`~?/(?:home|Users|root)/(?:${COMPONENT}+/)*(${COMPONENT}*)`, 'g');
const WINDOWS_PATH = new RegExp(
  String.raw`(?:\b[A-Za-z]:|\\)[\\/](?:${COMPONENT}+[\\/])*(${COMPONENT}*)`,
  'g',
);
/**
 * A login (`alice@gpu-7:`) or an e-mail address; `memcpy@GLIBC_2.14` and `free@plt` are symbols. It
 * begins where its characters do: looked for from each of them, long words take the square of their
 * length.
 */
const LOGIN = /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[A-Za-z][\w-]*)*(?:(?=:[~/])|\.[A-Za-z]{2,})/g;
/** Versions begin with small numbers. */
const ADDRESS =
  /(?<![\w.])(?:[1-9]\d|1\d\d|2[0-4]\d|25[0-5])(?:\.(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])){3}(?![\w.]*\w)/g;

/** An argument that is no plain word: `--token=abc`, `run-17`. */
function isTellingArgument(word: string): boolean {
  return word.length >= 6 && /[\d=/@:._-]/.test(word) && !/\.(py|sh|ipynb)$/.test(word);
}

function replaced(text: string, find: RegExp | undefined, by: string): string {
  return find === undefined ? text : text.replace(find, by);
}

/** A function that takes hosts and users out of a text. */
export function nameHider(
  hosts: readonly string[],
  users: readonly string[],
): (text: string) => string {
  const short = hosts.map((host) => host.split('.')[0] ?? host);
  const findHost = finder(telling([...hosts, ...short]), DOMAIN);
  const findUser = finder(telling(users));
  return (text) => replaced(replaced(text, findHost, HOST), findUser, USER);
}

/** A function that takes all private words out of a text. */
export function hider({ hosts, users, commandLines, folders }: PrivateWords) {
  const hideNames = nameHider(hosts, users);
  const whole = [...commandLines, ...folders]
    .filter((text) => text.length >= 4)
    .sort((a, b) => b.length - a.length);
  const findWhole = whole.length === 0 ? undefined : new RegExp(whole.map(literal).join('|'), 'g');
  const given = commandLines.flatMap((line) => line.split(/\s+/).slice(1));
  const values = given.flatMap((argument) => argument.split('=').slice(1));
  const findArgument = finder(telling([...given, ...values].filter(isTellingArgument)));
  return (text: string): string => {
    const withoutPaths = replaced(replaced(text, findWhole, '…'), findArgument, '…')
      .replace(HOME_PATH, '…/$1')
      .replace(POSIX_PATH, '…/$1')
      .replace(WINDOWS_PATH, '…\\$1')
      .replace(LOGIN, `${USER}@${HOST}`)
      .replace(ADDRESS, HOST);
    return hideNames(withoutPaths);
  };
}

/** A program's name without what it was called with: `python train.py --data x` → `python train.py …`. */
export function withoutArguments(name: string): string {
  return name.replace(/\s--?[A-Za-z].*?(?=\s\(tid \d+\)$|$)/s, ' …');
}

/** A file without its folders. */
export function fileOnly(path: string): string {
  const base = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return base === path ? path : `…/${base}`;
}

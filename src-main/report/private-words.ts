/**
 * What in a text tells whose machine it was: host, user names, absolute paths, arguments. Found in the
 * texts of a trace, and then taken out wherever it stands.
 */

const HOST = '‹host›';
const USER = '‹user›';

/** A name by which a host is known, and what stands for it. */
export interface HostName {
  readonly name: string;
  readonly word: string;
}

/** What stands for the host at `index` of `count`: of several each has a number, so that they stay apart. */
export function hostWord(index = 0, count = 1): string {
  return count > 1 ? `‹host ${index + 1}›` : HOST;
}

export interface PrivateWords {
  /** Their names; what has several hosts numbers them: see hostWord. */
  readonly hosts: readonly HostName[];
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

/** What stands for a host where a text names it, with or without its domain. */
function wordFinder(hosts: readonly HostName[]): (found: string) => string {
  const sorted = hosts
    .map(({ name, word }) => ({ name: name.toLowerCase(), word }))
    .sort((a, b) => b.name.length - a.name.length);
  return (found) => {
    const text = found.toLowerCase();
    const isOf = (name: string) => text === name || text.startsWith(`${name}.`);
    return sorted.find(({ name }) => isOf(name))?.word ?? HOST;
  };
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

/**
 * A character of a part of a path: quotes, brackets and spaces end it, unless the space is escaped. A
 * drive after it begins a path of its own: `\\\ E:\x`.
 */
const CHARACTER = '(?:\\\\ (?![A-Za-z]:[\\\\/])|[^\\s\\\\/:"\'`|<>()[\\]{},;=*])';
const COMPONENT = `${CHARACTER}+`;
/**
 * A folder within a path, of three words at most: with more, or after a file's ending, it is prose. So
 * is what ends in `GB/s`, `and/or` and `n/a`.
 */
const FOLDER = `${COMPONENT}(?:(?<!\\.\\w{1,8}) ${COMPONENT}){0,2}`;
const NO_WORD_PAIR = '(?!(?:s|or|a)(?![\\w.-]))';
const FOLDERS = `(?:${COMPONENT}/|${FOLDER}/${NO_WORD_PAIR})*`;
/** At least two folders deep: `/s` and `H2D/D2H` are no paths. Not after a word: `src/a/b`. */
const POSIX_PATH = new RegExp(
  String.raw`(?<![\w.\u2026/\u203a-])(?:(?:file://)?/${COMPONENT}/|~/${FOLDER}/)${FOLDERS}(${CHARACTER}*)`,
  'g',
);
/** Also where it follows an option: `-I/home/…`. */
const HOME_PATH = new RegExp(`~?/(?:home|Users|root)/${FOLDERS}(${CHARACTER}*)`, 'g');
const WINDOWS_PATH = new RegExp(
  String.raw`(?:\b[A-Za-z]:|\\)[\\/](?:${FOLDER}[\\/])*(${CHARACTER}*)`,
  'g',
);
/**
 * In quotes all up to the other one is the path, whatever its folders are called. The other one may
 * begin a path too: after a quote without its pair (`"/ File "/data/…"`) nobody knows which end.
 */
const QUOTED_PATH =
  /(["'`])(?:file:\/\/)?(?:~?\/|[A-Za-z]:[\\/]|\\\\)[^"'`\r\n]*([\\/])([^"'`\r\n\\/]*)(?=\1)/g;
/** Who is asked, and in which folders. Begins where its characters do, as LOGIN does. */
const URL_PLACE = new RegExp(
  String.raw`(?<![a-z0-9+.-])([a-z0-9+.-]+://)([^\s/?#@"'\`<>|]*@)?(\[[^\]\s]+\]|[^\s/:?#"'\`<>|()[\]{},;*]+)(:\d+)?(/(?:${COMPONENT}/)+)?`,
  'gi',
);
/**
 * A login (`alice@gpu-7:`) or an e-mail address; `memcpy@GLIBC_2.14` and `free@plt` are symbols. It
 * begins where its characters do: looked for from each of them, long words take the square of their
 * length.
 */
const LOGIN = /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[A-Za-z][\w-]*)*(?:(?=:[~/])|\.[A-Za-z]{2,})/g;
/** Whose files a mount shows: `nfs4 of nas:/data`. */
const MOUNT_SOURCE =
  /\b((?:nfs\d?|cifs|smb\d?|ceph|lustre|beegfs|gpfs|afs|9p|virtiofs|glusterfs|wekafs|orangefs|pvfs2|fuse(?:\.[\w-]+)*) of )[^\s()]+/g;
/** Versions begin with small numbers. */
const ADDRESS =
  /(?<![\w.])(?:[1-9]\d|1\d\d|2[0-4]\d|25[0-5])(?:\.(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])){3}(?![\w.]*\w)/g;

/** The first group of addresses that are given to machines: `c10::add` is none. */
const ADDRESS_BLOCK = '(?:[23][0-9a-f]{3}|f[cdf][0-9a-f]{2}|fe[89ab][0-9a-f])';
const GROUP = '[0-9a-f]{1,4}';
const ADDRESS_6 = new RegExp(
  String.raw`(?<!\w)(?:(?:${GROUP}:){7}${GROUP}|${ADDRESS_BLOCK}(?::${GROUP}){0,6}::(?:${GROUP}(?::${GROUP}){0,6})?)(?:%[\w.-]+)?(?!\w)`,
  'gi',
);

/** An argument that is no plain word: `--token=abc`, `run-17`. */
function isTellingArgument(word: string): boolean {
  return word.length >= 6 && /[\d=/@:._-]/.test(word) && !/\.(py|sh|ipynb)$/.test(word);
}

function replaced(
  text: string,
  find: RegExp | undefined,
  by: string | ((found: string) => string),
): string {
  if (find === undefined) return text;
  return typeof by === 'string' ? text.replace(find, by) : text.replace(find, by);
}

function placeHider(wordOf: (host: string) => string) {
  return (
    _url: string,
    scheme: string,
    login: string | undefined,
    host: string,
    port = '',
    folders: string | undefined,
  ): string => {
    const user = login === undefined ? '' : `${USER}@`;
    return `${scheme}${user}${wordOf(host)}${port}${folders === undefined ? '' : '/…/'}`;
  };
}

/** A function that takes hosts and users out of a text. */
export function nameHider(
  hosts: readonly HostName[],
  users: readonly string[],
): (text: string) => string {
  const all = withShortNames(hosts);
  const findHost = finder(telling(all.map(({ name }) => name)), DOMAIN);
  const findUser = finder(telling(users));
  const wordOf = wordFinder(all);
  return (text) => replaced(replaced(text, findHost, wordOf), findUser, USER);
}

function withShortNames(hosts: readonly HostName[]): HostName[] {
  return [...hosts, ...hosts.map(({ name, word }) => ({ name: name.split('.')[0] ?? name, word }))];
}

/** A function that takes all private words out of a text. */
export function hider({ hosts, users, commandLines, folders }: PrivateWords) {
  const hideNames = nameHider(hosts, users);
  const wordOf = wordFinder(withShortNames(hosts));
  const hidePlace = placeHider(wordOf);
  const hideLogin = (login: string) => `${USER}@${wordOf(login.slice(login.indexOf('@') + 1))}`;
  const whole = [...commandLines, ...folders]
    .filter((text) => text.length >= 4)
    .sort((a, b) => b.length - a.length);
  const findWhole = whole.length === 0 ? undefined : new RegExp(whole.map(literal).join('|'), 'g');
  const given = commandLines.flatMap((line) => line.split(/\s+/).slice(1));
  const values = given.flatMap((argument) => argument.split('=').slice(1));
  const findArgument = finder(telling([...given, ...values].filter(isTellingArgument)));
  return (text: string): string => {
    const withoutPaths = replaced(replaced(text, findWhole, '…'), findArgument, '…')
      .replace(MOUNT_SOURCE, '$1…')
      .replace(URL_PLACE, hidePlace)
      .replace(QUOTED_PATH, '$1…$2$3')
      .replace(HOME_PATH, '…/$1')
      .replace(POSIX_PATH, '…/$1')
      .replace(WINDOWS_PATH, '…\\$1')
      .replace(LOGIN, hideLogin)
      .replace(ADDRESS, HOST)
      .replace(ADDRESS_6, HOST);
    return hideNames(withoutPaths);
  };
}

/** A program's name without what it was called with: `python train.py --data x` → `python train.py …`. */
export function withoutArguments(name: string): string {
  return name.replace(/\s--?[A-Za-z].*?(?=\s\(tid \d+\)$|$)/s, ' …');
}

/** `stalltrace capture …` without what it runs, in which folder and with which settings. */
export function withoutCommand(capture: string): string {
  return capture.replace(/ -- .*$/s, ' -- COMMAND…').replace(/ --(?:folder|env) .*(?= --)/s, '');
}

/** A file without its folders. */
export function fileOnly(path: string): string {
  const base = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return base === path ? path : `…/${base}`;
}

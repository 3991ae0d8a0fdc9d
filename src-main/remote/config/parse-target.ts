import { type HostTarget, hostTarget } from '../../shared/remote/host-target.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import { parseHop, parseJumps } from './jump-spec.ts';
import { splitArguments } from './split-line.ts';

type Parsed<T> = Result<T, 'bad-target'>;

/** What is collected from the words; the first of a kind holds, as with ssh. */
interface Draft {
  user?: string | undefined;
  port?: string | undefined;
  identityFiles: string[];
  jump?: string;
}

/** Options of ssh without a value that change nothing about how a host is reached. */
const HARMLESS = 'aCkNnqTtvxXyY46fgG';

/** Ports that providers' lines forward; nothing of a capture needs them. */
const FORWARDS = 'LRD';

const EXAMPLE = 'Paste it as “ssh -p 2222 user@host”, or as user@host:port.';

/** Reads what a person pastes: an `ssh` line, `user@host:port`, `ssh://user@host:port`. No shell sees it. */
export function parseTarget(text: string): Parsed<HostTarget> {
  const words = splitArguments(
    text
      .replace(/\\?[\r\n]+/g, ' ')
      .trim()
      .replace(/^\$\s+/, ''),
  );
  if (words === undefined) return bad(`A quote is not closed. ${EXAMPLE}`);
  const [first, ...rest] = words;
  if (first === undefined) return bad(`There is no host in it. ${EXAMPLE}`);
  const draft: Draft = { identityFiles: [] };
  if (!isSsh(first)) {
    const alone = rest.length === 0 ? takeHost(first, draft) : undefined;
    if (alone !== undefined) return alone.ok ? finish(alone.value, draft) : alone;
    return bad(`That is not a line for ssh: it begins with “${cleanText(first, 40)}”. ${EXAMPLE}`);
  }
  const host = readWords(rest, draft);
  return host.ok ? finish(host.value, draft) : host;
}

function isSsh(word: string): boolean {
  return /^(.*[/\\])?ssh(\.exe)?$/i.test(word);
}

/** The options before and after the host; returns the host's name. */
function readWords(words: readonly string[], draft: Draft): Parsed<string> {
  const left = [...words];
  let name: string | undefined;
  let optionsEnded = false;
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--' && !optionsEnded) optionsEnded = true;
    else if (word.startsWith('-') && word !== '-' && !optionsEnded) {
      const problem = readOptions(word, left, draft);
      if (problem !== undefined) return bad(problem);
    } else if (name !== undefined) return bad(commandAfter(word, name));
    else {
      const host = takeHost(word, draft);
      if (!host.ok) return host;
      name = host.value;
    }
  }
  return name === undefined ? bad(`There is no host in it. ${EXAMPLE}`) : ok(name);
}

/** `user@host:port`; what an option before it said of user and port holds. */
function takeHost(word: string, draft: Draft): Parsed<string> {
  const hop = parseHop(word);
  if (hop === undefined) return bad(`“${cleanText(word, 80)}” is not a host. ${EXAMPLE}`);
  draft.user ??= hop.user;
  draft.port ??= hop.port?.toString();
  return ok(hop.name);
}

function commandAfter(word: string, host: string): string {
  return `After the host ${cleanText(host, 60)} comes a command (“${cleanText(word, 40)}”): leave it out; what to capture is chosen once the host is connected.`;
}

/** One word of options, as `-p`, `-p2222`, `-vA` or `-tp 22`; returns what is wrong with it. */
function readOptions(word: string, left: string[], draft: Draft): string | undefined {
  for (let at = 1; at < word.length; at += 1) {
    const letter = word.charAt(at);
    if (HARMLESS.includes(letter)) continue;
    if (!`plioJ${FORWARDS}`.includes(letter)) {
      return `The option ${cleanText(word, 40)} is not understood here: leave it out, or put it into the SSH configuration under a Host of its own and connect to that.`;
    }
    const value = at + 1 < word.length ? word.slice(at + 1) : left.shift();
    if (value === undefined || value === '')
      return `The option -${letter} has no value. ${EXAMPLE}`;
    return takeValue(letter, value, draft);
  }
  return undefined;
}

function takeValue(letter: string, value: string, draft: Draft): string | undefined {
  if (letter === 'p') draft.port ??= value;
  else if (letter === 'l') draft.user ??= value;
  else if (letter === 'i') draft.identityFiles.push(value);
  else if (letter === 'J') draft.jump ??= value;
  else if (letter === 'o') return takeConfigOption(value, draft);
  return undefined;
}

/** How much a host key is checked is decided by a person, never by a pasted line. */
const IGNORED = new Set([
  'stricthostkeychecking',
  'userknownhostsfile',
  'loglevel',
  'serveraliveinterval',
  'serveralivecountmax',
  'connecttimeout',
  'identitiesonly',
  'forwardagent',
  'requesttty',
]);

function takeConfigOption(text: string, draft: Draft): string | undefined {
  const [, name = '', value = ''] = /^\s*([A-Za-z0-9]+)\s*[=\s]\s*(.*?)\s*$/s.exec(text) ?? [];
  const keyword = name.toLowerCase();
  if (IGNORED.has(keyword)) return undefined;
  if (value === '') return `The option -o ${cleanText(text, 60)} has no value. ${EXAMPLE}`;
  if (keyword === 'port') draft.port ??= value;
  else if (keyword === 'user') draft.user ??= value;
  else if (keyword === 'identityfile') draft.identityFiles.push(value);
  else if (keyword === 'proxyjump') draft.jump ??= value;
  else {
    return `The option -o ${cleanText(name === '' ? text : name, 60)} is not understood here: put it into the SSH configuration under a Host of its own and connect to that.`;
  }
  return undefined;
}

function finish(name: string, draft: Draft): Parsed<HostTarget> {
  const port = draft.port === undefined ? undefined : Number(draft.port);
  if (port !== undefined && !(/^\d+$/.test(draft.port ?? '') && port >= 1 && port <= 65_535)) {
    return bad(
      `“${cleanText(draft.port ?? '', 40)}” is not a port: it is a number from 1 to 65535.`,
    );
  }
  const jumps = draft.jump === undefined ? undefined : parseJumps(draft.jump);
  if (draft.jump !== undefined && jumps === undefined) {
    return bad(
      `“${cleanText(draft.jump, 80)}” is not a list of jump hosts: write them as user@host:port, separated by commas.`,
    );
  }
  return whole(name, port, draft, jumps);
}

function whole(
  name: string,
  port: number | undefined,
  draft: Draft,
  jumps: readonly HostTarget[] | undefined,
): Parsed<HostTarget> {
  const { user } = draft;
  const target = hostTarget.safeParse({
    name,
    ...(user === undefined ? {} : { user }),
    ...(port === undefined ? {} : { port }),
    ...(draft.identityFiles.length === 0 ? {} : { identityFiles: draft.identityFiles }),
    ...(jumps === undefined ? {} : { jumps: jumps.map(formatHop) }),
  });
  if (target.success) return ok(target.data);
  const what = String(target.error.issues[0]?.path[0] ?? 'name');
  const names: Readonly<Record<string, string>> = {
    user: `“${cleanText(user ?? '', 40)}” is not a user name`,
    identityFiles: 'Those are too many key files, or one of their paths is too long',
    jumps: 'Those are too many jump hosts',
  };
  return bad(`${names[what] ?? `“${cleanText(name, 80)}” is not a host`}. ${EXAMPLE}`);
}

/** A hop as `HostTarget.jumps` holds it. */
export function formatHop({ name, user, port }: HostTarget): string {
  const host = name.includes(':') ? `[${name}]` : name;
  return `${user === undefined ? '' : `${user}@`}${host}${port === undefined ? '' : `:${port}`}`;
}

function bad(message: string): Result<never, 'bad-target'> {
  return fail('bad-target', message);
}

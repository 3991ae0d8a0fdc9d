import type { TraceSummary } from '../shared/summary.ts';

/** `/a/b`, `~/a`, `C:\a`: an absolute path, up to a character no path has unquoted. */
const PATH = /(?<![\w.])(?:~|[A-Za-z]:)?[\\/](?:[^\s"'<>|,;:()[\]{}]+[\\/])*[^\s"'<>|,;:()[\]{}]+/g;
const HOME = /(?:[\\/](?:home|Users)[\\/])([^\s\\/"']+)/g;

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function wordsOf(terms: readonly string[]): RegExp | undefined {
  if (terms.length === 0) return undefined;
  const longestFirst = [...new Set(terms)].sort((a, b) => b.length - a.length);
  return new RegExp(`(?<!\\w)(?:${longestFirst.map(escapeRegExp).join('|')})(?!\\w)`, 'gi');
}

/** A process by its program alone: `/usr/bin/python3 train.py --key x` is `python3`. */
function programOf(name: string): string {
  const [program = ''] = name.trim().split(/\s+/);
  return program.split(/[\\/]/).at(-1) ?? program;
}

/** Takes the machine's name, users, paths and arguments of commands out of a text. */
export function privacyFilter(summary: TraceSummary): (text: string) => string {
  const { hostname } = summary.machine;
  const commands = summary.processes.flatMap(({ name, commandLine }) => [name, commandLine ?? '']);
  const withArguments = new Map(
    commands
      .filter((command) => /\s-|[\\/]/.test(command))
      .map((command) => [command, programOf(command)]),
  );
  const users = commands.flatMap((command) =>
    [...command.matchAll(HOME)].map(([, user]) => user ?? ''),
  );
  const hosts = wordsOf(hostname === undefined || hostname.length < 2 ? [] : [hostname]);
  const names = wordsOf(users.filter((user) => user.length > 1));
  return (text) => {
    let hidden = text;
    for (const [command, program] of withArguments) hidden = hidden.replaceAll(command, program);
    hidden = hidden.replace(PATH, '‹path›');
    if (hosts !== undefined) hidden = hidden.replace(hosts, '‹host›');
    return names === undefined ? hidden : hidden.replace(names, '‹user›');
  };
}

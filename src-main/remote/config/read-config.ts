import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { describeThrown } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { ConfigEnvironment } from './config-environment.ts';
import { expandTilde } from './expand-tokens.ts';
import { globPaths } from './glob-paths.ts';
import { splitArguments, splitKeyword } from './split-line.ts';

/** One line that says something; of an `Include`, the files it stands for. */
export interface ConfigLine {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Lower case. */
  readonly keyword: string;
  /** What follows it, as it stands there. */
  readonly rest: string;
  /** The arguments that `rest` holds; undefined where a quote is not closed. */
  readonly words: readonly string[] | undefined;
  readonly included?: readonly (readonly ConfigLine[])[];
}

export interface SshConfig {
  /** The user's file, then the machine's. */
  readonly files: readonly (readonly ConfigLine[])[];
  /** A sentence each. */
  readonly problems: readonly string[];
  /** The user's file; absent where there is none. */
  readonly configFile?: string;
  /** Set where ssh itself would refuse to go on: a sentence with the next step. */
  readonly refused?: string;
}

/** As in OpenSSH (READCONF_MAX_DEPTH). */
const DEEPEST_INCLUDE = 16;
const LARGEST_FILE = 1024 ** 2;
const MOST_FILES = 512;
const MOST_LINES = 100_000;

const GROUP_OR_OTHERS_WRITE = 0o022;

/** Reads the user's and the machine's configuration with all they include. Never throws, runs nothing. */
export function readConfig(environment: ConfigEnvironment): SshConfig {
  const reader = new ConfigReader(environment);
  const path = environment.configFile ?? join(environment.homeFolder, '.ssh', 'config');
  const explicit = environment.configFile !== undefined;
  const user = reader.file(path, { ofUser: true, checksOwner: !explicit, depth: 0 });
  if (user === undefined && explicit)
    reader.refuse(`There is no SSH configuration at ${cleanText(path)}.`);
  const machine = explicit
    ? undefined
    : reader.file(environment.systemConfigFile ?? '/etc/ssh/ssh_config', {
        ofUser: false,
        checksOwner: false,
        depth: 0,
      });
  return {
    files: [user ?? [], machine ?? []],
    problems: reader.problems,
    ...(user === undefined ? {} : { configFile: path }),
    ...(reader.refused === undefined ? {} : { refused: reader.refused }),
  };
}

interface FileRules {
  readonly ofUser: boolean;
  readonly checksOwner: boolean;
  readonly depth: number;
}

class ConfigReader {
  readonly problems: string[] = [];
  refused: string | undefined;
  readonly #environment: ConfigEnvironment;
  /** Of the file being read and of those that include it: the same one again is a circle. */
  readonly #open: string[] = [];
  #files = 0;
  #lines = 0;

  constructor(environment: ConfigEnvironment) {
    this.#environment = environment;
  }

  refuse(sentence: string): void {
    this.refused ??= sentence;
    this.problems.push(sentence);
  }

  /** Undefined where there is no such file. */
  file(path: string, rules: FileRules): readonly ConfigLine[] | undefined {
    if (this.#open.includes(path) || rules.depth > DEEPEST_INCLUDE) {
      this.problems.push(
        `${cleanText(path)} is left out: the files of the SSH configuration include one another in a circle, or more than ${DEEPEST_INCLUDE} deep.`,
      );
      return [];
    }
    this.#files += 1;
    if (this.#files > MOST_FILES) {
      if (this.#files === MOST_FILES + 1)
        this.problems.push(
          `The SSH configuration has more than ${MOST_FILES} files: the rest is left out.`,
        );
      return [];
    }
    const text = this.#text(path, rules);
    if (text === undefined || text === null) return text === null ? undefined : [];
    this.#open.push(path);
    const lines = this.#parse(path, text, rules);
    this.#open.pop();
    return lines;
  }

  /** `null`: there is none; undefined: it can't be used, which is noted. */
  #text(path: string, rules: FileRules): string | null | undefined {
    const read = readRegularFile(path);
    if (read.kind === 'missing') return null;
    const name = cleanText(path);
    if (read.kind === 'failed') {
      this.refuse(
        `${name} can't be read (${read.why}): make it a readable file of less than 1 MB.`,
      );
      return undefined;
    }
    if (rules.checksOwner && this.#mayBeWrittenByOthers(read)) {
      this.refuse(
        `${name} may be changed by other users of this machine, so ssh doesn't use it: run “chmod 600 ${name}”, and see that it is yours.`,
      );
      return undefined;
    }
    return read.text;
  }

  #mayBeWrittenByOthers(file: { uid: number; mode: number }): boolean {
    if (this.#environment.platform === 'win32') return false;
    const ours = file.uid === 0 || file.uid === this.#environment.uid;
    return !ours || (file.mode & GROUP_OR_OTHERS_WRITE) !== 0;
  }

  #parse(path: string, text: string, rules: FileRules): readonly ConfigLine[] {
    const lines: ConfigLine[] = [];
    for (const [index, line] of text.split('\n').entries()) {
      const split = splitKeyword(line);
      if (split === undefined) continue;
      if (++this.#lines > MOST_LINES) {
        this.problems.push(`${cleanText(path)} is cut: the SSH configuration is too long.`);
        break;
      }
      const words = splitArguments(split.rest);
      const included =
        split.keyword === 'include'
          ? { included: this.#include(words ?? [], path, rules) }
          : undefined;
      lines.push({ file: path, line: index + 1, ...split, words, ...included });
    }
    return lines;
  }

  #include(words: readonly string[], from: string, rules: FileRules): (readonly ConfigLine[])[] {
    const { homeFolder, systemConfigFile } = this.#environment;
    const base = rules.ofUser
      ? join(homeFolder, '.ssh')
      : dirname(systemConfigFile ?? '/etc/ssh/ssh_config');
    return words
      .filter((word) => word !== '')
      .flatMap((word) => {
        if (word.startsWith('~') && !rules.ofUser) {
          this.problems.push(
            `${cleanText(from)} includes ${cleanText(word)}, which only a user's file may.`,
          );
          return [];
        }
        const path = expandTilde(word, this.#environment);
        return globPaths(isAbsolute(path) ? path : join(base, path));
      })
      .map(
        (path) => this.file(path, { ...rules, checksOwner: true, depth: rules.depth + 1 }) ?? [],
      );
  }
}

type ReadFile =
  | { kind: 'read'; text: string; uid: number; mode: number }
  | { kind: 'missing' }
  | { kind: 'failed'; why: string };

/** A pipe or a device would keep the process waiting: only plain files are read. */
function readRegularFile(path: string): ReadFile {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const { uid, mode, size, ...stat } = fstatSync(descriptor);
    if (size > LARGEST_FILE) return { kind: 'failed', why: 'it is too large' };
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) {
      return { kind: 'failed', why: `it is not a file${stat.nlink === 0 ? ' any more' : ''}` };
    }
    return { kind: 'read', text: configText(readFileSync(descriptor)), uid, mode };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    return { kind: 'failed', why: code ?? describeThrown(error) };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Editors of Windows begin a file with a byte-order mark, which is no part of its first keyword. */
function configText(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}

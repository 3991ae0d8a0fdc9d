import type { Node, Param } from './node.ts';
import { NotMangled } from './not-mangled.ts';

/** Names nest this deep at most: real ones stay below 100, a hostile one must not end the stack. */
const MAX_DEPTH = 256;

/** The rules that refer to each other across files. */
export interface Grammar {
  /** `isScope`: what is local to it follows. */
  encoding(input: Input, isScope?: boolean): Node;
  name(input: Input, ofEncoding: boolean): Node;
  type(input: Input): Node;
  expression(input: Input): Node;
  templateArgs(input: Input, isTagged: boolean): Node[];
  unqualifiedName(input: Input, scope: Node | undefined): Node;
}

/** A mangled name being read, with what it can refer back to. */
export class Input {
  readonly grammar: Grammar;
  readonly #text: string;
  at = 0;
  #depth = 0;
  /** What S_, S0_, … stand for. */
  substitutions: Node[] = [];
  /** What T_, T0_, … stand for. */
  templateParams: readonly Node[] = [];
  /** Parameters seen before their template's arguments. */
  forward: Param[] = [];
  /** Whether a parameter may be one that is not known yet, or never will be. */
  mayLookAhead = false;
  inLambda = false;
  /** Set by the last name that was read. */
  endsWithTemplateArgs = false;
  isStructorOrConversion = false;
  functionSuffix = '';

  constructor(value: string, grammar: Grammar) {
    this.#text = value;
    this.grammar = grammar;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#text.length;
  }

  peek(ahead = 0): string {
    return this.#text[this.at + ahead] ?? '';
  }

  startsWith(value: string): boolean {
    return this.#text.startsWith(value, this.at);
  }

  /** Steps over `value`, where it comes next. */
  take(value: string): boolean {
    if (!this.startsWith(value)) return false;
    this.at += value.length;
    return true;
  }

  expect(value: string): void {
    if (!this.take(value)) throw new NotMangled(`no ${value} at ${this.at}`);
  }

  next(length = 1): string {
    const value = this.#text.slice(this.at, this.at + length);
    if (value.length < length) throw new NotMangled('ends early');
    this.at += length;
    return value;
  }

  /** Characters as long as they match. */
  takeWhile(pattern: RegExp): string {
    const from = this.at;
    while (pattern.test(this.peek())) this.at++;
    return this.#text.slice(from, this.at);
  }

  rest(): string {
    return this.#text.slice(this.at);
  }

  /** A decimal number; `n` before it makes it negative. */
  number(): string {
    const sign = this.take('n') ? '-' : '';
    const digits = this.takeWhile(/\d/);
    if (digits === '') throw new NotMangled(`no number at ${this.at}`);
    return sign + digits;
  }

  /** `_` = 0, `0_` = 1: how things that repeat are counted. */
  sequence(pattern: RegExp, base: number): number {
    const digits = this.takeWhile(pattern);
    this.expect('_');
    const value = digits === '' ? 0 : Number.parseInt(digits, base) + 1;
    if (!Number.isSafeInteger(value)) throw new NotMangled('a number too large');
    return value;
  }

  remember(node: Node): Node {
    this.substitutions.push(node);
    return node;
  }

  /** Runs a rule one level deeper. */
  nested<T>(rule: () => T): T {
    if (++this.#depth > MAX_DEPTH) throw new NotMangled('nested too deep');
    const result = rule();
    this.#depth--;
    return result;
  }

  /** Reads until `E`. */
  listUntilE<T>(rule: () => T): T[] {
    const items: T[] = [];
    while (!this.take('E')) {
      if (this.isAtEnd) throw new NotMangled('a list without end');
      items.push(rule());
    }
    return items;
  }
}

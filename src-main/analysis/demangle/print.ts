import { type FunctionType, type Node, text } from './node.ts';
import { NotMangled } from './not-mangled.ts';

/** Names refer to parts of themselves, so that a short one can stand for gigabytes. */
const MAX_VISITS = 20_000;
const MAX_LENGTH = 16_384;
const MAX_DEPTH = 512;
const MAX_STEPS = 64;

/** Prints a name as binutils' c++filt does. A type is printed in two halves, around what it declares. */
export class Printer {
  #visits = 0;
  /** Which item of a pack is printed, inside an expansion. */
  #item: number | undefined;
  #inLambda = false;
  #depth = 0;

  print(node: Node): string {
    if (++this.#depth > MAX_DEPTH) throw new NotMangled('nested too deep');
    const written = this.#left(node) + this.#right(node);
    this.#depth--;
    if (written.length > MAX_LENGTH) throw new NotMangled('too long');
    return written;
  }

  #left(node: Node): string {
    if (++this.#visits > MAX_VISITS) throw new NotMangled('too many parts');
    switch (node.kind) {
      case 'text':
        return node.text;
      case 'parts':
        return node.parts
          .map((part) => (typeof part === 'string' ? part : this.print(part)))
          .join('');
      case 'nested':
        return `${this.print(node.scope)}::${this.print(node.name)}`;
      case 'template':
        return this.#template(this.print(node.name), node.args);
      case 'structor':
        return (node.isDestructor ? '~' : '') + this.print(node.of);
      case 'conversion':
        return `operator ${this.print(node.type)}`;
      case 'tagged':
        return `${this.print(node.name)}[abi:${node.tag}]`;
      case 'lambda':
        return this.#lambda(node);
      case 'param':
        return this.#param(node, (value) => this.#left(value));
      case 'pack':
        return this.#list(node.items);
      case 'expansion':
        return this.#expansion(node.of);
      case 'encoding':
        return this.#encoding(node.name, node.type);
      default:
        return this.#leftOfType(node);
    }
  }

  #leftOfType(
    node: Extract<
      Node,
      { kind: 'pointer' | 'qualified' | 'member-pointer' | 'array' | 'function' }
    >,
  ): string {
    switch (node.kind) {
      case 'pointer': {
        const { to, mark } = this.#collapsed(node);
        return this.#left(to) + this.#opening(to) + mark;
      }
      case 'qualified':
        return this.#qualified(node.type, node.words);
      case 'member-pointer':
        return `${this.#left(node.member)}${this.#opening(node.member) || ' '}${this.print(node.scope)}::*`;
      case 'array':
        return this.#left(node.of);
      case 'function':
        return this.#result(node);
    }
  }

  #right(node: Node): string {
    switch (node.kind) {
      case 'pointer': {
        const { to } = this.#collapsed(node);
        return (this.#opening(to) === '' ? '' : ')') + this.#right(to);
      }
      case 'member-pointer':
        return (this.#opening(node.member) === '' ? '' : ')') + this.#right(node.member);
      case 'qualified':
        return this.#right(node.type);
      case 'array': {
        const rest = this.#right(node.of);
        const size = node.size === undefined ? '' : this.print(node.size);
        return `${rest.startsWith('[') ? '' : ' '}[${size}]${rest.trimStart().startsWith('[') ? rest.trimStart() : rest}`;
      }
      case 'function':
        return `(${this.#list(node.params)})${node.suffix}${node.result === undefined ? '' : this.#right(node.result)}`;
      case 'param':
        return this.#param(node, (value) => (value.kind === 'pack' ? '' : this.#right(value)));
      default:
        return '';
    }
  }

  /** What stands between a type and the mark of a pointer to it. */
  #opening(to: Node): string {
    const inner = this.#resolved(to);
    if (inner.kind === 'qualified') return this.#opening(inner.type);
    return inner.kind === 'function' ? '(' : inner.kind === 'array' ? ' (' : '';
  }

  /** The node that a parameter stands for: of a pack, the item being printed. */
  #resolved(node: Node): Node {
    let at = node;
    // A parameter may stand for another one, in a hostile name for itself.
    for (let steps = 0; at.kind === 'param'; steps++) {
      if (this.#inLambda && at.isOfLambda) return text(`auto:${at.index + 1}`);
      if (at.value === undefined) return at;
      if (steps > MAX_STEPS) throw new NotMangled('a parameter without end');
      const { value } = at;
      const item = value.kind === 'pack' ? value.items[this.#item ?? -1] : undefined;
      at = item ?? value;
    }
    return at;
  }

  #lambda({ params, number }: Extract<Node, { kind: 'lambda' }>): string {
    const before = this.#inLambda;
    this.#inLambda = true;
    const list = this.#list(params);
    this.#inLambda = before;
    return `{lambda(${list})#${number}}`;
  }

  #param(node: Node, print: (value: Node) => string): string {
    const value = this.#resolved(node);
    return value.kind === 'param' ? '' : print(value);
  }

  /** References to references are one; && to & is &. */
  #collapsed(node: Extract<Node, { kind: 'pointer' }>): { to: Node; mark: string } {
    let { to, mark } = node;
    for (let steps = 0; ; steps++) {
      if (steps > MAX_STEPS) throw new NotMangled('a reference without end');
      const inner = this.#resolved(to);
      if (mark === '*' || inner.kind !== 'pointer' || inner.mark === '*') return { to, mark };
      if (inner.mark === '&') mark = '&';
      to = inner.to;
    }
  }

  #qualified(type: Node, words: string): string {
    const inner = this.#resolved(type);
    // const on what is const already, through a template's parameter, is said once.
    const known = inner.kind === 'qualified' ? inner.words : '';
    return this.#left(type) + (known.includes(words) ? '' : words);
  }

  #result({ result }: FunctionType): string {
    return result === undefined ? '' : `${this.#left(result)} `;
  }

  #template(name: string, args: readonly Node[]): string {
    const items = this.#items(args);
    const list = joined(items);
    // As binutils has it: no space where a pack without items comes last.
    const isClosed = list.endsWith('>') && items.at(-1) !== undefined;
    return `${name}${name.endsWith('<') ? ' ' : ''}<${list}${isClosed ? ' ' : ''}>`;
  }

  #list(nodes: readonly Node[]): string {
    return joined(this.#items(nodes));
  }

  /** Each printed; `undefined` = a pack without items, which leaves nothing behind. */
  #items(nodes: readonly Node[]): (string | undefined)[] {
    return nodes.map((node) => {
      const written = this.print(node);
      return written === '' && /^(pack|param|expansion)$/.test(node.kind) ? undefined : written;
    });
  }

  #expansion(of: Node): string {
    const pack = findPack(of);
    if (pack === undefined)
      return `${this.#opening(of) === '' ? this.print(of) : `(${this.print(of)})`}...`;
    const before = this.#item;
    const items = pack.items.map((_, at) => {
      this.#item = at;
      return this.print(of);
    });
    this.#item = before;
    return items.join(', ');
  }

  #encoding(name: Node, type: FunctionType | undefined): string {
    const written = this.print(name);
    return type === undefined ? written : this.#result(type) + written + this.#right(type);
  }
}

const joined = (items: readonly (string | undefined)[]) =>
  items.filter((item) => item !== undefined).join(', ');

/** The first pack that `node` refers to. */
function findPack(node: Node): Extract<Node, { kind: 'pack' }> | undefined {
  const seen = new Set<Node>();
  const waiting: Node[] = [node];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at.kind === 'param' && at.value?.kind === 'pack') return at.value;
    if (seen.has(at)) continue;
    seen.add(at);
    waiting.push(
      ...childrenOf(at)
        .filter((child) => child !== undefined)
        .reverse(),
    );
  }
  return undefined;
}

function childrenOf(node: Node): readonly (Node | undefined)[] {
  switch (node.kind) {
    case 'parts':
      return node.parts.filter((part) => typeof part !== 'string');
    case 'nested':
      return [node.scope, node.name];
    case 'template':
      return [node.name, ...node.args];
    case 'pointer':
      return [node.to];
    case 'qualified':
    case 'conversion':
      return [node.type];
    case 'member-pointer':
      return [node.scope, node.member];
    case 'array':
      return [node.of, node.size];
    case 'function':
      return [node.result, ...node.params];
    case 'encoding':
      return [node.name, node.type];
    case 'lambda':
      return node.params;
    case 'pack':
      return node.items;
    case 'expansion':
      return [node.of];
    case 'tagged':
      return [node.name];
    case 'param':
      return [node.value];
    default:
      return [];
  }
}

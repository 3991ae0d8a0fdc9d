import type { Input } from './input.ts';
import { templateParam } from './names.ts';
import { type Node, parts, text } from './node.ts';
import { NotMangled } from './not-mangled.ts';
import { literalSuffixes, operators, unary } from './operators.ts';

/** Expressions in template arguments and decltype, written as binutils writes them. */

export function parseExpression(input: Input): Node {
  return input.nested(() => {
    const first = input.peek();
    if (first === 'L') return parseLiteral(input);
    if (first === 'T') return templateParam(input);
    const special = specials[input.peek() + input.peek(1)];
    if (special !== undefined) {
      input.next(2);
      return special(input);
    }
    return operation(input);
  });
}

type Rule = (input: Input) => Node;

const list = (nodes: readonly Node[]): (string | Node)[] =>
  nodes.flatMap((node, at) => (at === 0 ? [node] : [', ', node]));

const expression: Rule = (input) => input.grammar.expression(input);
const type: Rule = (input) => input.grammar.type(input);

/** An operand: in parentheses unless it is a name. */
function operand(node: Node): Node {
  return isName(node) ? node : parts('(', node, ')');
}

function isName(node: Node): boolean {
  if (node.kind === 'text') return !/^\(/.test(node.text) && !/^-?\d/.test(node.text);
  if (node.kind === 'encoding' && node.type === undefined) return isName(node.name);
  return node.kind === 'nested' ? isName(node.name) : node.kind === 'param';
}

const of =
  (word: string, rule: Rule, close = ')'): Rule =>
  (input) =>
    parts(word, rule(input), close);

const arguments_ = (input: Input) => input.listUntilE(() => expression(input));

const specials: Readonly<Record<string, Rule>> = {
  fp: functionParam,
  fL(input) {
    input.number();
    input.expect('p');
    return functionParam(input);
  },
  st: of('sizeof (', type),
  sz: of('sizeof (', expression),
  at: of('alignof (', type),
  az: of('alignof (', expression),
  ti: of('typeid (', type),
  te: of('typeid (', expression),
  nx: of('noexcept (', expression),
  sZ: (input) =>
    parts('sizeof...(', input.peek() === 'T' ? templateParam(input) : functionParamOf(input), ')'),
  sp: (input) => ({ kind: 'expansion', of: expression(input) }),
  sr: scopedName,
  on: unresolvedName,
  gs: (input) => parts('::', expression(input)),
  dt: (input) => member(input, '.'),
  pt: (input) => member(input, '->'),
  cl(input) {
    const callee = expression(input);
    return parts(operand(callee), '(', ...list(arguments_(input)), ')');
  },
  cv(input) {
    const to = type(input);
    const values = input.take('_') ? arguments_(input) : [expression(input)];
    return parts(
      '(',
      to,
      ')',
      ...(values.length === 1 ? [operand(values[0] as Node)] : ['(', ...list(values), ')']),
    );
  },
  tl(input) {
    const of_ = type(input);
    return parts(of_, '{', ...list(arguments_(input)), '}');
  },
  il: (input) => parts('{', ...list(arguments_(input)), '}'),
  qu(input) {
    const [when, then, other] = [expression(input), expression(input), expression(input)];
    return parts(operand(when), '?', operand(then), ' : ', operand(other));
  },
  sc: (input) => cast(input, 'static_cast'),
  dc: (input) => cast(input, 'dynamic_cast'),
  cc: (input) => cast(input, 'const_cast'),
  rc: (input) => cast(input, 'reinterpret_cast'),
  tw: of('throw ', expression, ''),
  tr: () => text('throw'),
};

function cast(input: Input, word: string): Node {
  const to = type(input);
  return parts(word, '<', to, '>(', expression(input), ')');
}

function member(input: Input, mark: string): Node {
  const object = expression(input);
  return parts(operand(object), mark, unresolvedOr(input));
}

function unresolvedOr(input: Input): Node {
  return input.startsWith('sr') || input.startsWith('on') || input.peek() === 'L'
    ? expression(input)
    : simpleName(input);
}

function functionParamOf(input: Input): Node {
  if (!input.take('fp')) throw new NotMangled('no parameter');
  return functionParam(input);
}

function functionParam(input: Input): Node {
  input.takeWhile(/[rVK]/);
  if (input.take('T')) return text('this');
  return text(`{parm#${input.sequence(/\d/, 10) + 1}}`);
}

/** `sr type name`, `srN type name… E name`, `sr name… E name` */
function scopedName(input: Input): Node {
  const isNested = input.take('N');
  const isUnscoped = !isNested && /\d/.test(input.peek());
  let scope = isUnscoped ? simpleName(input) : type(input);
  if (isNested || isUnscoped)
    for (const name of input.listUntilE(() => simpleName(input)))
      scope = { kind: 'nested', scope, name };
  return { kind: 'nested', scope, name: simpleName(input) };
}

function unresolvedName(input: Input): Node {
  const name = input.grammar.unqualifiedName(input, undefined);
  if (input.peek() !== 'I') return name;
  return { kind: 'template', name, args: input.grammar.templateArgs(input, false) };
}

function simpleName(input: Input): Node {
  input.take('on');
  if (input.take('dn'))
    return parts('~', /\d/.test(input.peek()) ? simpleName(input) : type(input));
  return unresolvedName(input);
}

function operation(input: Input): Node {
  if (/\d/.test(input.peek())) return simpleName(input);
  const code = input.next(2);
  const word = operators[code];
  if (code === 'nw' || code === 'na') return newExpression(input, word ?? '');
  if (code === 'dl' || code === 'da') return parts(`${word} `, operand(expression(input)));
  if (word === undefined) return foldOrFail(input, code);
  if (code === 'ad') return addressOf(expression(input));
  if (unary.has(code)) return parts(word, operand(expression(input)));
  if (code === 'pp' || code === 'mm') {
    if (input.take('_')) return parts(word, operand(expression(input)));
    return parts(operand(expression(input)), word);
  }
  const left = expression(input);
  const right = expression(input);
  if (code === 'ix') return parts(operand(left), '[', right, ']');
  const written = parts(operand(left), word, operand(right));
  // A bare > would end the template's arguments.
  return code === 'gt' ? parts('(', written, ')') : written;
}

/** Of a function in a namespace only the name, as the ABI's reference implementation has it. */
function addressOf(node: Node): Node {
  const isPlain =
    node.kind === 'encoding' && node.name.kind === 'nested' && node.type !== undefined;
  return parts('&', isPlain ? node.name : operand(node));
}

function newExpression(input: Input, word: string): Node {
  const place: Node[] = [];
  while (!input.take('_')) place.push(expression(input));
  const made = type(input);
  const from = input.take('pi') ? arguments_(input) : undefined;
  if (from === undefined) input.expect('E');
  const at = place.length === 0 ? [' '] : [' (', ...list(place), ') '];
  return parts(word, ...at, made, ...(from === undefined ? [] : ['(', ...list(from), ')']));
}

/** `fl`, `fr`, `fL`, `fR`: folds over a pack. */
function foldOrFail(input: Input, code: string): Node {
  if (!/^f[lrR]$/.test(code)) throw new NotMangled(`no expression ${code}`);
  const word = operators[input.next(2)] ?? '';
  const first = operand(expression(input));
  if (code === 'fl') return parts('(...', word, first, ')');
  if (code === 'fr') return parts('(', first, word, '...)');
  return parts('(', first, word, '...', word, operand(expression(input)), ')');
}

/** `L type value E`, `L _Z encoding E`. */
function parseLiteral(input: Input): Node {
  input.expect('L');
  if (input.take('_Z') || input.take('Z')) {
    const named = input.grammar.encoding(input);
    input.expect('E');
    return named;
  }
  const of_ = type(input);
  const sign = input.take('n') ? '-' : '';
  const value = sign + input.takeWhile(/[^E]/);
  input.expect('E');
  return literal(of_, value);
}

function literal(of_: Node, value: string): Node {
  const name = of_.kind === 'text' ? of_.text : '';
  if (name === 'bool' && /^[01]$/.test(value)) return text(value === '1' ? 'true' : 'false');
  const suffix = literalSuffixes[name];
  if (suffix !== undefined) return text(value + suffix);
  const isFloat = /^(float|double|long double|__float128)$/.test(name);
  return parts('(', of_, ')', isFloat ? `[${value}]` : value);
}

/** An argument of a template: type, expression, literal or pack. */
export function parseTemplateArg(input: Input): Node {
  const first = input.peek();
  if (first === 'L') return parseLiteral(input);
  if (input.take('X')) {
    const value = expression(input);
    input.expect('E');
    return value;
  }
  if (input.take('J') || input.take('I'))
    return { kind: 'pack', items: input.listUntilE(() => parseTemplateArg(input)) };
  return type(input);
}

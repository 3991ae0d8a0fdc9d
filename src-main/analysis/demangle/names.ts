import type { Input } from './input.ts';
import { baseName, type Node, type Param, parts, text } from './node.ts';
import { NotMangled } from './not-mangled.ts';
import { operators, type StandardName, standardNames } from './operators.ts';

/** Names: `<name>`, `<nested-name>`, `<local-name>`, `<unqualified-name>`, `<substitution>` of the ABI. */

const ANONYMOUS = /^_GLOBAL_[._$]N/;

/** `<name>`; `ofEncoding`: of a function, whose constructors and qualifiers the input then remembers. */
export function parseName(input: Input, ofEncoding: boolean): Node {
  return input.nested(() => {
    if (input.take('N')) return nestedName(input, ofEncoding);
    if (input.take('Z')) return localName(input, ofEncoding);
    const isSubstitution = input.peek() === 'S' && input.peek(1) !== 't';
    const name = isSubstitution ? parseSubstitution(input, false) : unscopedName(input);
    if (input.peek() !== 'I') {
      if (isSubstitution && ofEncoding) throw new NotMangled('a substitution is no name');
      return name;
    }
    if (!isSubstitution) input.remember(name);
    return withArgs(input, name, ofEncoding);
  });
}

function withArgs(input: Input, name: Node, ofEncoding: boolean): Node {
  const args = input.grammar.templateArgs(input, ofEncoding);
  if (ofEncoding) input.endsWithTemplateArgs = true;
  return { kind: 'template', name, args };
}

function unscopedName(input: Input): Node {
  if (!input.take('St')) return parseUnqualifiedName(input, undefined);
  return { kind: 'nested', scope: text('std'), name: parseUnqualifiedName(input, undefined) };
}

/** `N [qualifiers] prefix… E`; the qualifiers are those of a member function. */
function nestedName(input: Input, ofEncoding: boolean): Node {
  let suffix = qualifierWords(input.takeWhile(/[rVK]/));
  if (input.take('R')) suffix += ' &';
  else if (input.take('O')) suffix += ' &&';
  input.take('H');
  let node: Node | undefined;
  while (!input.take('E')) {
    input.take('L');
    const isName = !/[IST]/.test(input.peek()) || input.startsWith('St');
    if (isName && ofEncoding) input.endsWithTemplateArgs = input.isStructorOrConversion = false;
    node = prefixPart(input, node, ofEncoding);
    if (input.take('M')) continue;
  }
  if (node === undefined) throw new NotMangled('an empty name');
  input.substitutions.pop();
  if (ofEncoding) input.functionSuffix = suffix;
  return node;
}

function prefixPart(input: Input, scope: Node | undefined, ofEncoding: boolean): Node {
  const first = input.peek();
  if (first === 'S' && input.peek(1) !== 't') {
    if (scope !== undefined) throw new NotMangled('a substitution inside a name');
    return substitutionPrefix(input);
  }
  if (first === 'T') return input.remember(templateParam(input));
  if (first === 'I') {
    if (scope === undefined) throw new NotMangled('arguments of nothing');
    return input.remember(withArgs(input, scope, ofEncoding));
  }
  if (scope === undefined && input.take('St')) {
    const name = input.grammar.unqualifiedName(input, undefined);
    return input.remember({ kind: 'nested', scope: text('std'), name });
  }
  if (/^D[tT]/.test(first + input.peek(1))) return input.grammar.type(input);
  const name = input.grammar.unqualifiedName(input, scope);
  return input.remember(scope === undefined ? name : { kind: 'nested', scope, name });
}

/** A substitution at the start of a nested name stands for itself: nothing new to refer to. */
function substitutionPrefix(input: Input): Node {
  const node = parseSubstitution(input, true);
  // Popped with the name's last part, were it the only one.
  if (input.peek() === 'E') input.remember(node);
  return node;
}

/** `<CV-qualifiers>` as they are written behind a type: `VK` → ` const volatile`. */
export function qualifierWords(letters: string): string {
  const words: Readonly<Record<string, string>> = {
    K: ' const',
    V: ' volatile',
    r: ' __restrict__',
  };
  return [...letters]
    .reverse()
    .map((letter) => words[letter])
    .join('');
}

function localName(input: Input, ofEncoding: boolean): Node {
  const scope = input.grammar.encoding(input, true);
  input.expect('E');
  if (input.take('s')) {
    discriminator(input);
    return { kind: 'nested', scope, name: text('string literal') };
  }
  if (input.take('d')) {
    const number = input.sequence(/\d/, 10);
    const name = parseName(input, ofEncoding);
    return {
      kind: 'nested',
      scope: { kind: 'nested', scope, name: text(`{default arg#${number + 1}}`) },
      name,
    };
  }
  if (ofEncoding) input.endsWithTemplateArgs = input.isStructorOrConversion = false;
  const name = parseName(input, ofEncoding);
  discriminator(input);
  return { kind: 'nested', scope, name };
}

function discriminator(input: Input): void {
  if (input.take('__')) {
    input.number();
    input.expect('_');
  } else if (input.peek() === '_' && /\d/.test(input.peek(1))) input.next(2);
}

/** `<unqualified-name>` with its ABI tags; `scope` is the class a constructor is named after. */
export function parseUnqualifiedName(input: Input, scope: Node | undefined): Node {
  input.take('F');
  input.take('L');
  let name = baseOfName(input, scope);
  while (input.take('B')) name = { kind: 'tagged', name, tag: sourceText(input) };
  return name;
}

function baseOfName(input: Input, scope: Node | undefined): Node {
  const first = input.peek();
  if (/\d/.test(first)) return sourceName(input);
  if (input.take('Ut')) return text(`{unnamed type#${input.sequence(/\d/, 10) + 1}}`);
  if (input.take('Ul')) return lambda(input);
  if (input.take('DC')) {
    const names = input.listUntilE(() => sourceName(input));
    return parts('[', ...names.flatMap((name, at) => (at === 0 ? [name] : [', ', name])), ']');
  }
  if (scope !== undefined && (first === 'C' || /^D[0-5]/.test(first + input.peek(1))))
    return structor(input, scope);
  if (/[a-z]/.test(first)) return operatorName(input);
  throw new NotMangled(`no name at ${input.at}`);
}

function structor(input: Input, of: Node): Node {
  const isDestructor = input.next() === 'D';
  const isInherited = input.take('I');
  if (!/[0-5]/.test(input.next())) throw new NotMangled('no constructor');
  if (isInherited) input.grammar.name(input, false);
  input.isStructorOrConversion = true;
  return { kind: 'structor', of: baseName(of), isDestructor };
}

/** `<source-name>`: a length and as many characters. Throws NotMangled where they are not there. */
export function sourceText(input: Input): string {
  const length = Number(input.number());
  if (!(length > 0)) throw new NotMangled('a name without length');
  return input.next(length);
}

function sourceName(input: Input): Node {
  const name = sourceText(input);
  return text(ANONYMOUS.test(name) ? '(anonymous namespace)' : name);
}

function operatorName(input: Input): Node {
  if (input.take('li')) return parts('operator"" ', sourceName(input));
  if (input.take('cv')) {
    const mayLookAhead = input.mayLookAhead;
    input.mayLookAhead = true;
    const type = input.grammar.type(input);
    input.mayLookAhead = mayLookAhead;
    input.isStructorOrConversion = true;
    return { kind: 'conversion', type };
  }
  if (input.take('v')) {
    input.next();
    return parts('operator ', sourceName(input));
  }
  const word = operators[input.next(2)];
  if (word === undefined) throw new NotMangled('no operator');
  return text(/^[a-z]/.test(word) ? `operator ${word}` : `operator${word}`);
}

/** `Ul params E [number] _` */
function lambda(input: Input): Node {
  const before = input.inLambda;
  input.inLambda = true;
  const params = input.take('vE') ? [] : input.listUntilE(() => input.grammar.type(input));
  input.inLambda = before;
  return { kind: 'lambda', params, number: input.sequence(/\d/, 10) + 1 };
}

/** `S_`, `S0_`, `St`, `Ss`, …; at the start of a class that constructs itself by its full name. */
export function parseSubstitution(input: Input, isPrefix: boolean): Node {
  input.expect('S');
  const standard = standardNames[input.peek()];
  if (standard !== undefined) {
    input.next();
    const isStructor = isPrefix && /[CD]/.test(input.peek());
    return tagged(
      input,
      isStructor || standard.args === undefined ? fullName(standard) : text(standard.name),
    );
  }
  const index = input.sequence(/[0-9A-Z]/, 36);
  const known = input.substitutions[index];
  if (known === undefined) throw new NotMangled('refers to nothing');
  return known;
}

function fullName({ base, args }: StandardName): Node {
  const name: Node = { kind: 'nested', scope: text('std'), name: text(base) };
  return args === undefined ? name : { kind: 'template', name, args: [text(args)] };
}

function tagged(input: Input, node: Node): Node {
  let name = node;
  while (input.take('B')) name = input.remember({ kind: 'tagged', name, tag: sourceText(input) });
  return name;
}

/** `T_`, `T0_`, `TL0__`: what it stands for, or a place for it. */
export function templateParam(input: Input): Node {
  input.expect('T');
  if (input.take('L')) input.sequence(/\d/, 10);
  const index = input.sequence(/\d/, 10);
  const known = input.templateParams[index];
  const isOfLambda = input.inLambda;
  const isKnown = known !== undefined && !input.mayLookAhead && !isOfLambda;
  // A pack is reached through its parameter only: one written out is printed whole.
  if (isKnown && known.kind === 'pack') return { kind: 'param', index, isOfLambda, value: known };
  if (isKnown) return known;
  if (!input.mayLookAhead && !isOfLambda) throw new NotMangled('no such template parameter');
  const param: Param = { kind: 'param', index, isOfLambda, value: undefined };
  input.forward.push(param);
  return param;
}

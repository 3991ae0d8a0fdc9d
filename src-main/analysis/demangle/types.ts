import type { Input } from './input.ts';
import { parseSubstitution, qualifierWords, sourceText, templateParam } from './names.ts';
import { type FunctionType, type Node, parts, text } from './node.ts';
import { NotMangled } from './not-mangled.ts';
import { builtinTypes } from './operators.ts';

/** Types: `<type>`, `<function-type>`, `<array-type>`, `<pointer-to-member-type>` of the ABI. */

export function parseType(input: Input): Node {
  return input.nested(() => {
    const builtin = builtinType(input);
    return builtin ?? compoundType(input);
  });
}

function builtinType(input: Input): Node | undefined {
  const one = input.peek();
  if (one === 'D') return longBuiltin(input);
  if (input.take('u')) {
    const name = text(sourceText(input));
    const args = input.peek() === 'I' ? input.grammar.templateArgs(input, false) : undefined;
    return args === undefined ? name : { kind: 'template', name, args };
  }
  const name = builtinTypes[one];
  if (name === undefined) return undefined;
  input.next();
  return text(name);
}

function longBuiltin(input: Input): Node | undefined {
  const two = input.peek() + input.peek(1);
  const name = builtinTypes[two];
  if (name !== undefined) {
    input.next(2);
    return text(name);
  }
  if (input.take('DF')) {
    const bits = input.number();
    if (input.take('b')) return text(`std::bfloat${bits}_t`);
    const isExtended = input.take('x');
    if (!isExtended) input.expect('_');
    return text(`_Float${bits}${isExtended ? 'x' : ''}`);
  }
  if (input.take('DB') || input.take('DU')) {
    const bits = input.number();
    input.expect('_');
    return text(`${two === 'DU' ? 'unsigned ' : ''}_BitInt(${bits})`);
  }
  return undefined;
}

function compoundType(input: Input): Node {
  const first = input.peek();
  const next = input.peek(1);
  if (/[rVK]/.test(first)) return qualifiedType(input);
  if (first === 'S' && next !== 't') return substitutedType(input);
  if (first === 'T' && !/[seu]/.test(next)) return paramType(input);
  if (first === 'D' && /[tTpvoOxwc]/.test(next)) return typeOfD(input, next);
  return input.remember(markedType(input));
}

function markedType(input: Input): Node {
  const { type } = input.grammar;
  if (input.take('P')) return { kind: 'pointer', to: type(input), mark: '*' };
  if (input.take('R')) return { kind: 'pointer', to: type(input), mark: '&' };
  if (input.take('O')) return { kind: 'pointer', to: type(input), mark: '&&' };
  if (input.take('C')) return { kind: 'qualified', type: type(input), words: ' _Complex' };
  if (input.take('G')) return { kind: 'qualified', type: type(input), words: ' _Imaginary' };
  if (input.take('U')) return vendorType(input);
  if (input.peek() === 'F') return functionType(input, '');
  if (input.take('A')) return arrayType(input);
  if (input.take('M')) {
    const scope = type(input);
    return { kind: 'member-pointer', scope, member: type(input) };
  }
  if (/^T[seu]/.test(input.peek() + input.peek(1))) input.next(2);
  return input.grammar.name(input, false);
}

function vendorType(input: Input): Node {
  const word = sourceText(input);
  const args = input.peek() === 'I' ? input.grammar.templateArgs(input, false) : undefined;
  const type = input.grammar.type(input);
  const name = text(word);
  if (args === undefined) return { kind: 'qualified', type, words: ` ${word}` };
  return parts(type, ' ', { kind: 'template', name, args });
}

function qualifiedType(input: Input): Node {
  const words = qualifierWords(input.takeWhile(/[rVK]/));
  // Qualifiers of a function stand behind its parameters.
  if (input.peek() === 'F' || /^D[oOwx]/.test(input.peek() + input.peek(1)))
    return input.remember(functionType(input, words));
  return input.remember({ kind: 'qualified', type: input.grammar.type(input), words });
}

function substitutedType(input: Input): Node {
  const known = parseSubstitution(input, false);
  if (input.peek() !== 'I') return known;
  const args = input.grammar.templateArgs(input, false);
  return input.remember({ kind: 'template', name: known, args });
}

function paramType(input: Input): Node {
  const param = input.remember(templateParam(input));
  if (input.peek() !== 'I' || input.mayLookAhead) return param;
  const args = input.grammar.templateArgs(input, false);
  return input.remember({ kind: 'template', name: param, args });
}

function typeOfD(input: Input, letter: string): Node {
  if (/[oOxw]/.test(letter)) return input.remember(functionType(input, ''));
  input.next(2);
  if (letter === 'p') return input.remember({ kind: 'expansion', of: input.grammar.type(input) });
  if (letter === 'v') return input.remember(vectorType(input));
  if (letter === 'c') return text('decltype(auto)');
  const expression = input.grammar.expression(input);
  input.expect('E');
  return input.remember(parts('decltype (', expression, ')'));
}

function vectorType(input: Input): Node {
  const size = /\d/.test(input.peek())
    ? text(input.number())
    : input.take('_')
      ? input.grammar.expression(input)
      : input.grammar.expression(input);
  input.expect('_');
  return parts(input.grammar.type(input), ' __vector(', size, ')');
}

/** `[exception specification] F [Y] result params [ref] E` */
function functionType(input: Input, qualifiers: string): FunctionType {
  const thrown = exceptionWords(input);
  input.take('Dx');
  input.expect('F');
  input.take('Y');
  const result = input.grammar.type(input);
  const params: Node[] = [];
  let suffix = qualifiers;
  while (!input.take('E')) {
    if (input.take('RE'))
      return { kind: 'function', result, params, suffix: `${suffix} &${thrown}` };
    if (input.take('OE'))
      return { kind: 'function', result, params, suffix: `${suffix} &&${thrown}` };
    if (input.isAtEnd) throw new NotMangled('a function type without end');
    if (input.take('v')) continue;
    params.push(input.grammar.type(input));
  }
  suffix += thrown;
  return { kind: 'function', result, params, suffix };
}

function exceptionWords(input: Input): string {
  if (input.take('Do')) return ' noexcept';
  if (input.take('DO')) {
    input.grammar.expression(input);
    input.expect('E');
    return ' noexcept';
  }
  if (!input.take('Dw')) return '';
  input.listUntilE(() => input.grammar.type(input));
  return ' throw';
}

function arrayType(input: Input): Node {
  const size = /\d/.test(input.peek())
    ? text(input.number())
    : input.peek() === '_'
      ? undefined
      : input.grammar.expression(input);
  input.expect('_');
  return { kind: 'array', of: input.grammar.type(input), size };
}

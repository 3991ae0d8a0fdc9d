import { parseExpression, parseTemplateArg } from './expressions.ts';
import type { Grammar } from './input.ts';
import { Input } from './input.ts';
import { parseName, parseUnqualifiedName } from './names.ts';
import { type Node, parts } from './node.ts';
import { NotMangled } from './not-mangled.ts';
import { specialEncodings, specialNames } from './operators.ts';
import { parseType } from './types.ts';

/** `<encoding>`: a function, a variable, or what the compiler made for one. */

const grammar: Grammar = {
  encoding: parseEncoding,
  name: parseName,
  type: parseType,
  expression: parseExpression,
  unqualifiedName: parseUnqualifiedName,
  templateArgs(input, isTagged) {
    input.expect('I');
    // Inside the arguments of a lambda's class, T_ is again a template's.
    const { inLambda } = input;
    input.inLambda = inLambda && !isTagged;
    const args = input.listUntilE(() => parseTemplateArg(input));
    input.inLambda = inLambda;
    if (isTagged) input.templateParams = args;
    return args;
  },
};

/** Reads `mangled`, which begins behind `_Z`, as far as it is a name; the rest stays in the input. */
export function readMangled(mangled: string): { node: Node; rest: string } {
  const input = new Input(mangled, grammar);
  const node = parseEncoding(input);
  return { node, rest: input.rest() };
}

function parseEncoding(input: Input, isScope = false): Node {
  return input.nested(() => {
    if (/^[TG]/.test(input.peek())) return specialEncoding(input);
    const {
      templateParams,
      functionSuffix,
      endsWithTemplateArgs,
      isStructorOrConversion,
      forward,
    } = input;
    Object.assign(input, {
      functionSuffix: '',
      endsWithTemplateArgs: false,
      isStructorOrConversion: false,
      forward: [],
    });
    const node = functionOrVariable(input, isScope);
    Object.assign(input, {
      templateParams,
      functionSuffix,
      endsWithTemplateArgs,
      isStructorOrConversion,
      forward,
    });
    return node;
  });
}

function functionOrVariable(input: Input, isScope: boolean): Node {
  const name = input.grammar.name(input, true);
  for (const param of input.forward) param.value = input.templateParams[param.index];
  if (input.forward.some(({ value, isOfLambda }) => value === undefined && !isOfLambda))
    throw new NotMangled('no such parameter');
  input.forward = [];
  const suffix = input.functionSuffix;
  if (input.isAtEnd || /[E._@]/.test(input.peek()))
    return { kind: 'encoding', name, type: undefined };
  const hasResult = input.endsWithTemplateArgs && !input.isStructorOrConversion;
  const read = hasResult ? input.grammar.type(input) : undefined;
  const params: Node[] = [];
  do {
    if (!input.take('v')) params.push(input.grammar.type(input));
  } while (!input.isAtEnd && !/[E.@]/.test(input.peek()));
  // What a function returns says nothing of what is local to it.
  const result = isScope ? undefined : read;
  return { kind: 'encoding', name, type: { kind: 'function', result, params, suffix } };
}

function specialEncoding(input: Input): Node {
  const code = input.next(2);
  const { grammar } = input;
  const ofType = specialNames[code];
  if (ofType !== undefined) return parts(ofType, grammar.type(input));
  if (code === 'TC') {
    const derived = grammar.type(input);
    input.number();
    input.expect('_');
    return parts('construction vtable for ', grammar.type(input), '-in-', derived);
  }
  if (code === 'Th' || code === 'Tv' || code === 'Tc') return thunk(input, code);
  if (code === 'TA') return parts('template parameter object for ', parseTemplateArg(input));
  if (code === 'GR') {
    const name = grammar.name(input, true);
    const number = input.isAtEnd ? 0 : input.sequence(/[0-9A-Z]/, 36);
    return parts(`reference temporary #${number} for `, name);
  }
  const words = specialEncodings[code] ?? specialEncodings[code + input.peek()];
  if (words === undefined) throw new NotMangled(`nothing special: ${code}`);
  if (specialEncodings[code] === undefined) input.next();
  const isName = /^(T[HW]|GV)$/.test(code);
  return parts(words, isName ? grammar.name(input, true) : grammar.encoding(input));
}

function thunk(input: Input, code: string): Node {
  const words =
    { Th: 'non-virtual thunk to ', Tv: 'virtual thunk to ' }[code] ?? 'covariant return thunk to ';
  const offsets = code === 'Tc' ? 2 : 1;
  for (let offset = 0; offset < offsets; offset++) {
    const letter = code === 'Tc' ? input.next() : code[1];
    input.number();
    input.expect('_');
    if (letter === 'v') {
      input.number();
      input.expect('_');
    }
  }
  return parts(words, input.grammar.encoding(input));
}

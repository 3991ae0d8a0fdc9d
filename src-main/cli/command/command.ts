import { type ParseArgsConfig, parseArgs } from 'node:util';
import { wrongUsage } from '../output/wrong-usage.ts';
import { optionProblem } from './option-problem.ts';

export type OptionTypes = NonNullable<ParseArgsConfig['options']>;

/** Of every command. */
const HELP = { help: { type: 'boolean', short: 'h', default: false } } as const;

/** A command line, split up as the option types of its command say. */
interface CommandLine<Types extends OptionTypes> {
  readonly values: ReturnType<typeof parseArgs<{ options: Types }>>['values'];
  /** What is no option: files, or a host. */
  readonly operands: readonly string[];
  /** What follows `--`, for a command that starts another program; undefined without `--`. */
  readonly program: readonly string[] | undefined;
}

/** Where a command runs. */
interface Surroundings {
  /** Paths are taken from here. */
  readonly startFolder: string;
  /** Aborted when nobody reads the output any more. */
  readonly stop: AbortController;
}

interface CommandSpec<Types extends OptionTypes, Options> {
  readonly name: string;
  /** What follows the name, and what it does: the line in the general help. */
  readonly synopsis: string;
  readonly summary: string;
  /** What `--help` prints. */
  readonly usage: string;
  readonly options: Types;
  readonly takesOperands: boolean;
  /** `--` begins the command line of another program. */
  readonly startsProgram?: boolean;
  /** Its switches can be taken back: `--no-notes`. */
  readonly allowNegative?: boolean;
  /** The options, or the sentence that says what is wrong with them. */
  read(line: CommandLine<Types>, startFolder: string): Options | string;
  /** The exit code. */
  run(options: Options, surroundings: Surroundings): Promise<number>;
}

type Parsed<Options> =
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly sentence: string }
  | { readonly kind: 'options'; readonly options: Options };

export interface Command<Options = unknown>
  extends Pick<CommandSpec<OptionTypes, never>, 'name' | 'synopsis' | 'summary' | 'usage'> {
  readonly optionTypes: OptionTypes;
  parse(args: readonly string[], startFolder: string): Parsed<Options>;
  /** The exit code. */
  run(args: readonly string[], surroundings: Surroundings): Promise<number>;
}

export function defineCommand<const Types extends OptionTypes, Options extends object>(
  spec: CommandSpec<Types, Options>,
): Command<Options> {
  const { name, synopsis, summary, usage, options: optionTypes } = spec;
  function parse(args: readonly string[], startFolder: string): Parsed<Options> {
    try {
      const { help, ...line } = splitUp(spec, args);
      if (help) return { kind: 'help' };
      const read = spec.read(line, startFolder);
      if (typeof read === 'string') return { kind: 'wrong', sentence: read };
      return { kind: 'options', options: read };
    } catch (error) {
      return { kind: 'wrong', sentence: optionProblem(error) };
    }
  }
  async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
    const parsed = parse(args, surroundings.startFolder);
    if (parsed.kind === 'options') return spec.run(parsed.options, surroundings);
    if (parsed.kind === 'wrong') return wrongUsage(name, parsed.sentence);
    console.log(usage);
    return 0;
  }
  return { name, synopsis, summary, usage, optionTypes, parse, run };
}

function splitUp<Types extends OptionTypes, Options>(
  { options, takesOperands, startsProgram, allowNegative }: CommandSpec<Types, Options>,
  args: readonly string[],
): CommandLine<Types> & { readonly help: boolean } {
  // parseArgs would not tell what stands before and after it apart.
  const end = startsProgram ? args.indexOf('--') : -1;
  const { values, positionals } = parseArgs({
    args: end === -1 ? [...args] : args.slice(0, end),
    options: { ...options, ...HELP },
    allowPositionals: takesOperands,
    ...(allowNegative !== undefined && { allowNegative }),
  });
  return {
    values: values as CommandLine<Types>['values'],
    operands: positionals,
    program: end === -1 ? undefined : args.slice(end + 1),
    help: (values as { readonly help?: boolean }).help === true,
  };
}

import { absentFolder, findDataFolder } from '../../app/services/data-folder.ts';
import { version } from '../../app/services/version.ts';
import { EXIT_DONE, EXIT_USAGE } from '../output/exit-codes.ts';
import { reportFailure } from '../output/report-failure.ts';
import { wrongUsage } from '../output/wrong-usage.ts';
import type { Command } from './command.ts';
import { generalHelp } from './general-help.ts';
import { nearestName } from './nearest-name.ts';

/** Finds the command that `args` begins with and runs it; the exit code. */
export async function runCommandLine(
  commands: readonly Command[],
  args: readonly string[],
  stop: AbortController,
): Promise<number> {
  const [name, ...rest] = args;
  const command = commands.find((each) => each.name === name);
  if (command !== undefined) {
    const refused = refusal(rest);
    return refused ?? command.run(rest, { startFolder: startFolder(), stop });
  }
  switch (name) {
    case 'help':
    case '--help':
    case '-h':
      console.log(generalHelp(commands));
      return EXIT_DONE;
    case '--version':
      console.log(version);
      return EXIT_DONE;
    case undefined:
      console.error(generalHelp(commands));
      return EXIT_USAGE;
    default:
      return unknownCommand(name, commands);
  }
}

function unknownCommand(name: string, commands: readonly Command[]): number {
  const meant = nearestName(
    name,
    commands.map((command) => command.name),
  );
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
  return wrongUsage('', `There is no command “${name}”${hint}`);
}

/** The exit code where the data folder is gone, which every command uses. Its help can be read. */
function refusal(args: readonly string[]): number | undefined {
  // What follows -- is another program's.
  const own = args.slice(0, args.includes('--') ? args.indexOf('--') : undefined);
  if (own.includes('--help') || own.includes('-h')) return undefined;
  const message = absentFolder(findDataFolder());
  if (message === undefined) return undefined;
  return reportFailure({ code: 'data-folder-absent', message }, own.includes('--json'));
}

/**
 * Where the user stands: npm runs a package's scripts in the package's folder and leaves the
 * user's own in INIT_CWD.
 */
function startFolder(): string {
  const { npm_lifecycle_event: script, INIT_CWD: started } = process.env;
  const throughNpm = script === 'stalltrace' || script === 'start';
  return throughNpm && started !== undefined ? started : process.cwd();
}

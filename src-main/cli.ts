import { absentFolder, findDataFolder } from './app/services/data-folder.ts';
import { version } from './app/services/version.ts';
import { benchmark } from './cli/benchmark.ts';
import { EXIT_FAILURE, EXIT_USAGE } from './cli/exit-codes.ts';
import { explain } from './cli/explain.ts';
import { exportFile } from './cli/export.ts';
import { importFiles } from './cli/import.ts';
import { info } from './cli/info.ts';
import { listLibrary } from './cli/library.ts';
import { keepErrorsPlain, printJson } from './cli/plain-output.ts';
import { capture } from './cli/remote/capture.ts';
import { captures } from './cli/remote/captures.ts';
import { check } from './cli/remote/check.ts';
import { clean } from './cli/remote/clean.ts';
import { wrongUsage } from './cli/wrong-usage.ts';

const USAGE = `Usage: stalltrace COMMAND

  info FILE [--json]         what a trace file holds: machine, time range, provenance, operations
  explain FILE [--slowest OP] [--json]
                             why the GPU waited: findings and fixes, or one call's time
  benchmark FILE --out SCRIPT.py
                             a script that measures the job's loader with several settings
  export FILE --markdown OUT | --svg OUT | --stalltrace OUT
                             a report, a picture, or all of an investigation in one file
  check HOST                 what can be captured on a GPU host, over SSH
  capture HOST (--pid PID | --all | -- COMMAND…)
                             capture there, bring the trace back, clean up
  captures                   captures on hosts that are not done with; --bring ID fetches one
  clean HOST                 remove what Stalltrace left on a host
  import FILE… [--copy]      add traces and .stalltrace files to your library
  library [--search WORDS]   list your library; --backups, --restore BACKUP
  serve [FILE…]              serve the app to a browser on this machine
  help, --help               this text; COMMAND --help says more
  --version                  the version

Exit codes: 0 done, 1 a file can't be read or written or a host can't be used, 2 wrong usage,
3 only sampled captures are possible (check), 130 interrupted.`;

/**
 * Where the user stands: npm runs a package's scripts in the package's folder and leaves the
 * user's own in INIT_CWD.
 */
function startFolder(): string {
  const { npm_lifecycle_event: script, INIT_CWD: started } = process.env;
  const throughNpm = script === 'stalltrace' || script === 'start';
  return throughNpm && started !== undefined ? started : process.cwd();
}

const DATA_COMMANDS: ReadonlySet<string> = new Set([
  'info',
  'explain',
  'benchmark',
  'export',
  'check',
  'capture',
  'captures',
  'clean',
  'import',
  'library',
  'serve',
]);

/** Why a command that uses the data folder must not begin. */
function refusal([command = '', ...rest]: readonly string[]): string | undefined {
  // What follows -- is another program's.
  const own = rest.slice(0, rest.includes('--') ? rest.indexOf('--') : undefined);
  const asksForHelp = own.includes('--help') || own.includes('-h');
  return !DATA_COMMANDS.has(command) || asksForHelp ? undefined : absentFolder(findDataFolder());
}

async function main(args: readonly string[], stop: AbortController): Promise<number> {
  const [command, ...rest] = args;
  const refused = refusal(args);
  if (refused !== undefined) {
    const error = { code: 'data-folder-absent', message: refused };
    if (rest.includes('--json')) printJson({ error });
    console.error(`stalltrace: ${refused}`);
    return EXIT_FAILURE;
  }
  switch (command) {
    case 'info':
      return info(rest, startFolder());
    case 'explain':
      return explain(rest, startFolder());
    case 'benchmark':
      return benchmark(rest, startFolder());
    case 'export':
      return exportFile(rest, startFolder());
    case 'check':
      return check(rest, startFolder());
    case 'capture':
      return capture(rest, startFolder());
    case 'captures':
      return captures(rest, startFolder());
    case 'clean':
      return clean(rest, startFolder());
    case 'import':
      return importFiles(rest, startFolder());
    case 'library':
      return listLibrary(rest);
    case 'serve': {
      const { serve } = await import('./serve.ts');
      return serve(rest, startFolder(), stop);
    }
    case 'help':
    case '--help':
    case '-h':
      console.log(USAGE);
      return 0;
    case '--version':
      console.log(version);
      return 0;
    default:
      if (command !== undefined) return wrongUsage('', `There is no command “${command}”.`);
      console.error(USAGE);
      return EXIT_USAGE;
  }
}

keepErrorsPlain();
const stop = new AbortController();
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  stop.abort();
  // `stalltrace info … | head` closes the pipe early: that is no error.
  if (error.code === 'EPIPE' || process.exitCode === EXIT_FAILURE) return;
  process.exitCode = EXIT_FAILURE;
  console.error(
    `stalltrace: the output could not be written (${error.code}): free space where it goes, or send it elsewhere.`,
  );
});
// Of a terminal that was closed, nothing can be told to anyone.
process.stderr.on('error', () => stop.abort());

const exitCode = await main(process.argv.slice(2), stop);
// Not process.exit: output that is still under way would be lost, and the error above not seen.
process.exitCode ??= exitCode;

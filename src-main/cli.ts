import { version } from './app/about-handlers.ts';
import { EXIT_USAGE } from './cli/exit-codes.ts';
import { info } from './cli/info.ts';

const USAGE = `Usage: stalltrace COMMAND

  info FILE [--json]   what a trace file holds: machine, time range, provenance, operations
  serve [FILE…]        serve the app to a browser on this machine
  help, --help         this text
  --version            the version

Exit codes: 0 done, 1 the file can't be read as a trace, 2 wrong usage, 130 interrupted.`;

/**
 * Where the user stands: npm runs a package's scripts in the package's folder and leaves the
 * user's own in INIT_CWD.
 */
function startFolder(): string {
  const { npm_lifecycle_event: script, INIT_CWD: started } = process.env;
  const throughNpm = script === 'stalltrace' || script === 'start';
  return throughNpm && started !== undefined ? started : process.cwd();
}

async function main(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  switch (command) {
    case 'info':
      return info(rest, startFolder());
    case 'serve': {
      const { serve } = await import('./serve.ts');
      return serve(rest, startFolder());
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
      console.error(
        command === undefined ? USAGE : `There is no command "${command}".\n\n${USAGE}`,
      );
      return EXIT_USAGE;
  }
}

// `stalltrace info … | head` closes the pipe early: that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

process.exitCode = await main(process.argv.slice(2));

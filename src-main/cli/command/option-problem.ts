/** What `parseArgs` of Node throws, in one sentence that names the option; a bug is thrown on. */
export function optionProblem(thrown: unknown): string {
  if (!(thrown instanceof Error && 'code' in thrown)) throw thrown;
  const { code, message } = thrown;
  const [, quoted = ''] = /'([^']*)'/.exec(message) ?? [];
  // `-h, --help` and `--port <value>`: the last name, without its value.
  const option =
    quoted
      .split(', ')
      .at(-1)
      ?.replace(/[ =].*$/, '') ?? '';
  switch (code) {
    case 'ERR_PARSE_ARGS_UNKNOWN_OPTION':
      return `There is no option ${option}.`;
    case 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL':
      return `“${quoted}” is not expected here.`;
    case 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE':
      return /does not take/.test(message)
        ? `${option} takes no value.`
        : `${option} needs a value.`;
    default:
      throw thrown;
  }
}

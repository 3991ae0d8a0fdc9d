import { createReadStream } from 'node:fs';
import { join, resolve } from 'node:path';
import { dataFolder } from '../../app/services/data-folder.ts';
import { MAX_MERGED_FILES } from '../../shared/contract/library-calls.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import { plural } from '../../shared/text/units.ts';
import { writeNewFile } from '../../system/write-file.ts';
import { defineCommand } from '../command/command.ts';
import { checkOutputs } from '../output/check-outputs.ts';
import { EXIT_DONE } from '../output/exit-codes.ts';
import { printJson } from '../output/plain-output.ts';
import { reportFailure } from '../output/report-failure.ts';
import { contextUntil, createCliApp } from '../session/cli-app.ts';
import { onStopSignal } from '../terminal/stop-signals.ts';
import { isFolder, tracesIn } from '../trace/traces-in.ts';

interface MergeOptions {
  /** Absolute: two files or more, or one folder. */
  readonly paths: readonly string[];
  readonly out: string | undefined;
  readonly json: boolean;
}

export const merge = defineCommand({
  name: 'merge',
  synopsis: 'FIRST SECOND… | FOLDER [--out FILE] [--json]',
  summary: 'merge the traces of several ranks or machines of one run',
  usage: `Usage: stalltrace merge FIRST SECOND… [--out FILE] [--json]
       stalltrace merge FOLDER [--out FILE] [--json]

Merges the traces of several ranks or machines of one run, in any format that can be opened, and
adds the result to your library. The first trace’s clock is used for all; the others are aligned by
what the traces share: one clock of one machine, collectives, which end for all ranks together, or
steps with the same number; otherwise by the hosts’ clocks as measured at capture. The trace says
how well that is known. All traces are in memory at once.

  --out FILE  copy the trace there too; a file that exists is not replaced
  --json      one JSON object, documented in docs/cli.md, instead of text`,
  options: {
    out: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
  takesOperands: true,
  read({ values: { out, json }, operands }, startFolder): MergeOptions | string {
    const paths = operands.map((path) => resolve(startFolder, path));
    const isEnough = paths.length > 1 || paths.some(isFolder);
    if (!isEnough || operands.includes(''))
      return 'Name two trace files or more of one run, or a folder of them.';
    if (paths.length > MAX_MERGED_FILES) return tooMany(paths.length);
    if (out === '') return 'The name of the file for --out is empty.';
    return { paths, out: out === undefined ? undefined : resolve(startFolder, out), json };
  },
  async run({ paths, out, json }) {
    const stop = new AbortController();
    onStopSignal(stop);
    const isOfFolder = paths.length === 1;
    const named = await filesOf(paths);
    if (!named.ok) return reportFailure(named.error, json);
    const { files, skipped } = named.value;
    const free = out === undefined ? ok(null) : await checkOutputs(paths[0] ?? '', [out], false);
    if (!free.ok) return reportFailure(free.error, json);
    const app = createCliApp(dataFolder());
    try {
      const merged = await app.handlers['library.merge'](
        { sources: [...files], leavesOut: isOfFolder },
        contextUntil(stop.signal),
      );
      if (!merged.ok) return reportFailure(merged.error, json);
      const { investigation, sources, cutOff } = merged.value;
      const leftOut = [...skipped, ...merged.value.leftOut];
      for (const why of leftOut) console.error(`Left out: ${cleanText(why, Infinity)}`);
      for (const text of cutOff) console.error(cleanText(text, Infinity));
      const taken = sources.map((at) => files[at] ?? '');
      if (out !== undefined) {
        const copied = await copyOut(investigation.path, out);
        if (!copied.ok) return reportFailure(copied.error, json);
      }
      const path = out ?? investigation.path;
      if (json) printJson({ path, investigation: investigation.id, files: taken, leftOut, cutOff });
      else console.log(`One trace of ${plural(taken.length, 'file')}: ${cleanText(path, 4096)}`);
      return EXIT_DONE;
    } finally {
      await app.close();
    }
  },
});

const tooMany = (count: number) =>
  `${plural(count, 'file')} are named: name at most ${MAX_MERGED_FILES}.`;

interface NamedFiles {
  readonly files: readonly string[];
  /** What of the folder is not looked at, and why: sentences. */
  readonly skipped: readonly string[];
}

/** The files themselves, or those of the only folder. */
async function filesOf(paths: readonly string[]): Promise<Result<NamedFiles>> {
  const [folder] = paths;
  if (folder === undefined || paths.length > 1) return ok({ files: paths, skipped: [] });
  const found = await tracesIn(folder);
  if (!found.ok) return found;
  const { names, skipped } = found.value;
  if (names.length > MAX_MERGED_FILES)
    return fail('file-unsupported', `In the folder ${folder}: ${tooMany(names.length)}`);
  if (names.length < 2)
    return fail(
      'file-not-a-trace',
      [
        `The folder ${folder} has ${plural(names.length, 'file')}: put at least two there, or name the files.`,
        ...skipped,
      ].join(' '),
    );
  return ok({ files: names.map((name) => join(folder, name)), skipped });
}

function copyOut(from: string, to: string) {
  return writeNewFile(to, false, async (write) => {
    for await (const chunk of createReadStream(from)) await write(chunk as Buffer);
    return ok(null);
  });
}

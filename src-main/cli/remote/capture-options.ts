import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type CaptureProfile,
  type CaptureRequest,
  captureProfiles,
  captureRequest,
  defaultCapture,
  LARGEST_CAPTURE_BYTES,
  LONGEST_CAPTURE_S,
} from '../../shared/remote/capture-request.ts';
import { formatBytes } from '../../shared/text/units.ts';
import { parseTime } from '../parse-time.ts';
import { optionProblem } from '../wrong-usage.ts';
import { HOST_USAGE, type HostOptions, hostOptionsOf, hostOptionTypes } from './host-options.ts';
import { parseSize } from './parse-size.ts';

const SECOND_NS = 1e9;

export const CAPTURE_USAGE = `Usage: stalltrace capture HOST (--pid PID… | --all | -- COMMAND…) [--duration TIME] [--out FILE]

Captures on a host, brings the trace into your library and cleans up there. Ctrl+C ends the capture
and brings back what there is; Ctrl+C once more leaves it running: stalltrace captures lists it.

  --pid PID          this process and its descendants; may be repeated
  --all              the whole machine
  -- COMMAND…        run by your login shell there, as you; one word is taken as a whole line
  --folder DIR       where on the host COMMAND runs (default: your home)
  --duration TIME    as in 30s, 5min, 1h (default 60s)
  --max-size SIZE    of the trace, as in 500M, 4G (default 4G)
  --profile LIST     more to record: ${captureProfiles.join(', ')}
  --samples HZ       CPU samples of each thread a second; 0 = none (default ${defaultCapture.samplesHz})
  --no-bpf           sample /proc every 10 ms only; needs no root
  --keep-agent       leave the agent on the host for the next time
  --out FILE         a copy of the trace there too; --force replaces what is there
  --detach           leave once it records; stalltrace captures --bring ID fetches it
  --yes              don't ask before it starts
  --json             one JSON object a line, documented in docs/cli.md

${HOST_USAGE}`;

export interface CaptureOptions extends HostOptions {
  readonly request: CaptureRequest;
  /** Absolute. */
  readonly out?: string;
  readonly force: boolean;
  readonly detach: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

const optionTypes = {
  ...hostOptionTypes,
  pid: { type: 'string', multiple: true, default: [] as string[] },
  all: { type: 'boolean', default: false },
  folder: { type: 'string' },
  duration: { type: 'string', default: '60s' },
  'max-size': { type: 'string', default: '4G' },
  profile: { type: 'string', multiple: true, default: [] as string[] },
  samples: { type: 'string', default: String(defaultCapture.samplesHz) },
  'no-bpf': { type: 'boolean', default: false },
  'keep-agent': { type: 'boolean', default: false },
  out: { type: 'string' },
  force: { type: 'boolean', default: false },
  detach: { type: 'boolean', default: false },
  yes: { type: 'boolean', short: 'y', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], allowPositionals: true, options: optionTypes });
}
type Values = ReturnType<typeof parse>['values'];

/** The options, undefined for help, or the sentence that says what is wrong with them. */
export function parseCaptureOptions(
  args: readonly string[],
  startFolder: string,
): CaptureOptions | string | undefined {
  // parseArgs would not tell what stands before and after it apart.
  const end = args.indexOf('--');
  const command = end === -1 ? undefined : args.slice(end + 1);
  try {
    const { values, positionals } = parse(end === -1 ? args : args.slice(0, end));
    if (values.help) return undefined;
    const host = hostOptionsOf(values, positionals, startFolder);
    if (typeof host === 'string') return host;
    const request = requestOf(values, command);
    if (typeof request === 'string') return request;
    const { out, force, detach, yes, json } = values;
    if (out === '') return 'The name of the file for --out is empty.';
    if (out !== undefined && detach) return 'Give --out to stalltrace captures --bring, not here.';
    const file = out === undefined ? {} : { out: resolve(startFolder, out) };
    return { ...host, request, ...file, force, detach, yes, json };
  } catch (error) {
    return optionProblem(error);
  }
}

function requestOf(
  values: Values,
  command: readonly string[] | undefined,
): CaptureRequest | string {
  const target = targetOfCapture(values, command);
  if (typeof target === 'string') return target;
  const durationNs = parseTime(values.duration);
  const durationS = durationNs === undefined ? 0 : Math.ceil(durationNs / SECOND_NS);
  if (durationS < 1 || durationS > LONGEST_CAPTURE_S)
    return `--duration ${values.duration}: a time is given with its unit, as in 30s, 5min or 1h, 24h at most.`;
  const maxSizeBytes = parseSize(values['max-size']);
  if (maxSizeBytes === undefined || maxSizeBytes > LARGEST_CAPTURE_BYTES)
    return `--max-size ${values['max-size']}: give a size as in 500M or 4G, ${formatBytes(LARGEST_CAPTURE_BYTES)} at most.`;
  const profiles = profilesOf(values.profile);
  if (typeof profiles === 'string') return profiles;
  const samplesHz = /^\d{1,3}$/.test(values.samples) ? Number(values.samples) : Number.NaN;
  if (Number.isNaN(samplesHz)) return `--samples ${values.samples} is no number from 0 to 999.`;
  const mode = values['no-bpf'] ? 'sampled' : 'full';
  const request = { target, durationS, maxSizeBytes, profiles, samplesHz, mode } as const;
  const checked = captureRequest.safeParse({ ...request, keepAgent: values['keep-agent'] });
  if (checked.success) return checked.data;
  const [field] = checked.error.issues[0]?.path ?? [];
  return field === 'maxSizeBytes'
    ? `--max-size ${values['max-size']} is too small: 1M is the least.`
    : 'The command or the folder is too long, or there are more than 64 processes.';
}

function targetOfCapture(
  { pid, all, folder }: Values,
  command: readonly string[] | undefined,
): CaptureRequest['target'] | string {
  const named = [pid.length > 0, all, command !== undefined].filter(Boolean).length;
  if (named === 0)
    return 'Say what to capture: --pid PID, --all, or -- COMMAND; stalltrace check HOST lists what runs there.';
  if (named > 1) return 'Give --pid, --all or -- COMMAND, one of them.';
  if (folder !== undefined && command === undefined) return '--folder is for -- COMMAND only.';
  if (all) return { kind: 'machine' };
  if (command === undefined) {
    const wrong = pid
      .flatMap((text) => text.split(','))
      .find((text) => !/^[1-9]\d{0,9}$/.test(text));
    if (wrong !== undefined) return `--pid ${wrong} is no process ID.`;
    return { kind: 'processes', pids: pid.flatMap((text) => text.split(',').map(Number)) };
  }
  const line = shellLine(command);
  if (line.trim() === '') return 'Name the command after --.';
  return { kind: 'command', line, ...(folder !== undefined && { folder }) };
}

/** One word is a line as it stands, with what a shell does with it; several are one command. */
function shellLine(words: readonly string[]): string {
  return words.length === 1 ? (words[0] ?? '') : words.map(shellWord).join(' ');
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function profilesOf(lists: readonly string[]): CaptureProfile[] | string {
  const names = lists.flatMap((list) => list.split(',')).map((name) => name.trim());
  const known = captureProfiles.filter((profile) => names.includes(profile));
  const strange = names.find((name) => !captureProfiles.some((profile) => profile === name));
  if (strange === undefined) return known;
  return `--profile ${strange} is not known: there are ${captureProfiles.join(', ')}.`;
}

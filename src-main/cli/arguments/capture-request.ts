import { firstMode, type ModeOption, modeOptions } from '../../shared/capture-modes/modes.ts';
import { type CaptureProfile, captureProfiles } from '../../shared/capture-modes/profiles.ts';
import {
  type CaptureRequest,
  captureRequest,
  comesInByLine,
  gpuRecordKinds,
  LARGEST_CAPTURE_BYTES,
  LONGEST_CAPTURE_S,
} from '../../shared/remote/capture-request.ts';
import { shellWord } from '../../shared/text/shell-word.ts';
import { formatBytes } from '../../shared/text/units.ts';
import { parseSize } from './parse-size.ts';
import { parseTime } from './parse-time.ts';

const SECOND_NS = 1e9;

interface Switch {
  readonly type: 'boolean';
  readonly default: false;
}

/** An option for each mode that can be chosen. */
export const modeOptionTypes = Object.fromEntries(
  modeOptions.map(({ option }) => [option, { type: 'boolean', default: false }]),
) as Readonly<Record<ModeOption, Switch>>;

/** Of the options of `capture`, those that say what is captured and how. */
interface Values extends Readonly<Record<ModeOption, boolean>> {
  readonly pid: readonly string[];
  readonly all: boolean;
  readonly folder?: string | undefined;
  readonly env: readonly string[];
  readonly 'gpu-records': string;
  readonly 'remote-python': boolean;
  readonly duration: string;
  readonly 'max-size': string;
  readonly profile: readonly string[];
  readonly samples: string;
  readonly 'keep-agent': boolean;
}

/** What to capture, or the sentence that says what is wrong with the options. */
export function readCaptureRequest(
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
  if (Number.isNaN(samplesHz)) return `--samples ${values.samples} is not a number from 0 to 999.`;
  const gpuRecords = gpuRecordKinds.find((kind) => kind === values['gpu-records']);
  if (gpuRecords === undefined)
    return `--gpu-records ${values['gpu-records']} is not known: there are ${gpuRecordKinds.join(', ')}.`;
  const mode = modeOptions.find(({ option }) => values[option])?.mode ?? firstMode;
  const remotePython = values['remote-python'];
  if (remotePython && !comesInByLine({ target, mode, gpuRecords }))
    return '--remote-python is for a --pid that is recorded from inside.';
  const request = { target, durationS, maxSizeBytes, profiles, samplesHz, mode, gpuRecords };
  const more = { remotePython, keepAgent: values['keep-agent'] };
  const checked = captureRequest.safeParse({ ...request, ...more });
  if (checked.success) return checked.data;
  const [field] = checked.error.issues[0]?.path ?? [];
  return field === 'maxSizeBytes'
    ? `--max-size ${values['max-size']} is too small: 1M is the least.`
    : 'The command or the folder is too long, or there are more than 64 processes.';
}

function targetOfCapture(
  { pid, all, folder, env }: Values,
  command: readonly string[] | undefined,
): CaptureRequest['target'] | string {
  const named = [pid.length > 0, all, command !== undefined].filter(Boolean).length;
  if (named === 0)
    return 'Say what to capture: --pid PID, --all, or -- COMMAND; stalltrace check HOST lists what runs there.';
  if (named > 1) return 'Give --pid, --all or -- COMMAND, one of them.';
  if (folder !== undefined && command === undefined) return '--folder is for -- COMMAND only.';
  if (env.length > 0 && command === undefined) return '--env is for -- COMMAND only.';
  const wrongVariable = env.find((each) => !/^[A-Za-z_]\w*=/.test(each));
  if (wrongVariable !== undefined) return `--env ${wrongVariable}: give it as NAME=value.`;
  if (all) return { kind: 'machine' };
  if (command === undefined) {
    const wrong = pid
      .flatMap((text) => text.split(','))
      .find((text) => !/^[1-9]\d{0,9}$/.test(text));
    if (wrong !== undefined) return `--pid ${wrong} is not a process ID.`;
    return { kind: 'processes', pids: pid.flatMap((text) => text.split(',').map(Number)) };
  }
  const line = shellLine(command);
  if (line.trim() === '') return 'Name the command after --.';
  return {
    kind: 'command',
    line,
    ...(folder !== undefined && { folder }),
    ...(env.length > 0 && { environment: [...env] }),
  };
}

/** One word is a line as it stands, with what a shell does with it; several are one command. */
function shellLine(words: readonly string[]): string {
  return words.length === 1 ? (words[0] ?? '') : words.map(shellWord).join(' ');
}

function profilesOf(lists: readonly string[]): CaptureProfile[] | string {
  const names = lists.flatMap((list) => list.split(',')).map((name) => name.trim());
  const known = captureProfiles.filter((profile) => names.includes(profile));
  const strange = names.find((name) => !captureProfiles.some((profile) => profile === name));
  if (strange === undefined) return known;
  return `--profile ${strange} is not known: there are ${captureProfiles.join(', ')}.`;
}

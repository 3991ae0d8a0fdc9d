import {
  type BestMode,
  type CaptureMode,
  modeOn,
  modeSpec,
  type TargetKind,
} from '../../../src-main/shared/capture-modes/modes.ts';
import type { CaptureProfile } from '../../../src-main/shared/capture-modes/profiles.ts';
import type { CaptureOrigin } from '../../../src-main/shared/remote/capture-origin.ts';
import {
  type CaptureRequest,
  captureRequest,
  defaultCapture,
  type GpuRecords,
  LARGEST_CAPTURE_BYTES,
  LONGEST_CAPTURE_S,
} from '../../../src-main/shared/remote/capture-request.ts';

export const durationUnits = { s: 1, min: 60, h: 3600 } as const;
export type DurationUnit = keyof typeof durationUnits;
export const sizeUnits = { MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;
export type SizeUnit = keyof typeof sizeUnits;

/** What is filled in; numbers as they are typed. */
export interface CaptureFields {
  readonly kind: TargetKind;
  readonly line: string;
  readonly folder: string;
  /** `NAME=value`, a line each. */
  readonly environment: string;
  readonly duration: string;
  readonly durationUnit: DurationUnit;
  readonly size: string;
  readonly sizeUnit: SizeUnit;
  readonly profiles: readonly CaptureProfile[];
  readonly samplesHz: number;
  readonly gpuRecords: GpuRecords;
  readonly remotePython: boolean;
  /** What the user wants where both can be had. */
  readonly mode: CaptureMode;
  readonly keepAgent: boolean;
}

const FIRST: CaptureFields = {
  /** Launched, a job is recorded from its first instruction on, and most of it. */
  kind: 'command',
  line: '',
  folder: '',
  environment: '',
  duration: String(defaultCapture.durationS),
  durationUnit: 's',
  size: String(defaultCapture.maxSizeBytes / sizeUnits.GiB),
  sizeUnit: 'GiB',
  profiles: defaultCapture.profiles,
  samplesHz: defaultCapture.samplesHz,
  gpuRecords: defaultCapture.gpuRecords,
  remotePython: defaultCapture.remotePython,
  mode: defaultCapture.mode,
  keepAgent: defaultCapture.keepAgent,
};

/** A number as people type it, also with a comma; NaN where it is none. */
const numberOf = (text: string) =>
  /^\s*\d+(?:[.,]\d+)?\s*$/.test(text) ? Number(text.replace(',', '.')) : Number.NaN;

/** What to capture and for how long, as it is being filled in. */
export class CaptureOptions {
  #fields = $state.raw<CaptureFields>(FIRST);

  readonly durationS = $derived(
    Math.round(numberOf(this.#fields.duration) * durationUnits[this.#fields.durationUnit]),
  );
  readonly maxSizeBytes = $derived(
    Math.round(numberOf(this.#fields.size) * sizeUnits[this.#fields.sizeUnit]),
  );
  /** What is wrong with the duration, and what to write instead. */
  readonly durationProblem = $derived(
    this.durationS >= 1 && this.durationS <= LONGEST_CAPTURE_S
      ? undefined
      : `A capture lasts from 1 s to ${LONGEST_CAPTURE_S / durationUnits.h} h.`,
  );
  readonly sizeProblem = $derived(
    this.maxSizeBytes >= sizeUnits.MiB && this.maxSizeBytes <= LARGEST_CAPTURE_BYTES
      ? undefined
      : `A trace has from 1 MiB to ${LARGEST_CAPTURE_BYTES / sizeUnits.GiB} GiB.`,
  );

  get fields(): CaptureFields {
    return this.#fields;
  }

  change(changes: Partial<CaptureFields>): void {
    this.#fields = { ...this.#fields, ...changes };
  }

  /** As a trace was captured; of its command only what its trace tells is known. */
  takeOrigin({ kind, folder = '', settings }: CaptureOrigin, line: string): void {
    const { durationS, maxSizeBytes, ...others } = settings;
    const inGiB = maxSizeBytes % sizeUnits.GiB === 0;
    this.#fields = {
      ...others,
      ...{ kind, line, folder, environment: '' },
      duration: String(durationS),
      durationUnit: 's',
      size: String(maxSizeBytes / (inGiB ? sizeUnits.GiB : sizeUnits.MiB)),
      sizeUnit: inGiB ? 'GiB' : 'MiB',
    };
  }

  toggleProfile(profile: CaptureProfile): void {
    const { profiles } = this.#fields;
    this.change({
      profiles: profiles.includes(profile)
        ? profiles.filter((each) => each !== profile)
        : [...profiles, profile],
    });
  }

  /** How it will be captured on a host that allows `allowed`. */
  modeOn(allowed: BestMode): CaptureMode {
    return modeOn(allowed, this.#fields.mode, this.#fields.kind);
  }

  /** The request with these processes, or this command; what is missing or wrong as a sentence instead. */
  request(
    pids: readonly number[],
    allowed: BestMode,
    line: string = this.#fields.line,
  ): CaptureRequest | string {
    const missing = this.#missing(pids, line) ?? this.durationProblem ?? this.sizeProblem;
    if (missing !== undefined) return missing;
    const { samplesHz, profiles, keepAgent, gpuRecords, remotePython } = this.#fields;
    const mode = this.modeOn(allowed);
    const { hasProfiles, hasCpuSamples } = modeSpec(mode);
    const parsed = captureRequest.safeParse({
      target: this.#target(pids, line),
      durationS: this.durationS,
      maxSizeBytes: this.maxSizeBytes,
      profiles: hasProfiles ? profiles : [],
      samplesHz: hasCpuSamples ? samplesHz : defaultCapture.samplesHz,
      mode,
      gpuRecords,
      remotePython,
      keepAgent,
    });
    return parsed.success
      ? parsed.data
      : 'The command, its folder or its environment is too long: shorten it.';
  }

  #missing(pids: readonly number[], line: string): string | undefined {
    const { kind } = this.#fields;
    if (kind === 'processes' && pids.length === 0) return 'Choose at least one process.';
    if (kind === 'command' && line.trim() === '') return 'Write the command that is to be started.';
    const wrong = this.#environment.find((each) => !/^[A-Za-z_]\w*=/.test(each));
    if (kind === 'command' && wrong !== undefined)
      return `Each line of the environment is NAME=value, not “${wrong.slice(0, 40)}”.`;
    return undefined;
  }

  get #environment(): readonly string[] {
    return this.#fields.environment.split('\n').filter((each) => each.trim() !== '');
  }

  #target(pids: readonly number[], line: string): CaptureRequest['target'] {
    const { kind, folder } = this.#fields;
    if (kind === 'processes') return { kind, pids: [...pids] };
    if (kind === 'machine') return { kind };
    return {
      kind,
      line: line.trim(),
      ...(folder.trim() !== '' && { folder: folder.trim() }),
      ...(this.#environment.length > 0 && { environment: [...this.#environment] }),
    };
  }
}

import { full } from './full.ts';
import { inside } from './inside.ts';
import type { CaptureModeSpec } from './mode-spec.ts';
import { sampled } from './sampled.ts';

/** The ways to capture, the one that sees most first. Where one is possible, so are those after it. */
const specs = [full, inside, sampled] as const;

export const captureModeSpecs: readonly CaptureModeSpec[] = specs;
export type CaptureMode = (typeof specs)[number]['id'];
/** What a host allows: the first mode that is possible there. */
export type BestMode = CaptureMode | 'none';

const ids = specs.map(({ id }) => id);
export const captureModes = ids as [CaptureMode, ...CaptureMode[]];
export const firstMode = specs[0].id;

export type ModeOption = Extract<
  (typeof specs)[number],
  { readonly choice: unknown }
>['choice']['option'];

/** Options of `stalltrace capture` that choose a mode. */
export const modeOptions: readonly { readonly option: ModeOption; readonly mode: CaptureMode }[] =
  specs.flatMap((spec) =>
    'choice' in spec ? [{ option: spec.choice.option, mode: spec.id }] : [],
  );

export function modeSpec(mode: CaptureMode): CaptureModeSpec {
  return specs[captureModes.indexOf(mode)] ?? full;
}

/** What is captured: a process that runs, a command that is launched, the machine. */
export const targetKinds = ['processes', 'command', 'machine'] as const;
export type TargetKind = (typeof targetKinds)[number];

/** The modes that are possible where `best` is the first of them, of what is captured. */
export function modesFrom(best: BestMode, target: TargetKind): readonly CaptureMode[] {
  if (best === 'none') return [];
  return captureModes
    .slice(captureModes.indexOf(best))
    .filter((mode) => target !== 'machine' || !modeSpec(mode).fromInside);
}

/** How it is captured on a host where `best` is the first that is possible, if `wanted` was asked for. */
export function modeOn(best: BestMode, wanted: CaptureMode, target: TargetKind): CaptureMode {
  const possible = modesFrom(best, target);
  return possible.includes(wanted) ? wanted : (possible[0] ?? captureModes.at(-1) ?? wanted);
}

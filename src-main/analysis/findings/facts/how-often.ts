import type { Repeats } from '../../host/repeats.ts';

/** `, every 20 steps`: behind what was done; empty where it is not known. */
export function oftenText(repeats: Repeats | undefined): string {
  return repeats === undefined ? '' : `, ${repeats.text}`;
}

/** ` on average, every 20 steps`: behind a number a step, where not each step has so many; else empty. */
export function unevenText(repeats: Repeats | undefined): string {
  return repeats === undefined || repeats.everySteps === 1 ? '' : ` on average, ${repeats.text}`;
}

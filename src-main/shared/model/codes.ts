/** The small codes that stand in `u8` columns. A code's position is its value: append, never insert. */

export const cudaLayers = ['unknown', 'runtime', 'driver', 'graph'] as const;

export const directions = ['none', 'H2D', 'D2H', 'D2D', 'H2H', 'P2P', 'unknown'] as const;
export type Direction = (typeof directions)[number];

export const hostMemoryKinds = ['unknown', 'pinned', 'registered', 'managed', 'pageable'] as const;
export type HostMemoryKind = (typeof hostMemoryKinds)[number];

/** Either end of a copy: host memory keeps the codes it has in `hostMemoryKinds`. */
export const memoryKinds = [...hostMemoryKinds, 'device', 'array'] as const;

export const gpuWorkKinds = ['unknown', 'kernel', 'copy', 'fill', 'graph'] as const;

export const wakeContexts = ['unknown', 'task', 'softirq', 'irq', 'timer'] as const;

export const processEventKinds = ['other', 'fork', 'exec', 'exit', 'rename', 'oom-kill'] as const;
export type ProcessEventKind = (typeof processEventKinds)[number];

export const cpuModes = ['unknown', 'user', 'kernel'] as const;

/** The value of `name` in the column whose codes are `codes`. */
export function codeOf<const Codes extends readonly string[]>(
  codes: Codes,
  name: Codes[number],
): number {
  return codes.indexOf(name);
}

/** The value that says "not known" in a column of these codes, by the column's unit. */
export function unknownCode(unit: string): number {
  return unit === 'Direction' ? codeOf(directions, 'unknown') : 0;
}

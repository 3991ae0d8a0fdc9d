import type { Importer } from './importer.ts';
import { ingeroImporter } from './ingero/importer.ts';
import { stalltraceImporter } from './stalltrace/importer.ts';

/** Every format that can be opened, in the order in which they are tried. */
export const importers: readonly Importer[] = [stalltraceImporter, ingeroImporter];

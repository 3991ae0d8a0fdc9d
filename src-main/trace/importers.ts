import { chromeImporter } from './formats/chrome/importer.ts';
import { ingeroImporter } from './formats/ingero/importer.ts';
import { kinetoImporter } from './formats/kineto/importer.ts';
import { nsightImporter } from './formats/nsight/importer.ts';
import { stalltraceImporter } from './formats/stalltrace/importer.ts';
import type { Importer } from './source/importer.ts';

/** Every format that can be opened, in the order in which they are tried. */
export const importers: readonly Importer[] = [
  stalltraceImporter,
  ingeroImporter,
  nsightImporter,
  kinetoImporter,
  // Any trace in that format, so behind those that say more of what they are.
  chromeImporter,
];

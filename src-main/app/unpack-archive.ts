export { isArchive } from '../archive/is-archive.ts';

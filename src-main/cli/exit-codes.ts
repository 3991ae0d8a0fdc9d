/** A file can't be read as a trace, or not written; a host can't be used. */
export const EXIT_FAILURE = 1;
/** The command line is wrong. */
export const EXIT_USAGE = 2;
/** On this host only samples can be captured. */
export const EXIT_SAMPLED = 3;
/** Ended by SIGINT, as shells report it. */
export const EXIT_INTERRUPTED = 130;

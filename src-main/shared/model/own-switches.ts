/** The agent’s name for switches of the job’s own threads, all of them and nobody else’s: agent/src/record/tiers.c. */
export const OWN_SWITCHES = 'perf_switch';

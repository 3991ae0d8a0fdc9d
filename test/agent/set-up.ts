import { buildStandIn } from '../support/agent/agent-run.ts';

/** What the tests record is built once, before them. */
export default buildStandIn;

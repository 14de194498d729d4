/** The program that `pulumi up` runs, and the outputs of the stack. */
import { infra } from './infra';

// By name: of a CommonJS program the engine does not call a default export.
export const { githubCallback, githubConnect, gitlabId } = infra();

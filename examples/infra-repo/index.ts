/** The program that `pulumi up` runs, and the outputs of the stack. */
import { infra } from './infra';

// The outputs are named exports, because the engine ignores a default function of a CommonJS program.
export const { githubCallback, githubConnect, gitlabId } = infra();

/** A larger seed, and the body of a client. */
import { acmeSeed, githubFields } from './acme';

/** Organization acme with 32 workspaces. */
export const seed = acmeSeed({
  projects: { 'prj-one': { name: 'one' }, 'prj-two': { name: 'two' } },
  workspaces: Object.fromEntries(
    ['app', 'network', ...Array.from({ length: 30 }, (_, index) => `w${index}`)].map((name) => [
      `ws-${name}`,
      { name },
    ]),
  ),
});

/** Body of a create that the default profile takes. */
export const body = {
  ...githubFields,
  oauthTokenString: 'string-1',
};

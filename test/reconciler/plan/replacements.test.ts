/** What the new client of a replacement gets from the old one. */
import assert from 'node:assert/strict';
import type { Ledger } from '../../../reconciler/ledger/ledger';
import { planChanges } from '../../../reconciler/plan/make';
import { clientEntry, githubFields as values } from '../../support/acme';
import { clientDefaults } from '../../support/client-values';
import { clientDocument, longAgo, smallFacts, smallLedger, smallManifest } from '../../support/small-world';

const moved = { httpUrl: 'https://new.example.com' };
const declare = (fields: Readonly<Record<string, string>>) =>
  `oauthClients:\n${clientEntry('github', { oauthTokenString: null, ...fields })}`;

describe('the new client of a replacement', () => {
  const attached: Ledger['objects'] = {
    'OAuthClient/github': { id: 'oc-1', createdAt: longAgo, values, digests: {} },
    'ProjectAttachment/oc-1/prj-old': {},
    'ProjectAttachment/oc-1/prj-kept': {},
  };
  const line = 'projectAttachments:\n  - { oauthClient: github, project: prj-kept }\n';
  for (const [what, says, projects] of [
    ['keeps what is declared and what nobody manages', declare(moved) + line, ['prj-kept', 'prj-theirs']],
    [
      'keeps what a forget line names',
      `${declare(moved)}forget: [ProjectAttachment/github/prj-old]\n`,
      ['prj-old', 'prj-theirs'],
    ],
    [
      'has the members of its exact set that are there',
      declare({ ...moved, projects: '[prj-kept, prj-new]' }),
      ['prj-kept'],
    ],
  ] as const)
    it(`${what}, and all readable fields that no line says`, async () => {
      const projectIds = ['prj-kept', 'prj-old', 'prj-theirs'];
      const fields = { key: 'k', agentPoolId: 'apool-1', organizationScoped: false };
      const clients = [clientDocument('oc-1', { ...fields, projectIds })];
      const { steps } = planChanges(
        await smallFacts({ clients }, smallManifest(says), smallLedger(attached)),
      );
      const replace = steps.find((step) => step.action === 'replace');
      const dropped = projectIds.filter((id) => !projects.some((kept) => kept === id)).join(', ');
      assert.equal(replace?.risks[1], `attached to oc-1, and not to the client that stays: ${dropped}`);
      assert.deepEqual(replace?.inputs, {
        ...clientDefaults,
        ...values,
        ...moved,
        organization: 'acme',
        ...fields,
        projectIds: projects,
      });
    });
});

/** A link that names by its id what has an address here: it means the address, and both spellings are one link. */
import assert from 'node:assert/strict';
import {
  clientDocument,
  clientInLedger,
  ledgerWith,
  manifest,
  planIn,
  pureWorld,
} from '../../support/pure-world';

const github = (rest = '', httpUrl = 'https://git.example.com') => `oauthClients:
  github:
    name: GitHub
    serviceProvider: provider_a
    httpUrl: ${httpUrl}
    apiUrl: https://git.example.com/api/v3
${rest}`;
const values = {
  name: 'GitHub',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
};
const attached = (...clients: string[]) =>
  `projectAttachments:\n${clients.map((one) => `  - { oauthClient: ${one}, project: prj-1 }\n`).join('')}`;
const world = (held = clientInLedger('oc-1', values), projectIds: string[] = []) =>
  pureWorld({
    clients: [clientDocument('oc-1', { projectIds })],
    ledger: ledgerWith({ 'OAuthClient/github': held }),
  });
const planned = (given: ReturnType<typeof world>, text: string) => {
  const { steps, problems, warnings } = planIn(given, manifest(text)).plan;
  return {
    steps: steps.map(({ id }) => id),
    problems: problems.map(({ rule }) => rule),
    warnings: warnings.map(({ rule }) => rule),
  };
};

describe('a link to the id of a client that the ledger knows by its address', () => {
  it('is the link of that address, and a warning says how to write it', () => {
    assert.deepEqual(planned(world(), `${github()}${attached('oc-1')}`), {
      steps: ['create ProjectAttachment/github/prj-1'],
      problems: [],
      warnings: ['link-by-id'],
    });
  });

  it('goes to the new client when the client is replaced', () => {
    const text = `${github('', 'https://git2.example.com')}${attached('oc-1')}`;
    assert.deepEqual(planned(world(), text).steps, [
      'replace OAuthClient/github',
      'create ProjectAttachment/github/prj-1',
      'delete OAuthClient/github (replaced oc-1)',
    ]);
  });

  for (const member of ['replaced', 'replaces'] as const) {
    it(`still is, when the line has the id of what the client ${member}`, () => {
      const { steps } = planned(
        world({ ...clientInLedger('oc-1', values), [member]: 'oc-0' }),
        `${github()}${attached('oc-0')}`,
      );
      assert.ok(steps.includes('create ProjectAttachment/github/prj-1'));
    });
  }

  it('is what a `forget` line by the address names: the line stays, and is told to be in the manifests', () => {
    const held = clientInLedger('oc-1', values, { replaced: 'oc-0' });
    const text = `${github()}${attached('oc-0')}forget: [ProjectAttachment/github/prj-1]\n`;
    const { plan } = planIn(world(held, ['prj-1']), manifest(text));
    assert.deepEqual(
      plan.warnings.filter(({ rule }) => rule === 'obsolete-line').map(({ message }) => message),
      [
        'ProjectAttachment/github/prj-1 is in the manifests, so it stays: remove the `forget` line, or the other one',
      ],
    );
  });

  it('is that of the client which has the id now, not of the one that had it once', () => {
    const hub = github()
      .replace('oauthClients:\n', '')
      .replace('  github:', '  alpha:')
      .replace('GitHub', 'Hub');
    const given = pureWorld({
      clients: [clientDocument('oc-1'), clientDocument('oc-2', { name: 'Hub' })],
      ledger: ledgerWith({
        'OAuthClient/github': clientInLedger('oc-1', values),
        'OAuthClient/alpha': clientInLedger('oc-2', { ...values, name: 'Hub' }, { replaced: 'oc-1' }),
      }),
    });
    for (const clients of [
      `${github()}${hub}`,
      `oauthClients:\n${hub}${github().replace('oauthClients:\n', '')}`,
    ]) {
      const { steps } = planned(given, `${clients}${attached('oc-1')}`);
      assert.deepEqual(steps, ['create ProjectAttachment/github/prj-1']);
    }
  });

  it('cannot stand beside the same link by its address', () => {
    for (const lines of [attached('github', 'oc-1'), attached('oc-1', 'github')]) {
      assert.deepEqual(planned(world(), `${github()}${lines}`), {
        steps: ['create ProjectAttachment/github/prj-1'],
        problems: ['link-contradicted'],
        warnings: [],
      });
    }
  });

  it('cannot stand beside the projects of that client, and nothing is taken away because of it', () => {
    const text = `${github('    projects: [prj-2]\n')}${attached('oc-1')}`;
    const given = world(clientInLedger('oc-1', values), ['prj-1', 'prj-2']);
    assert.deepEqual(planned(given, text), {
      steps: ['adopt ProjectAttachment/github/prj-2'],
      problems: ['link-contradicted'],
      warnings: ['projects-restrict-nothing'],
    });
  });

  it('is another client where the kinds differ or the id is unknown', () => {
    const other = pureWorld({ clients: [clientDocument('oc-1'), clientDocument('oc-9', { name: 'Other' })] });
    assert.deepEqual(planned(other, attached('oc-9')), {
      steps: ['create ProjectAttachment/oc-9/prj-1'],
      problems: [],
      warnings: [],
    });
  });
});

describe('a link to the id of a client that is in no manifest', () => {
  const link = {
    ...clientInLedger('oc-1/prj-1', { oauthClientId: 'oc-1', projectId: 'prj-1' }),
    kind: 'ProjectAttachment',
  };
  const held = pureWorld({
    clients: [clientDocument('oc-1', { projectIds: ['prj-1'] })],
    ledger: ledgerWith({
      'OAuthClient/github': clientInLedger('oc-1', values),
      'ProjectAttachment/oc-1/prj-1': link,
    }),
  });

  it('is a problem when the client does not exist', () => {
    assert.deepEqual(planned(pureWorld(), attached('oc-9')), {
      steps: [],
      problems: ['bad-end'],
      warnings: [],
    });
  });

  it('is a problem when the client is in another organization', () => {
    const theirs = pureWorld({
      clients: [clientDocument('oc-9', { organization: 'other' })],
      unlisted: new Set(['oc-9']),
    });
    const { plan } = planIn(theirs, manifest(attached('oc-9')));
    assert.match(plan.problems[0]?.message ?? '', /oc-9, which belongs to organization other/);
    assert.deepEqual(plan.steps, []);
  });

  it('is made where the list is late with the client', () => {
    const late = pureWorld({ clients: [clientDocument('oc-9')], unlisted: new Set(['oc-9']) });
    assert.deepEqual(planned(late, attached('oc-9')).steps, ['create ProjectAttachment/oc-9/prj-1']);
  });

  it('is a problem when this plan destroys the client', () => {
    assert.deepEqual(planned(held, attached('oc-1')), {
      steps: ['delete OAuthClient/github'],
      problems: ['bad-end'],
      warnings: [],
    });
  });

  it('is a problem when this plan destroys the client as what an interrupted replace left', () => {
    const begun = pureWorld({
      clients: [clientDocument('oc-1'), clientDocument('oc-2')],
      ledger: ledgerWith({ 'OAuthClient/github': clientInLedger('oc-2', values, { replaces: 'oc-1' }) }),
    });
    assert.deepEqual(planned(begun, attached('oc-1')), {
      steps: ['delete OAuthClient/github (replaced oc-1)', 'delete OAuthClient/github'],
      problems: ['bad-end'],
      warnings: [],
    });
    const adopting = planned(begun, github('    id: oc-1\n').replace('github:', 'other:'));
    assert.deepEqual(adopting.problems, ['id-held']);
  });

  it('is kept when the client is let go', () => {
    const { steps, problems } = planned(held, `${attached('oc-1')}forget: [OAuthClient/github]\n`);
    assert.deepEqual(
      [steps, problems],
      [['forget OAuthClient/github', 'adopt ProjectAttachment/oc-1/prj-1'], []],
    );
  });
});

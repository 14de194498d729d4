/** Proposals about what is ours: renaming, moving, adopting, letting go, protecting, approving. */
import type { Action } from './actions';
import { type ClientEntry, clientAt, clientNames, filesOf } from './manifests';
import { addClient, dropClient, replaceClient } from './propose-entries';
import { canary, declared, heldId, names, type Proposal, pathIn, type Scene } from './scene';

function rename(withLine: boolean) {
  return (scene: Scene): Action[] | undefined => {
    const { chance, folder } = scene;
    const from = declared(scene);
    const to = chance.maybe(names.filter((one) => clientAt(folder, one) === undefined));
    if (from === undefined || to === undefined) return undefined;
    const { path = '' } = clientAt(folder, from) ?? {};
    const line: Action = { edit: 'moved', path, from: `OAuthClient/${from}`, to: `OAuthClient/${to}` };
    return [{ edit: 'rename-client', from, to }, ...(withLine ? [line] : [])];
  };
}

/** Lets a client, a trigger or an attachment go, and takes its line out. */
function forget(scene: Scene): Action[] | undefined {
  const { chance, folder, ledger } = scene;
  const path = pathIn(scene);
  const singles = filesOf(folder).flatMap(([, file]) =>
    file.triggers.filter((item) => 'target' in item && 'source' in item),
  );
  const single = chance.maybe(singles);
  if (single !== undefined && 'source' in single && 'target' in single && chance.often(0.3)) {
    const address = `RunTrigger/${single.target}/${single.source}`;
    return single.target.startsWith('ws-') && single.source.startsWith('ws-')
      ? [
          { edit: 'drop-line', item: single },
          { edit: 'forget', path, address },
        ]
      : undefined;
  }
  const name = chance.maybe(
    clientNames(folder).filter((one) => ledger.objects[`OAuthClient/${one}`] !== undefined),
  );
  if (name === undefined) return undefined;
  return [
    { edit: 'drop-client', name },
    { edit: 'forget', path, address: `OAuthClient/${name}` },
  ];
}

/** Declares what exists and is nobody's, by its id; or puts the `id:` line that a plan printed. */
function adopt(scene: Scene): Action[] | undefined {
  const { chance, folder, reality, ledger } = scene;
  const owned = new Set(Object.values(ledger.objects).map(({ id }) => id));
  const stray = chance.maybe([...reality.clients.values()].filter(({ id }) => !owned.has(id)));
  if (stray === undefined) return undefined;
  const { id, serviceProvider, httpUrl, apiUrl, name } = stray;
  if (name?.startsWith('tether-pending-')) return undefined;
  const waiting = clientNames(folder).find((one) => {
    const entry = clientAt(folder, one)?.entry;
    return (
      heldId(scene, one) === undefined &&
      entry?.httpUrl === httpUrl &&
      entry.serviceProvider === serviceProvider
    );
  });
  if (waiting !== undefined) {
    const { path = '' } = clientAt(folder, waiting) ?? {};
    const other = chance.maybe([...owned].filter((one) => /^oc-[^/]*$/u.test(one)));
    return [
      { edit: 'client', name: waiting, path, set: { id: chance.often(0.9) ? id : (other ?? id), apiUrl } },
    ];
  }
  const wrong = chance.often(0.1) ? { httpUrl: 'https://wrong.example' } : {};
  const set = {
    id,
    serviceProvider,
    httpUrl,
    apiUrl,
    ...wrong,
    ...(chance.often(0.6) ? { name: chance.pick([name, 'Adopted']) } : {}),
  };
  const added = addClient(scene, set);
  const [first] = added ?? [];
  if (first === undefined || !('edit' in first) || first.edit !== 'client') return undefined;
  const { rsaPublicKey: _r, key: _k, ...plain } = first.set;
  const secrets =
    chance.often(0.5) || serviceProvider === 'provider_c_server' ? {} : (first.set.secrets ?? {});
  const kept = {
    ...plain,
    ...set,
    secrets: serviceProvider === 'ado_server' || serviceProvider === 'bitbucket_data_center' ? {} : secrets,
  };
  const foreign = Object.keys(kept.secrets).includes('privateKey');
  return [{ ...first, set: foreign ? { ...kept, secrets: {} } : kept }, ...(added ?? []).slice(1)];
}

function protect(scene: Scene): Action[] | undefined {
  const { chance, folder, ledger } = scene;
  const held = clientNames(folder).filter((one) => ledger.objects[`OAuthClient/${one}`]?.protect === true);
  const name = chance.often(0.7) ? (chance.maybe(held) ?? declared(scene)) : declared(scene);
  const found = name === undefined ? undefined : clientAt(folder, name);
  if (name === undefined || found === undefined) return undefined;
  const { path, entry } = found;
  if (entry.protect === undefined || chance.often(0.2))
    return entry.protect === true ? undefined : [{ edit: 'client', name, path, set: { protect: true } }];
  if (chance.often(0.3)) return [{ edit: 'client', name, path, set: { protect: !entry.protect } }];
  // The line alone, or together with what makes the plan write to that client.
  const set = chance.often(0.6) ? { name: chance.pick(['One', 'Two', 'Three']) } : {};
  return [{ edit: 'client', name, path, set, drop: ['protect'] }];
}

/** What is to be replaced against its protection has to be protected, and applied, before. */
function protectFirst(scene: Scene): Action[] | undefined {
  const isWaiting = clientNames(scene.folder).some(
    (one) => clientAt(scene.folder, one)?.entry.protect === true,
  );
  const name = declared(scene);
  if (isWaiting) return undefined;
  if (name === undefined) return addClient(scene)?.map((action) => ({ ...action, tags: ['client-added'] }));
  return [{ edit: 'client', name, path: '', set: { protect: true }, tags: ['protect'] }];
}

/** The line goes, and what never changes in place is edited and approved, all in one. */
function protectedReplace(scene: Scene): Action[] | undefined {
  const { chance, folder, ledger } = scene;
  const name = chance.maybe(
    clientNames(folder).filter((one) => ledger.objects[`OAuthClient/${one}`]?.protect === true),
  );
  if (name === undefined) return protectFirst(scene);
  const { path = '', entry } = clientAt(folder, name) ?? {};
  const id = heldId(scene, name) ?? '';
  return [
    chance.often(0.5) || entry?.protect === undefined
      ? { edit: 'client', name, path, set: { httpUrl: 'https://moved.example' }, drop: ['protect'] }
      : { edit: 'client', name, path, set: { httpUrl: 'https://moved.example', protect: false } },
    { edit: 'approve', path, line: { replace: `OAuthClient/${name}`, id } },
  ];
}

/** Approves what stopped the last run, by what the model knows of ids, serial and lineage. */
function approve(scene: Scene): Action[] | undefined {
  const { chance, folder, ledger, open } = scene;
  const path = pathIn(scene);
  const actions: Action[] = [];
  for (const blocker of open.blockers) {
    const [what, address = ''] = blocker.split(' ');
    const object = ledger.objects[address];
    if (what === 'approval' && object !== undefined) {
      const live = clientAt(folder, address.replace('OAuthClient/', '')) !== undefined;
      const { id } = object;
      actions.push({
        edit: 'approve',
        path,
        line: live ? { replace: address, id } : { destroy: address, id },
      });
    }
    const { serial, lineage } = ledger;
    const state = { serial, ...(lineage && { lineage: lineage.slice(0, 13) }) };
    if (what === 'too-many-deletes')
      actions.push({ edit: 'approve', path, line: { deletes: open.counts, ...state } });
    if (what === 'too-many-missing')
      actions.push({ edit: 'approve', path, line: { missing: open.counts, ...state } });
    if (what === 'protected' && clientAt(folder, address.replace('OAuthClient/', '')) !== undefined) {
      const name = address.replace('OAuthClient/', '');
      actions.push({ edit: 'client', name, path, set: { protect: false } });
    }
  }
  if (actions.length > 0) return actions;
  // An approval in the same edit as what it approves.
  return chance.often(0.5) ? replaceClient(scene, true) : dropClient(scene, true);
}

/** What a person does so that nothing stops the next apply. */
export function clearTheWay(scene: Scene): Action[] {
  const { folder, ledger, open } = scene;
  const actions: Action[] = scene.rights === 'owner' ? [] : [{ do: 'rights', rights: 'owner' }];
  for (const blocker of open.blockers) {
    const [what, address = ''] = blocker.split(' ');
    const name = address.replace('OAuthClient/', '');
    const { path = '' } = clientAt(folder, name) ?? {};
    if (what === 'no')
      actions.push({ do: 'secret', source: blocker.split(' for ')[1] ?? '', value: canary(scene) });
    if (what !== 'protected') continue;
    const held = ledger.objects[address]?.values as Partial<ClientEntry> | undefined;
    if (path === '') actions.push({ edit: 'forget', path: pathIn(scene), address });
    else if (held?.serviceProvider === clientAt(folder, name)?.entry.serviceProvider && held !== undefined) {
      const { serviceProvider = '', httpUrl = '', apiUrl = '' } = held;
      actions.push({ edit: 'client', name, path, set: { serviceProvider, httpUrl, apiUrl, protect: false } });
    }
  }
  const approvals = open.blockers.some((one) => /^approval|^too-many/u.test(one))
    ? (approve(scene) ?? [])
    : [];
  return [...actions, ...approvals];
}

function allowDuplicate(scene: Scene): Action[] | undefined {
  const { open, folder, reality, chance } = scene;
  const [problem] = open.problems.filter(
    (one) => clientAt(folder, one.replace('OAuthClient/', '')) !== undefined,
  );
  const name = problem?.replace('OAuthClient/', '');
  if (name !== undefined)
    return [{ edit: 'client', name, path: '', set: { allowDuplicate: true }, drop: ['id'] }];
  const model = chance.maybe(
    [...reality.clients.values()].filter((one) => ['provider_a', 'github'].includes(one.serviceProvider)),
  );
  if (model === undefined) return undefined;
  const { serviceProvider, httpUrl, apiUrl } = model;
  const same = { serviceProvider, httpUrl, apiUrl, name: model.name, secrets: {}, allowDuplicate: true };
  const [added] = addClient(scene, same) ?? [];
  if (added === undefined || !('edit' in added) || added.edit !== 'client') return undefined;
  const { rsaPublicKey: _r, ...set } = added.set;
  return [{ ...added, set }];
}

export const directiveProposals: readonly Proposal[] = [
  { tag: 'client-renamed', weight: 2, first: 'client-added', propose: rename(false) },
  { tag: 'moved', weight: 2, first: 'client-added', propose: rename(true) },
  { tag: 'forget', weight: 2, first: 'client-added', propose: forget },
  { tag: 'adopt', weight: 3, first: 'hand-client', propose: adopt },
  { tag: 'protect', weight: 3, first: 'client-added', propose: protect },
  { tag: 'protected-replace', weight: 1, propose: protectedReplace },
  { tag: 'approved', weight: 3, first: 'client-added', propose: approve },
  { tag: 'allow-duplicate', weight: 1, first: 'hand-client', propose: allowDuplicate },
];

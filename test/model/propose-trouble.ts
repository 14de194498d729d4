/** Proposals for what goes wrong during an apply. */
import type { Trouble, Which } from './actions';
import { errorBody, type Treatment } from './gateway';
import { handField, handProjects, handTrigger, someRights } from './propose-world';
import type { Scene } from './scene';

type Think = (scene: Scene) => Trouble | undefined;

const someWhich = ({ chance }: Scene): Which =>
  chance.pick(['write', 'write', 'create-client', 'create-client', 'request']);

const treat = (scene: Scene, treatment: Treatment, times = 1): Trouble => {
  const which = someWhich(scene);
  const nth =
    which === 'create-client'
      ? 1 + scene.chance.below(2)
      : 1 + scene.chance.below(which === 'write' ? 6 : 14);
  return { trouble: 'treat', which, nth, times, treatment };
};

const lost: Think = (scene) => {
  const { chance } = scene;
  return treat(
    scene,
    chance.pick([{ do: 'lose' }, { do: 'lose' }, { do: 'reset' }]),
    chance.pick([1, 1, 1, 2, 6]),
  );
};

const late: Think = (scene) => {
  const armed = treat(scene, { do: 'delay' });
  return scene.chance.often(0.5) ? { ...armed, ...{ late: true as const } } : armed;
};

const broken: Think = (scene) => {
  const { chance } = scene;
  const status = chance.pick([500, 502, 503, 504]);
  return treat(
    scene,
    chance.pick([{ do: 'cut' }, { do: 'garble' }, { do: 'answer', status }, { do: 'claim', status }]),
    chance.pick([1, 1, 2, 6]),
  );
};

const limited: Think = (scene) =>
  treat(
    scene,
    { do: 'answer', status: 429, headers: scene.chance.often(0.5) ? { 'retry-after': '2' } : {} },
    scene.chance.pick([1, 3, 8]),
  );

/** Carried out, and answered as if it were not. */
const refused: Think = (scene) => {
  const status = scene.chance.pick([404, 422]);
  const treatment: Treatment = { do: 'claim', status, body: errorBody(status, 'not this time') };
  const which = scene.chance.pick(['create-client', 'create-client', 'write'] as const);
  return {
    trouble: 'treat',
    which,
    nth: which === 'write' ? 1 + scene.chance.below(5) : 1,
    times: 1,
    treatment,
  };
};

const listedId: Think = ({ chance, reality }) => {
  const id = chance.maybe([...reality.clients.keys()]);
  return id === undefined ? undefined : { trouble: 'listed-id', id };
};

const otherValues: Think = ({ chance }) => ({
  trouble: 'other-values',
  attributes: chance.pick([
    { 'http-url': 'https://kept.example' },
    { 'api-url': 'https://kept.example/api' },
    { key: 'kept' },
    { 'organization-scoped': false },
  ]),
});

const kill: Think = ({ chance }) => {
  const at = chance.pick(['write', 'write', 'journal', 'request'] as const);
  return { trouble: 'kill', at, nth: 1 + chance.below(at === 'request' ? 14 : 6), done: chance.often(0.6) };
};

const torn: Think = ({ chance }) => ({
  trouble: 'kill',
  at: 'journal',
  nth: 1 + chance.below(6),
  done: true,
  torn: 1 + chance.below(120),
});

const interrupt: Think = (scene) => {
  const which = someWhich(scene);
  return { trouble: 'interrupt', which, nth: 1 + scene.chance.below(6) };
};

const rights: Think = (scene) => {
  const from = 1 + scene.chance.below(12);
  return { trouble: 'rights', from, until: from + 1 + scene.chance.below(8), rights: someRights(scene) };
};

const hand: Think = (scene) => {
  const deed = scene.chance.pick([handField, handProjects, handTrigger])(scene);
  return deed === undefined ? undefined : { trouble: 'deed', nth: 1 + scene.chance.below(12), deed };
};

/** Troubles about the create of a client: without one, nothing goes wrong. */
export const needCreate: readonly string[] = ['lie-refused', 'lie-listed-id', 'lie-other-values'];

/** What can go wrong, by tag, with how often it is thought of. */
export const troubles: Readonly<Record<string, readonly [number, Think]>> = {
  'answer-lost': [3, lost],
  'answer-late': [2, late],
  'answer-broken': [2, broken],
  'rate-limited': [1, limited],
  'lie-refused': [2, refused],
  'lie-listed-id': [1, listedId],
  'lie-other-values': [1, otherValues],
  kill: [3, kill],
  'torn-journal': [1, torn],
  interrupt: [1, interrupt],
  'rights-midway': [2, rights],
  'hand-midway': [1, hand],
  'second-run': [0.5, ({ chance }) => ({ trouble: 'second-run', nth: 1 + chance.below(12) })],
  'other-clone': [
    0.5,
    ({ chance }) => ({ trouble: 'other-clone', nth: 1 + chance.below(12), withLedger: chance.often(0.5) }),
  ],
};

/** The import rules: who may know whom, each with its reason. `make check` enforces them. */

/** What each folder may import besides itself and packages. */
const folders = {
  client: {
    may: [],
    reason:
      'The client speaks the API and nothing else; whoever wants to know how a call is made reads this folder alone.',
  },
  resources: {
    may: ['client'],
    reason:
      'A kind is defined once for both front ends, so it may know the calls it makes, but not who plans or asks.',
  },
  observation: {
    may: ['resources', 'client'],
    reason:
      'What is out there is seen the same way by planning and by Pulumi, so observing depends on neither.',
  },
  manifest: {
    may: ['resources'],
    // The one cleaner of control characters, the one rule of what an address is, and the base class of errors.
    mayFile: '^client/(text|address|errors)\\.ts$',
    reason:
      'Manifests are validated on pull requests without a token: reading them must not be able to make a call.',
  },
  reconciler: {
    may: ['manifest', 'observation', 'resources', 'client'],
    reason: 'The reconciler is used by the command line and by the library; it must run without either.',
  },
  provider: {
    may: ['observation', 'resources', 'client'],
    reason:
      'Pulumi has its own state, its own planner and its own language: a provider that reaches into manifests or our planner would have two truths about what should exist.',
  },
  cli: {
    may: ['manifest', 'observation', 'resources', 'client', 'reconciler', 'service'],
    reason: 'The two front ends share what lies below them and never each other.',
  },
  service: {
    may: [],
    reason:
      'The service reads the API text on its own; sharing code with the client would let one misreading pass every test.',
  },
};

const product = Object.keys(folders);
const ours = [...product, 'test', 'tools', 'bench', 'examples'];
const folder = (names) => `^(?:${names.join('|')})/`;
const npm = (names) => `(?:^|/)node_modules/(?:${names.join('|')})/|^(?:${names.join('|')})(?:/|$)`;

const folderRules = product.map((name) => ({
  name: `${name}-imports`,
  comment: folders[name].reason,
  severity: 'error',
  from: { path: folder([name]) },
  to: {
    path: [
      folder(ours.filter((other) => other !== name && !folders[name].may.includes(other))),
      '^index\\.ts$',
    ],
    ...(folders[name].mayFile === undefined ? {} : { pathNot: folders[name].mayFile }),
  },
}));

/** Packages that one folder alone may know. */
const packageRules = [
  {
    name: 'pulumi-in-provider',
    packages: ['@pulumi/pulumi'],
    home: ['provider'],
    comment:
      'Loading Pulumi takes 0.4 s and 120 MB, and it is an optional peer: the command line must work without.',
  },
  {
    name: 'server-in-service',
    packages: ['fastify', '@fastify/[^/]+'],
    home: ['service'],
    comment: 'A web server has no business in a tool that reads manifests and makes calls.',
  },
  {
    name: 'terminal-in-cli',
    packages: ['commander'],
    home: ['cli'],
    comment:
      'Flags and questions belong to the command line; a library that asks questions hangs its caller.',
  },
].map(({ name, packages, home, comment }) => ({
  name,
  comment,
  severity: 'error',
  from: { path: [folder(product.filter((one) => !home.includes(one))), '^index\\.ts$'] },
  to: { path: npm(packages) },
}));

module.exports = {
  forbidden: [
    ...folderRules,
    {
      name: 'library-without-service-and-pulumi',
      comment:
        'The library entry loads fast and everywhere: the service and Pulumi have entry points of their own.',
      severity: 'error',
      from: { path: '^index\\.ts$' },
      to: { path: folder(['service', 'provider', 'cli', 'test', 'tools', 'bench']) },
    },
    {
      name: 'planning-is-pure',
      comment:
        'A plan is a value that follows from desired, observed and baseline: no file, no clock, no network, so that it can be tested as a table and made twice with one result.',
      severity: 'error',
      from: { path: '^reconciler/plan/' },
      to: {
        path: [
          '^(?:node:)?(?:fs|child_process|crypto|http|https|net|os|perf_hooks|timers|tls|worker_threads)(?:/|$)',
          '^client/(?!errors|api)',
          '^reconciler/apply/',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'process-in-cli',
      comment: 'Only cli/ touches the process: everything else takes what it needs as an argument.',
      severity: 'error',
      from: { path: [folder(product.filter((one) => one !== 'cli')), '^index\\.ts$'] },
      to: { path: '^(?:node:)?process$' },
    },
    ...packageRules,
    {
      name: 'model-is-independent',
      comment:
        'The model of test/model would share the mistakes of the code it judges: it knows the library by its front door, the service, and its own reading of the design.',
      severity: 'error',
      from: { path: '^test/model/' },
      to: {
        path: '^(?:client|resources|observation|manifest|reconciler|provider|cli|test/(?!model/)|tools|bench)/',
      },
    },
    {
      name: 'no-circular',
      comment: 'Two files that need each other are one file, or hide a third that both need.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolved',
      comment: 'An import that leads nowhere fails only at the user, when the line is reached.',
      severity: 'error',
      from: {},
      // The package's own description lies beside dist/, one folder further up than beside the source.
      to: { couldNotResolve: true, pathNot: '/package\\.json$' },
    },
    {
      name: 'no-dev-packages-in-product',
      comment: 'Development packages are not installed with the package; the product may use none of them.',
      severity: 'error',
      from: {
        path: [folder(product.filter((one) => one !== 'provider')), '^index\\.ts$'],
        // It loads an optional peer, and says how to install it.
        pathNot: '^reconciler/ledger/s3-store\\.ts$',
      },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: 'node_modules/@types/',
      },
    },
    {
      name: 'no-undeclared-packages',
      comment:
        'A package that only happens to be installed by another one goes away with an update of that other one.',
      severity: 'error',
      from: {},
      // A peer that is optional is called undeclared too.
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm-peer'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(?:^|/)fixtures/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};

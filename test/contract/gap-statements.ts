// What the API text leaves open, and what the service does there. Each row has a test that names it.

/** Gaps of the API text: an id, then the question and our answer. */
export const gapStatements = {
  'gap-client-permissions': [
    'Permissions of the other client operations',
    'All need the permission to manage VCS settings; 404 without',
  ],
  'gap-lists-hide': [
    'Whether lists leave out what the caller may not read',
    '`lists-hide-unreadable=no` (default) or `yes`',
  ],
  'gap-patch-projects': ['Shape of `projects` in PATCH', 'An array and `{ data: [] }` are both taken'],
  'gap-data-center': [
    'The data-center provider',
    'Absent from `default`; a profile file may define one; `hcp-terraform` has two. Half a key is refused, in a PATCH too',
  ],
  'gap-401': [
    'Missing or unknown token',
    '401 with title unauthorized; a valid token without permission gets 404',
  ],
  'gap-error-form': ['Members of an error', '`status` as text, `title`, `detail`; `source` for 422 and 400'],
  'gap-415': ['Content-Type missing or wrong on POST, PATCH, DELETE', '415, without a body too'],
  'gap-malformed-ids': ['Ids of impossible shape', '404'],
  'gap-unknown-include': ['Unknown `include`', '400 that names the parameter'],
  'gap-outbound-include': ['Include on the outbound list', 'Included; nothing under `hcp-terraform`'],
  'gap-page-maximum': [
    'Page size over the maximum of 100',
    '`page-size-over=clamp` (default) or `422`; `page-size-max` moves it',
  ],
  'gap-past-the-end': ['A page past the end', '200, empty, `current-page` as asked, the real `total-count`'],
  'gap-page-size-member': ['Further members of `meta.pagination`', '`page-size` is sent'],
  'gap-whole-list': ['The client list without paging parameters', 'Neither `links` nor `meta`'],
  'gap-list-order': ['Order of lists', 'By created-at, then id; `list-order=random` shuffles each answer'],
  'gap-names-not-unique': ['Whether names are unique', 'They are not'],
  'gap-omitted-name': ['A name that is left out', 'null'],
  'gap-projects-always': ['`relationships.projects` without include', 'Always there'],
  'gap-token-entry': ['Tokens after a create', 'One with a token string, none without'],
  'gap-required-secrets': [
    'Which of key, secret and key texts are required',
    'The profile says it; `provider_c_server` needs `private-key`',
  ],
  'gap-empty-key': ['PATCH of a key to the empty text', 'An error where the profile says so (data-center)'],
  'gap-token-in-patch': [
    '`oauth-token-string` in PATCH',
    "Ignored; `hcp-terraform` takes it and keeps the token's id",
  ],
  'gap-scoped-with-projects': [
    'organization-scoped true together with projects',
    'Both may be; projects are kept; attaching does not flip the flag',
  ],
  'gap-foreign-project': [
    'A project of another organization in a create',
    '422; `hcp-terraform` drops it in silence',
  ],
  'gap-unknown-pool': ['An unknown agent pool', '422 with the known sentence'],
  'gap-pool-omitted': [
    'Agent pool left out of a PATCH',
    '`patch-without-agent-pool=keep` (default) or `clear`',
  ],
  'gap-attach-again': ['Attaching twice, detaching what is not attached', '204; `attach-again=422`'],
  'gap-second-delete': ['A second DELETE', '404'],
  'gap-eventual-delete': [
    'Reading after a delete',
    'Gone at once; `delete-visible-ms` keeps it in lists for a while, and a client readable by its id',
  ],
  'gap-eventual-create': [
    'Listing after a create',
    'There at once; `create-hidden-ms` hides it from lists for a while',
  ],
  'gap-self-trigger': ['Source equal to target', '422'],
  'gap-duplicate-trigger': [
    'A duplicate run trigger',
    '`duplicate-trigger=422` (default), `409` or `accept`',
  ],
  'gap-max-sources': [
    'Sources per target',
    'No limit in `default`, 20 in `hcp-terraform`; `max-sources` sets one',
  ],
  'gap-trigger-lock': [
    'Several creates for one target at once',
    '`trigger-lock=off` (default), `409` or `422`',
  ],
  'gap-cycles': ['Cycles of triggers', 'Accepted'],
  'gap-rate-limit': [
    'Rate limit',
    '`rate-limit=off` (default), `token-bucket`, `fixed-window`, `sliding-window`; `rate` a second',
  ],
  'gap-405': ['Methods that a path does not have', '405 with Allow; HEAD like GET'],
  'gap-odd-paging': [
    'Empty include, sizes and numbers below 1 or not numbers',
    'Empty include is none; the others are 400 that names the parameter; OpenAPI states a maximum only where it is enforced',
  ],
  'gap-body-framing': ['Framing of request bodies', 'With a length and chunked'],
  'gap-pool-before-shape': [
    'Which agent-pool error comes first',
    "The pool is looked up before its id's shape matters",
  ],
  'gap-clear-pool': ['Clearing the agent pool', '`null` and `{}` clear it, under keep too'],
  'gap-unlisted-attributes': ["Attributes that a body's table does not list", 'Ignored'],
  'gap-paged-clients': [
    'The client list with paging parameters',
    '`links` and `meta.pagination` as for triggers',
  ],
  'gap-attach-all-or-nothing': ['One unknown project among several', 'Nothing is applied'],
  'gap-foreign-source': ['A source in another organization', '404'],
  'gap-grants': [
    'Grants in a seed',
    'admin implies readRuns; organizations that a token does not name answer 404',
  ],
  'gap-unreadable-linkage': [
    'A related workspace the caller may not read',
    'Linkage and name stay, `included` omits it',
  ],
  'gap-hcp-providers': [
    'The `service-provider` values of HCP Terraform',
    'Ten of its own in `hcp-terraform`; `ado_server` needs `private-key`',
  ],
  'gap-empty-secret': [
    'An empty token or secret in a body',
    'The service takes it as a value, and as none where the profile demands one; our side never sends an empty secret',
  ],
  'gap-unknown-members': ['Unknown members in answers', 'Our side ignores them'],
  'gap-blast-radius': [
    'Which workspaces use a client',
    'Not told in `default`; `hcp-terraform` tells up to 25 names and their number under `show_affected_workspaces=true`',
  ],
  'gap-names': [
    'Names of projects, workspaces and agent pools',
    'Not offered in `default`; `hcp-terraform` lists all three, also by name',
  ],
} as const;

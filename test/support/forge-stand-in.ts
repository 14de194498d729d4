/** A stand-in for `gh` and `glab`, as far as the example pipelines use them. It keeps the comments in a file. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

export interface Comment {
  readonly id: number;
  /** The login on GitHub, and the number of the user on GitLab. */
  readonly author: string | number;
  readonly pullRequest: number;
  body: string;
}

export const me = { gh: 'github-actions[bot]', glab: 7 } as const;

interface Endpoints {
  readonly list: RegExp;
  /** The path of one comment. A PATCH or a PUT changes it. */
  readonly one: RegExp;
  readonly edit: 'PATCH' | 'PUT';
  readonly author: (id: string | number) => object;
}

const endpoints: Readonly<Record<keyof typeof me, Endpoints>> = {
  gh: {
    list: /^repos\/acme\/infra\/issues\/(\d+)\/comments$/,
    one: /^repos\/acme\/infra\/issues\/comments\/(\d+)$/,
    edit: 'PATCH',
    author: (login) => ({ user: { login } }),
  },
  glab: {
    list: /^projects\/42\/merge_requests\/(\d+)\/notes$/,
    one: /^projects\/42\/merge_requests\/5\/notes\/(\d+)$/,
    edit: 'PUT',
    author: (id) => ({ author: { id } }),
  },
};

/** The lists of a forge have pages, and the comment may be on the last. */
const perPage = 2;

function main([name = 'gh', ...given]: readonly string[]): void {
  const { list, one, edit, author } = endpoints[name as keyof typeof me];
  const { values, positionals } = parseArgs({
    args: [...given],
    allowPositionals: true,
    options: {
      paginate: { type: 'boolean' },
      silent: { type: 'boolean' },
      jq: { type: 'string', default: '.' },
      method: { type: 'string', short: 'X', default: 'POST' },
      field: { type: 'string', short: 'F' },
    },
  });
  const [command, path = ''] = positionals;
  const file = process.env.FORGE_COMMENTS ?? '';
  const comments = JSON.parse(readFileSync(file, 'utf8')) as Comment[];
  const pullRequest = Number(list.exec(path)?.[1]);
  const edited = comments.find(({ id }) => id === Number(one.exec(path)?.[1]));
  const print = (page: object) => {
    const { stdout } = spawnSync('jq', ['-r', values.jq], { input: JSON.stringify(page), encoding: 'utf8' });
    if (!values.silent) process.stdout.write(stdout);
  };
  if (values.field !== undefined) {
    const body = readFileSync(values.field.replace(/^body=@/, ''), 'utf8');
    if (body.length > 65_536) throw new Error('Body is too long (maximum is 65536 characters)');
    if (edited && values.method === edit) edited.body = body;
    else if (pullRequest > 0 && values.method === 'POST') {
      const id = name === 'gh' ? me.gh : me.glab;
      comments.push({ id: comments.length + 1, author: id, pullRequest, body });
    } else throw new Error(`404 ${values.method} ${path}`);
    writeFileSync(file, JSON.stringify(comments));
    print({});
  } else if (command === 'api' && name === 'glab' && path === 'user') print({ id: me.glab });
  else if (command === 'api' && pullRequest > 0) {
    const all = comments.filter((comment) => comment.pullRequest === pullRequest);
    const documents = all.map(({ id, author: by, body }) => ({ id, body, ...author(by) }));
    const end = values.paginate ? documents.length : 1;
    // Both programs print one page after the other.
    for (let start = 0; start < end; start += perPage) print(documents.slice(start, start + perPage));
  } else throw new Error(`404 GET ${path}`);
}

if (require.main === module) main(process.argv.slice(2));

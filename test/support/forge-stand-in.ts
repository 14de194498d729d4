/** A stand-in for `gh` and `glab`, as far as the example pipelines use them. It keeps what was posted in a file. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

export interface Post {
  readonly id: number;
  /** The login on GitHub, and the number of the user on GitLab. */
  readonly author: string | number;
  /** The pull request, or null for an issue. */
  readonly comments: number | null;
  title?: string;
  body: string;
  isOpen: boolean;
  /** The reason of an issue that was closed. */
  closedWith?: string | undefined;
}

/** The lists of a forge have pages, and a marker may stand on the last. */
const perPage = 2;

interface Arguments {
  readonly words: readonly string[];
  readonly options: ReadonlyMap<string, string>;
  readonly fields: Readonly<Record<string, string>>;
}

const withoutValue = new Set(['--paginate', '--silent']);

function parse([, ...all]: readonly string[]): Arguments {
  const words: string[] = [];
  const options = new Map<string, string>();
  const fields: Record<string, string> = {};
  for (let index = 0; index < all.length; index += 1) {
    const word = all[index] ?? '';
    if (!word.startsWith('-')) words.push(word);
    else if (withoutValue.has(word)) options.set(word, '');
    else {
      index += 1;
      const value = all[index] ?? '';
      const [, name = '', text = ''] = /^(\w+)=(.*)$/s.exec(value) ?? [];
      const isFile = word === '-F' && text.startsWith('@');
      if (word === '-F' || word === '-f') fields[name] = isFile ? readFileSync(text.slice(1), 'utf8') : text;
      else options.set(word, value);
    }
  }
  return { words, options, fields };
}

class Forge {
  readonly posts: Post[];
  readonly #before: string;

  constructor(
    readonly name: string,
    readonly file: string,
  ) {
    this.#before = readFileSync(file, 'utf8');
    this.posts = JSON.parse(this.#before) as Post[];
  }

  get me(): string | number {
    return this.name === 'gh' ? 'github-actions[bot]' : 7;
  }

  /** Two that only read may run at once. */
  keep(): void {
    const after = JSON.stringify(this.posts);
    if (after !== this.#before) writeFileSync(this.file, after);
  }

  add(post: Pick<Post, 'comments' | 'body' | 'title'>): void {
    if (post.body.length > 65_536) throw new Error('Body is too long (maximum is 65536 characters)');
    this.posts.push({ id: this.posts.length + 1, author: this.me, isOpen: true, ...post });
  }

  find(id: string | undefined): Post {
    const found = this.posts.find((one) => one.id === Number(id));
    if (found === undefined) throw new Error('404 Not Found');
    return found;
  }

  /** One answer of a list or of one object. Pages stand one after the other, as both programs print them. */
  print(answer: unknown, { options }: Arguments): void {
    const pages = Array.isArray(answer) ? pagesOf(answer) : [answer];
    const shown = options.has('--paginate') ? pages : pages.slice(0, 1);
    const filter = options.get('--jq');
    for (const page of options.has('--silent') ? [] : shown) {
      const text = `${JSON.stringify(page)}\n`;
      process.stdout.write(filter === undefined ? text : filtered(text, filter));
    }
  }
}

function pagesOf(items: readonly unknown[]): readonly (readonly unknown[])[] {
  const count = Math.max(1, Math.ceil(items.length / perPage));
  return Array.from({ length: count }, (_, page) => items.slice(page * perPage, (page + 1) * perPage));
}

function filtered(text: string, filter: string): string {
  const { status, stdout, stderr } = spawnSync('jq', ['-r', filter], { input: text, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

function github(forge: Forge, given: Arguments): void {
  const { words, options, fields } = given;
  const [command, endpoint = ''] = words;
  if (command === 'api') {
    const [, path = ''] = /^repos\/acme\/infra\/(.*)$/.exec(endpoint) ?? [];
    const [, pull] = /^issues\/(\d+)\/comments$/.exec(path) ?? [];
    const [, comment] = /^issues\/comments\/(\d+)$/.exec(path) ?? [];
    const shown = forge.posts.map((one) => ({ ...one, number: one.id, user: { login: one.author } }));
    if (path === 'issues?state=open') {
      forge.print(
        shown.filter((one) => one.comments === null && one.isOpen),
        given,
      );
    } else if (pull !== undefined && fields.body === undefined) {
      forge.print(
        shown.filter((one) => one.comments === Number(pull)),
        given,
      );
    } else if (pull !== undefined) forge.add({ comments: Number(pull), body: fields.body ?? '' });
    else if (comment !== undefined && options.get('-X') === 'PATCH') {
      forge.find(comment).body = fields.body ?? '';
    } else throw new Error(`404 ${endpoint}`);
    return;
  }
  const [, verb, id] = words;
  const body = () => readFileSync(options.get('--body-file') ?? '', 'utf8');
  if (verb === 'create') forge.add({ comments: null, title: options.get('--title') ?? '', body: body() });
  else if (verb === 'edit') forge.find(id).body = body();
  else if (verb === 'close') {
    Object.assign(forge.find(id), { isOpen: false, closedWith: options.get('--comment') });
  } else throw new Error(`unknown command ${words.join(' ')}`);
}

function gitlab(forge: Forge, given: Arguments): void {
  const { words, options, fields } = given;
  const [command, endpoint = ''] = words;
  if (command !== 'api') throw new Error(`unknown command ${words.join(' ')}`);
  const [, path = endpoint] = /^projects\/42\/(.*)$/.exec(endpoint) ?? [];
  const [, pull, note] = /^merge_requests\/(\d+)\/notes(?:\/(\d+))?$/.exec(path) ?? [];
  const [, issue] = /^issues\/(\d+)$/.exec(path) ?? [];
  const isPut = options.get('-X') === 'PUT';
  const shown = forge.posts.map(({ body, author, ...one }) => {
    return {
      ...one,
      iid: one.id,
      author: { id: author },
      ...(one.comments === null ? { description: body } : { body }),
    };
  });
  if (path === 'user') forge.print({ id: forge.me }, given);
  else if (path === 'issues?state=opened&scope=created_by_me') {
    const own = shown.filter((one) => one.comments === null && one.isOpen && one.author.id === forge.me);
    forge.print(own, given);
  } else if (pull !== undefined && isPut) forge.find(note).body = fields.body ?? '';
  else if (pull !== undefined && fields.body === undefined) {
    forge.print(
      shown.filter((one) => one.comments === Number(pull)),
      given,
    );
  } else if (pull !== undefined) forge.add({ comments: Number(pull), body: fields.body ?? '' });
  else if (path === 'issues') {
    forge.add({ comments: null, title: fields.title ?? '', body: fields.description ?? '' });
  } else if (issue !== undefined && isPut) {
    const post = forge.find(issue);
    post.body = fields.description ?? post.body;
    post.isOpen = fields.state_event !== 'close';
  } else throw new Error(`404 ${endpoint}`);
}

function main([name = '', ...all]: readonly string[]): void {
  const forge = new Forge(name, process.env.FORGE_POSTS ?? '');
  const given = parse(['', ...all]);
  if (name === 'gh') github(forge, given);
  else gitlab(forge, given);
  forge.keep();
}

if (require.main === module) main(process.argv.slice(2));

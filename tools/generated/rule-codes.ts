/** What the rules of manifests mean, for the reference; and the rules that the code names. */
import ts from 'typescript';
import { productFiles } from './product-types';

/** `rule` of issues, problems and warnings: stable. */
export const ruleCodes: Readonly<Record<string, string>> = {
  'alias-bomb': 'YAML aliases multiply the file beyond any use',
  'alias-clash': 'one alias stands for two ids',
  'alias-name': 'an alias is called like another object at the service',
  'alias-of-another': 'an alias is called like an object that it does not stand for',
  'bad-address': 'not an address of an entry, such as `OAuthClient/github`',
  'bad-approval': 'a line under `approved` has no form that approves something',
  'bad-end': 'an end of a link is an object that cannot be linked',
  'bad-id': 'not an id of the kind that belongs here',
  'bad-move': 'a line under `moved` does not name two addresses of one kind',
  'bad-name': 'a name or an alias holds characters that it may not',
  'bad-url': 'not an http or https URL',
  'cannot-adopt': 'the object of an `id:` differs where it cannot be changed',
  'control-character': 'a value holds a control character or a line break',
  'dangling-address': 'no manifest declares this address',
  'duplicate-key': 'a key stands twice in one place',
  'duplicate-object': 'an unmanaged object looks like a managed one',
  'empty-file': 'the file holds nothing',
  'empty-value': 'a name or id is empty',
  'exact-name': 'a YAML value is no plain name: quote it, or write `{ name: … }`',
  'exact-sets-disagree': 'two exact sets, or a set and its other end, contradict each other',
  'field-not-taken': 'the service provider does not take this field',
  'fields-together': 'the service provider takes these fields together or not at all',
  'file-name': 'the name of a file holds an invisible character',
  'forget-live': 'an address under `forget` is still declared',
  'id-absent': 'there is no object with the id of an `id:` line',
  'id-claimed-twice': 'two entries mean one object',
  'id-differs': 'the ledger has another id for the address of an `id:` line',
  'id-held': 'the ledger holds the object of an `id:` line under another address',
  'id-replaced': 'an `id:` line names the object that was replaced',
  'interrupted-elsewhere': 'an object was left by an interrupted apply that this ledger does not record',
  'line-beside-set': 'a single link stands beside the exact set that covers it',
  'link-by-id': 'a link names a client by its id though an entry declares it',
  'link-contradicted': 'a link that names its client by id contradicts another line',
  'link-ends': 'a link lacks an end, or names one twice',
  'literal-secret': 'a secret stands in the manifest itself',
  'missing-field': 'a required field is missing',
  'missing-for-create': 'a field is missing that the service provider needs for a create',
  more: 'there are more mistakes than are shown',
  'move-clash': 'both addresses of a `moved` line are in the ledger',
  'near-alias': 'a name is not declared, and nearly that of an alias',
  'never-empty': 'the service provider does not take this field empty',
  'no-lookup': 'the service cannot look up names',
  'no-manifests': 'the folder has no manifest',
  'not-utf8': 'the file is not UTF-8',
  'null-value': 'a value is null where it may not be',
  'obsolete-line': 'a line under `moved`, `forget` or `approved`, or an `id:`, has done its work',
  'other-ending': 'a manifest whose name ends otherwise, so that nobody would read it',
  'other-ledger': 'the ledger is of another organization',
  outside: 'a file lies outside the folder, behind a link',
  'perhaps-renamed': 'a new entry may be one that is no longer declared, under a new name',
  'possible-match': 'an unmanaged object may be the one that an entry means',
  'profile-clash': 'the files of a folder name different profiles',
  'projects-restrict-nothing': 'projects are declared for a client that everybody may use',
  'renamed-there': 'an object has another name at the service by now',
  'same-address-twice': 'an address is declared twice',
  'same-id-twice': 'two entries have the same `id:`',
  'same-link-twice': 'a link is declared twice',
  'same-set-twice': 'an exact set is declared twice',
  'same-twice': 'a line under `moved`, `forget` or `approved` stands twice',
  'second-organization': 'the files of a folder name different organizations',
  'secret-source': 'a secret has not exactly one source',
  'self-trigger': 'a workspace triggers itself',
  'several-documents': 'a file holds more than one YAML document',
  'similar-object': 'an unmanaged object differs from a new entry by its name alone',
  'too-deep': 'the file is nested too deeply',
  'too-large': 'the file is too large',
  'too-many-sources': 'a target has more sources than the service allows',
  'trigger-cycle': 'run triggers form a cycle',
  'unknown-alias': 'an alias is not declared',
  'unknown-api-version': '`apiVersion` is missing or unknown',
  'unknown-key': 'a key that a manifest does not have',
  'unknown-name': 'nothing that the token can see is called so, or several are',
  'unknown-profile': 'the profile is unknown, or has mistakes',
  'unknown-value': 'not one of the allowed values',
  'unlisted-id': 'no list that the token may see shows this id',
  unreadable: 'a file or folder cannot be read',
  'wrong-id-kind': 'the id of another kind of object',
  'wrong-type': 'a value of another type than belongs here',
  'yaml-syntax': 'the file is not YAML',
};

/** Every text that the code gives to a member or a parameter `rule`. By names alone, without types: a check of types takes long. */
export function rulesInCode(): ReadonlySet<string> {
  const files = productFiles();
  /** By the name of a function or class: where it takes a rule. */
  const places = new Map<string, Set<number>>();
  each(files, (node) => {
    if (!ts.isFunctionLike(node)) return;
    const index = node.parameters.findIndex(({ name }) => name.getText() === 'rule');
    const { parent } = node;
    const owner = ts.isConstructorDeclaration(node) || ts.isArrowFunction(node) ? parent : node;
    const name = (owner as { name?: ts.Node }).name?.getText();
    if (index >= 0 && name !== undefined) places.set(name, new Set(places.get(name)).add(index));
  });
  const rules = new Set<string>();
  const take = (node: ts.Expression | undefined): void => {
    if (node === undefined) return;
    if (ts.isStringLiteral(node) && /^[a-z\d-]+$/u.test(node.text)) rules.add(node.text);
    else if (ts.isConditionalExpression(node)) for (const one of [node.whenTrue, node.whenFalse]) take(one);
  };
  each(files, (node) => {
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'rule') take(node.initializer);
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return;
    const name = node.expression.getText().split('.').at(-1) ?? '';
    for (const index of places.get(name) ?? []) take(node.arguments?.[index]);
  });
  // Functions of one name take a severity there.
  for (const severity of ['error', 'warning']) rules.delete(severity);
  return rules;
}

function each(files: readonly ts.SourceFile[], visit: (node: ts.Node) => void): void {
  const walk = (node: ts.Node): void => {
    visit(node);
    ts.forEachChild(node, walk);
  };
  for (const file of files) walk(file);
}

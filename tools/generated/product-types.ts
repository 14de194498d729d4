/** The product as the TypeScript compiler sees it: what the references and the schema of the output are read from. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(__dirname, '..', '..', '..');

/** The types of one file and of all that it imports. */
export function typesOf(path: string): { readonly checker: ts.TypeChecker; readonly file: ts.SourceFile } {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const program = ts.createProgram([join(root, path)], { ...options, incremental: false, noEmit: true });
  const file = program.getSourceFile(join(root, path));
  if (file === undefined) throw new Error(`${path} cannot be read`);
  return { checker: program.getTypeChecker(), file };
}

/** The files in which the rules of manifests stand, parsed. */
export function productFiles(): readonly ts.SourceFile[] {
  return ['cli/commands', 'manifest', 'reconciler', 'resources'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => {
        const path = join(root, folder, name);
        return ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2023, true);
      }),
  );
}

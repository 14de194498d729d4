/** Compiles and runs TypeScript programs that are given as text. */
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './pulumi-engine';

/** Returns the compiler's errors, with the strict options of this package. */
export function listMistakes(program: string): string[] {
  const file = join(root, 'docs', 'program.ts');
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [file] }, ts.sys, root);
  const settings = { ...options, noEmit: true, incremental: false, noUnusedLocals: false };
  const host = ts.createCompilerHost(settings);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (name) => (name === file ? program : readFile(name));
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, program, ts.ScriptTarget.ES2023) : getSourceFile(name, ...rest);
  const compiled = ts.createProgram([file], settings, host);
  return [...compiled.getSyntacticDiagnostics(), ...compiled.getSemanticDiagnostics()]
    .filter((diagnostic) => diagnostic.file?.fileName === file)
    .map((diagnostic) => ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
}

/** Returns a function that runs the program, and that returns its exports. */
export function compileProgram(program: string): () => Promise<Record<string, unknown>> {
  const { outputText } = ts.transpileModule(program, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 },
  });
  return async () => {
    const exported: Record<string, unknown> = {};
    new Function('require', 'exports', outputText)(require, exported);
    return exported;
  };
}

export interface ShownMember {
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: string;
  readonly comment: string;
}

/** Returns the members of each exported type of a source file, as an editor shows them. */
export function shownMembers(path: string): ReadonlyMap<string, readonly ShownMember[]> {
  const file = join(root, path);
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [file] }, ts.sys, root);
  const program = ts.createProgram([file], { ...options, noEmit: true, incremental: false });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  const shown = (member: ts.Symbol): ShownMember => ({
    name: member.name,
    isOptional: (member.flags & ts.SymbolFlags.Optional) !== 0,
    type: checker.typeToString(checker.getTypeOfSymbol(member), undefined, ts.TypeFormatFlags.NoTruncation),
    comment: ts.displayPartsToString(member.getDocumentationComment(checker)),
  });
  const exported = module === undefined ? [] : checker.getExportsOfModule(module);
  return new Map(
    exported.map((symbol) => {
      const members = checker.getDeclaredTypeOfSymbol(symbol).getProperties();
      return [symbol.name, members.map(shown)] as const;
    }),
  );
}

/** Programs in TypeScript as text: what the compiler says of them, and the function that runs them. */
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './pulumi-engine';

/** What is wrong with it, as strictly as this package is compiled itself. */
export function mistakesOf(program: string): string[] {
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
    .filter((one) => one.file?.fileName === file)
    .map((one) => ts.flattenDiagnosticMessageText(one.messageText, '\n'));
}

/** Runs it, as often as an engine asks, and gives what it exports. */
export function programOf(program: string): () => Promise<Record<string, unknown>> {
  const { outputText } = ts.transpileModule(program, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 },
  });
  return async () => {
    const exported: Record<string, unknown> = {};
    new Function('require', 'exports', outputText)(require, exported);
    return exported;
  };
}

/** House rules about code, checked on its syntax tree so that comments and texts cannot trip them. */
import ts from 'typescript';
import type { Finding, SourceFile } from './source-files';

interface CodeRule {
  readonly rule: string;
  readonly reason: string;
  applies(path: string): boolean;
  /** What is wrong with this node; nothing when it is fine. */
  find(node: ts.Node): string | undefined;
}

const product = /^(?:client|resources|observation|manifest|reconciler|provider|service|index\.ts)/u;
const impureNames = new Set(['process', 'performance', 'crypto', 'fetch', 'console', 'queueMicrotask']);
const timers = /^(?:set|clear)(?:Timeout|Interval|Immediate)$/u;

/** True when the identifier stands for a value, and is not the name of a property, a declaration or a type. */
function isValue(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isTypeNode(parent) || ts.isQualifiedName(parent)) return false;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  const declares =
    ts.isPropertySignature(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isMethodDeclaration(parent) ||
    ts.isMethodSignature(parent) ||
    ts.isParameter(parent) ||
    ts.isBindingElement(parent) ||
    ts.isImportSpecifier(parent) ||
    ts.isEnumMember(parent);
  return !declares;
}

/** Reads that make two runs differ, or that wait. */
function impurity(node: ts.Node): string | undefined {
  if (ts.isAwaitExpression(node)) return '`await`';
  if (
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some((one) => one.kind === ts.SyntaxKind.AsyncKeyword)
  ) {
    return '`async`';
  }
  if (!ts.isIdentifier(node) || !isValue(node)) return undefined;
  if (impureNames.has(node.text) || timers.test(node.text)) return `\`${node.text}\``;
  const owner = node.parent;
  if (node.text === 'Date' && ts.isNewExpression(owner) && owner.expression === node) {
    return owner.arguments === undefined || owner.arguments.length === 0 ? '`new Date()`' : undefined;
  }
  if (!ts.isPropertyAccessExpression(owner)) return undefined;
  const member = `${node.text}.${owner.name.text}`;
  return member === 'Date.now' || member === 'Math.random' ? `\`${member}\`` : undefined;
}

function importsProcess(node: ts.Node): boolean {
  return (
    ts.isStringLiteral(node) && /^(?:node:)?process$/u.test(node.text) && ts.isImportDeclaration(node.parent)
  );
}

const codeRules: readonly CodeRule[] = [
  {
    rule: 'pure-planning',
    reason: 'planning follows from its arguments alone: no waiting, no clock, no randomness',
    applies: (path) => path.startsWith('reconciler/plan/'),
    find: impurity,
  },
  {
    rule: 'process-in-cli',
    reason: 'only cli/ touches process: everything else takes what it needs as an argument',
    applies: (path) => product.test(path),
    find: (node) =>
      importsProcess(node) || (ts.isIdentifier(node) && node.text === 'process' && isValue(node))
        ? '`process`'
        : undefined,
  },
];

/** Checks one TypeScript file against every rule about code that applies to it. */
export function checkCode(file: SourceFile): readonly Finding[] {
  const rules = codeRules.filter((rule) => rule.applies(file.path));
  if (rules.length === 0) return [];
  const tree = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.ES2023, true);
  const findings: Finding[] = [];
  const visit = (node: ts.Node): void => {
    for (const { rule, reason, find } of rules) {
      const found = find(node);
      if (found === undefined) continue;
      const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
      // An import that is caught by its module and by its name is one finding.
      if (findings.some((one) => one.rule === rule && one.line === line)) continue;
      findings.push({ rule, path: file.path, line, message: `${found}: ${reason}` });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return findings;
}

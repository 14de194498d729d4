/** House rules about whole files: they find left-overs, links that lead nowhere, and download hosts in the lock file. */
import { posix } from 'node:path';
import type { Finding, SourceFile } from './source-files';

// Put together, so that this file does not find itself.
const leftOver = new RegExp(
  `\\b(?:${['TO', 'FIX'].map((word) => `${word}${word === 'TO' ? 'DO' : 'ME'}`).join('|')})\\b|@ts-(?:ignore|nocheck)|(?:biome|eslint)-${'disable'}|biome-${'ignore'}`,
  'u',
);

const isCode = (path: string): boolean => /\.(?:ts|mjs|cjs)$/u.test(path);
const isFixture = (path: string): boolean => path.includes('/fixtures/');

function linesMatching(file: SourceFile, pattern: RegExp): readonly number[] {
  return file.text.split('\n').flatMap((line, index) => (pattern.test(line) ? [index + 1] : []));
}

/** Relative links of a Markdown page that lead to no file; `#anchors` are not looked at. */
function deadLinks(file: SourceFile, paths: ReadonlySet<string>): readonly Finding[] {
  const findings: Finding[] = [];
  for (const [index, line] of file.text.split('\n').entries()) {
    for (const [, target = ''] of line.matchAll(/\]\(([^)\s#]+)[^)]*\)/gu)) {
      if (/^(?:[a-z]+:|\/)/u.test(target)) continue;
      const path = posix.normalize(posix.join(posix.dirname(file.path), target)).replace(/\/$/u, '');
      const there = paths.has(path) || [...paths].some((one) => one.startsWith(`${path}/`));
      if (!there) {
        findings.push({
          rule: 'dead-link',
          path: file.path,
          line: index + 1,
          message: `${target} does not exist`,
        });
      }
    }
  }
  return findings;
}

function checkOne(file: SourceFile, paths: ReadonlySet<string>): readonly Finding[] {
  const { path } = file;
  const findings: Finding[] = [];
  if (path === 'package-lock.json') {
    for (const line of linesMatching(file, /"resolved":\s*"(?:https?|git)/u)) {
      findings.push({
        rule: 'lock-names-host',
        path,
        line,
        message: 'the lock file names a download host: install with the .npmrc of this project',
      });
    }
    return findings;
  }
  if (path.endsWith('.md')) return deadLinks(file, paths);
  if (!isCode(path) || isFixture(path)) return findings;
  for (const line of linesMatching(file, leftOver)) {
    findings.push({
      rule: 'left-over',
      path,
      line,
      message: 'finish it or write an issue; silence no check',
    });
  }
  return findings;
}

/** Checks every file; the links of a page are looked up among the files given. */
export function checkFiles(files: readonly SourceFile[]): readonly Finding[] {
  const paths = new Set(files.map((file) => file.path));
  return files.flatMap((file) => checkOne(file, paths));
}

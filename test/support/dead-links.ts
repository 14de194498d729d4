/** Finds relative links of Markdown pages that lead to no file. It does not check anchors. */
import { posix } from 'node:path';

export interface Page {
  readonly path: string;
  readonly text: string;
}

/** `PAGE: TARGET` for each of them. */
export function deadLinks(pages: readonly Page[], paths: ReadonlySet<string>): readonly string[] {
  return pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/gu)]
      .map(([, target = '']) => target)
      .filter((target) => !/^(?:[a-z]+:|\/)/u.test(target))
      .filter((target) => !leadsSomewhere(posix.join(posix.dirname(path), target), paths))
      .map((target) => `${path}: ${target}`),
  );
}

function leadsSomewhere(target: string, paths: ReadonlySet<string>): boolean {
  const path = target.replace(/\/$/u, '');
  return paths.has(path) || [...paths].some((existingPath) => existingPath.startsWith(`${path}/`));
}

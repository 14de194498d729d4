/** All house rules over all files, less what is excused. */
import { checkCode } from './code-rules';
import type { Exception } from './exceptions';
import { checkFiles } from './file-rules';
import type { Finding, SourceFile } from './source-files';

const covers = (exception: Exception, finding: Finding): boolean =>
  exception.rule === finding.rule &&
  (exception.path.endsWith('/') ? finding.path.startsWith(exception.path) : finding.path === exception.path);

/** Findings in file order. An exception that covers nothing is a finding too: its reason has gone. */
export function checkHouse(
  files: readonly SourceFile[],
  exceptions: readonly Exception[],
): readonly Finding[] {
  const code = files.filter(({ path }) => path.endsWith('.ts') && !path.includes('/fixtures/'));
  const findings = [...checkFiles(files), ...code.flatMap(checkCode)];
  const spent: readonly Finding[] = exceptions
    .filter((exception) => !findings.some((finding) => covers(exception, finding)))
    .map(({ rule, path }) => ({
      rule: 'spent-exception',
      path,
      message: `tools/check/exceptions.ts excuses it from ${rule}, which it no longer breaks`,
    }));
  return [...findings.filter((finding) => !exceptions.some((one) => covers(one, finding))), ...spent].sort(
    (a, b) => a.path.localeCompare(b.path) || (a.line ?? 0) - (b.line ?? 0),
  );
}

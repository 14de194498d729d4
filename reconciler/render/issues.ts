/** Mistakes in manifests as a report for a pull request; a terminal gets them with the lines that they are about. */
import { renderPosition } from '../../manifest/issues';
import type { Issue } from '../../resources/kind';
import { type Report, type Row, sectionOf } from './report';

export function issuesReport(issues: readonly Issue[], about: string, summary: string): Report {
  const rows = issues.map(({ severity, message, at }): Row => {
    const title = at === undefined ? '' : renderPosition(at);
    return { mark: severity === 'error' ? 'problem' : 'note', title, text: message, lines: [] };
  });
  return { about, sections: sectionOf('Mistakes', rows), summary, footer: [] };
}

/** Writes the planning table as Markdown, for docs/architecture.md. */
import { clientTable, linkTable } from '../../reconciler/plan/table';

type Cells = Readonly<Record<string, unknown>>;

function table(columns: readonly string[], rows: readonly (readonly [object, string])[]): string {
  const lines = rows.map(([wanted, decision]) => {
    const cells = columns.map((column) => {
      const allowed = (wanted as Cells)[column];
      if (allowed === undefined) return '*';
      return Array.isArray(allowed) ? allowed.join(', ') : String(allowed);
    });
    return `| ${[...cells, decision].join(' | ')} |`;
  });
  const head = `| ${[...columns, 'decision'].join(' | ')} |\n|${'---|'.repeat(columns.length + 1)}`;
  return `${head}\n${lines.join('\n')}`;
}

export function planningTable(): string {
  return [
    'OAuth clients. `idLine` is the object that an `id:` line names, where that is not the recorded one.',
    table(['declared', 'recorded', 'observed', 'idLine'], clientTable),
    'Links. `covered` says whether an exact set covers it.',
    table(['declared', 'recorded', 'observed', 'covered'], linkTable),
  ].join('\n\n');
}

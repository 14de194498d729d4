/** Counts which faults struck which operation. */
import { callFaults, type Fault, lineFaults } from './tap';

/** Every operation of apply; those without `calls` only write the journal. `bookkeeping` belongs to no step. */
const operations: Readonly<Record<string, { readonly calls: boolean }>> = {
  'create OAuthClient': { calls: true },
  'create ProjectAttachment': { calls: true },
  'create RunTrigger': { calls: true },
  'update OAuthClient': { calls: true },
  'replace OAuthClient': { calls: true },
  'delete OAuthClient': { calls: true },
  'delete ProjectAttachment': { calls: true },
  'delete RunTrigger': { calls: true },
  'adopt OAuthClient': { calls: true },
  'adopt ProjectAttachment': { calls: false },
  'adopt RunTrigger': { calls: false },
  'sweep OAuthClient': { calls: true },
  'move OAuthClient': { calls: false },
  'forget OAuthClient': { calls: false },
  'forget RunTrigger': { calls: false },
  bookkeeping: { calls: false },
};
/** A sweep leaves its tombstone, so it writes nothing. */
const withoutLines = new Set(['sweep OAuthClient']);
const faults: readonly Fault[] = [...callFaults, ...lineFaults];

export class FaultTable {
  private readonly counts = new Map<string, number>();

  count(operation: string, fault: Fault): void {
    const cell = `${operation} | ${fault}`;
    this.counts.set(cell, (this.counts.get(cell) ?? 0) + 1);
  }

  /** Cells that should have been struck and were not, and operations that nobody expected. */
  emptyCells(): readonly string[] {
    const expected = Object.keys(operations).flatMap((operation) =>
      faults.filter((fault) => applies(operation, fault)).map((fault) => `${operation} | ${fault}`),
    );
    const unexpected = [...this.counts.keys()].filter((cell) => !expected.includes(cell));
    return [
      ...expected.filter((cell) => !this.counts.has(cell)),
      ...unexpected.map((cell) => `unexpected: ${cell}`),
    ];
  }

  /** Operations down, faults across; `-` where the operation has no such moment. */
  render(): string {
    const width = Math.max(...Object.keys(operations).map((operation) => operation.length));
    const head = ['operation'.padEnd(width), ...faults].join('  ');
    const rows = Object.keys(operations).map((operation) =>
      [operation.padEnd(width), ...faults.map((fault) => this.cell(operation, fault))].join('  '),
    );
    const total = [...this.counts.values()].reduce((sum, count) => sum + count, 0);
    return [head, ...rows, `${total} runs with one fault each`].join('\n');
  }

  private cell(operation: string, fault: Fault): string {
    const count = this.counts.get(`${operation} | ${fault}`);
    return (count === undefined ? (applies(operation, fault) ? '0' : '-') : String(count)).padStart(
      fault.length,
    );
  }
}

function applies(operation: string, fault: Fault): boolean {
  return fault.endsWith('-line') ? !withoutLines.has(operation) : operations[operation]?.calls === true;
}

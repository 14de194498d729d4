/** Which faults struck which operation. */
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
  'adopt RunTrigger': { calls: true },
  'cleanup OAuthClient': { calls: true },
  'move OAuthClient': { calls: false },
  'forget OAuthClient': { calls: false },
  'forget RunTrigger': { calls: false },
  bookkeeping: { calls: false },
};
/** A cleanup leaves its tombstone, so it writes nothing. */
const withoutLines = new Set(['cleanup OAuthClient']);
const faults: readonly Fault[] = [...callFaults, ...lineFaults];

export class FaultTable {
  private readonly struck = new Set<string>();

  mark(operation: string, fault: Fault): void {
    this.struck.add(`${operation} | ${fault}`);
  }

  /** Cells that should have been struck and were not, and operations that nobody expected. */
  emptyCells(): readonly string[] {
    const expected = Object.keys(operations).flatMap((operation) =>
      faults.filter((fault) => applies(operation, fault)).map((fault) => `${operation} | ${fault}`),
    );
    const unexpected = [...this.struck].filter((cell) => !expected.includes(cell));
    return [
      ...expected.filter((cell) => !this.struck.has(cell)),
      ...unexpected.map((cell) => `unexpected: ${cell}`),
    ];
  }
}

function applies(operation: string, fault: Fault): boolean {
  return fault.endsWith('-line') ? !withoutLines.has(operation) : operations[operation]?.calls === true;
}

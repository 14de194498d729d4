/** What a ledger is called where nobody names one. */

/** Name of the file that is looked for; its journal and its lock begin with it. */
export const ledgerName = 'tether.ledger.json';

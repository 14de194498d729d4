/** The real parser of Mermaid, without a browser: what a flowchart's text means to it. */
import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';

/** What `mermaid.tiny.js` leaves on its page, as far as it is used here. */
interface Mermaid {
  readonly mermaidAPI: {
    parse(text: string): Promise<unknown>;
    getDiagramFromText(text: string): Promise<{
      readonly db: {
        getVertices(): Map<string, { readonly id: string; readonly text?: string }>;
        getEdges(): readonly {
          readonly start: string;
          readonly end: string;
          readonly stroke: string;
          readonly text?: string;
        }[];
        getSubGraphs(): readonly { readonly title: string; readonly nodes: readonly string[] }[];
      };
    }>;
  };
}

/** Names as a reader sees them. */
export interface Flowchart {
  readonly nodes: readonly string[];
  /** `network → app`, `network → app (dotted removed)`. */
  readonly arrows: readonly string[];
  /** By title. */
  readonly boxes: Readonly<Record<string, readonly string[]>>;
}

let loaded: Mermaid | undefined;

function load(): Mermaid {
  if (loaded !== undefined) return loaded;
  // Just enough of a page: no text with a `<` reaches what would need more.
  class Element {}
  const document = {
    nodeType: 9,
    implementation: { createHTMLDocument: () => undefined },
    createElement: () => ({}),
    querySelectorAll: () => [],
    addEventListener: () => undefined,
  };
  const page: Record<string, unknown> & { mermaid?: Mermaid } = {
    document,
    Element,
    console,
    setTimeout,
    clearTimeout,
    structuredClone,
    URL,
    addEventListener: () => undefined,
  };
  page.window = page;
  createContext(page);
  runInContext(readFileSync(require.resolve('@mermaid-js/tiny'), 'utf8'), page);
  if (page.mermaid === undefined) throw new Error('mermaid did not load');
  loaded = page.mermaid;
  return loaded;
}

/** Rejects with the parser's message. */
export async function readMermaid(text: string): Promise<Flowchart> {
  const { mermaidAPI } = load();
  await mermaidAPI.parse(text);
  // Comments go before the grammar sees the text.
  const { db } = await mermaidAPI.getDiagramFromText(text.replace(/^\s*%%(?!\{)[^\n]+\n?/gmu, ''));
  const vertices = db.getVertices();
  const nameOf = (id: string) => shown(vertices.get(id)?.text ?? id);
  const arrows = Array.from(db.getEdges(), ({ start, end, stroke, text: label = '' }) => {
    const look = stroke === 'normal' ? '' : ` (${`${stroke} ${label}`.trim()})`;
    return `${nameOf(start)} → ${nameOf(end)}${look}`;
  });
  const boxes = db
    .getSubGraphs()
    .map(({ title, nodes }) => [shown(title), Array.from(nodes, nameOf).sort()] as const);
  return { nodes: [...vertices.keys()].map(nameOf), arrows, boxes: Object.fromEntries(boxes) };
}

/** Mermaid keeps `#35;` in a form of its own until it draws. */
function shown(text: string): string {
  return text.replace(/ﬂ°°(\d+)¶ß/gu, (_, code: string) => String.fromCodePoint(Number(code)));
}

/** Writes graphs of run triggers as Mermaid, which GitHub, GitLab and Markdown viewers draw. */
import { oneLine } from '../../client/text';
import type { TriggerGraph } from '../../manifest/graph';
import { groupBy } from '../../resources/groups';
import { counted } from './text';

/** Its name and its box may hold anything. */
interface Node {
  readonly id: string;
  readonly name: string;
  /** Nodes of one box are drawn in it; null for none. */
  readonly box: string | null;
  readonly look: 'plain' | 'start' | 'cycle';
}

export interface Picture {
  readonly nodes: readonly Node[];
  readonly arrows: readonly {
    /** Ids of nodes. */
    readonly from: string;
    readonly to: string;
    readonly look: keyof typeof arrowLooks;
  }[];
}

const red = '#cf222e';
const green = '#1a7f37';

/** Told apart without colour too. */
const arrowLooks = {
  plain: { mermaid: '-->', colour: null },
  cycle: { mermaid: '==>', colour: red },
  new: { mermaid: '==>|new|', colour: green },
  removed: { mermaid: '-.->|removed|', colour: red },
} as const;

/** What can be read on a screen, tried out. */
const legible = { workspaces: 100, triggers: 200 };
/** Above these Mermaid draws nothing, and nobody can raise them on GitHub. */
const drawable = { arrows: 500, characters: 50_000 };

/** The whole graph, ending with a line break, and notes on what keeps people from reading it, which are in it too. */
export function renderGraph(graph: TriggerGraph) {
  const { workspaces, triggers, layers, cycles } = graph;
  const picture = pictureOf(graph);
  const draw = (comments: readonly string[]) => `${mermaid(picture, comments).join('\n')}\n`;
  const size = `${counted(workspaces.length, 'workspace')} and ${counted(triggers.length, 'run trigger')}`;
  const marked = cycles === 0 ? '' : `, ${counted(cycles, 'cycle')} (thick, red)`;
  const about = `Run triggers, source → target: ${size} in ${counted(layers, 'layer')}${marked}`;
  const notes: string[] = [];
  if (triggers.length === 0) notes.push('no run trigger is declared here');
  if (workspaces.length > legible.workspaces || triggers.length > legible.triggers) {
    const most = `${legible.workspaces} and ${legible.triggers}`;
    notes.push(`${size} in one picture are hard to read (more than ${most}); --json has them as data`);
  }
  const { arrows, characters } = drawable;
  if (triggers.length > arrows || draw([]).length > characters) {
    notes.push(`Mermaid draws at most ${arrows} arrows in ${characters} characters; --json has them as data`);
  }
  return { text: draw([about, ...notes]), notes };
}

function pictureOf({ workspaces, triggers }: TriggerGraph): Picture {
  const targets = new Set(triggers.map(({ target }) => target));
  const inCycles = new Set(triggers.flatMap(({ source, onCycle }) => (onCycle ? source : [])));
  const files = new Set(triggers.map(({ file }) => file));
  const nodes = workspaces.map(({ id, name, file }) => {
    const look = inCycles.has(id) ? 'cycle' : targets.has(id) ? 'plain' : 'start';
    // One box around everything says nothing.
    return { id, name, box: files.size > 1 ? file : null, look } as const;
  });
  const arrows = triggers.map(({ source, target, onCycle }) => {
    return { from: source, to: target, look: onCycle ? 'cycle' : 'plain' } as const;
  });
  return { nodes, arrows };
}

/** The lines of a flowchart; `comments` are lines of ours. */
export function mermaid({ nodes, arrows }: Picture, comments: readonly string[]): string[] {
  const idOf = shortIds(nodes);
  const node = ({ id, name, look }: Node) => {
    const [open, close] = look === 'start' ? ['([', '])'] : ['[', ']'];
    return `${idOf(id)}${open}"${mermaidLabel(name)}"${close}`;
  };
  const styles = [...groupBy([...arrows.keys()], (index) => arrowLooks[arrows[index]?.look ?? 'plain'])];
  const inCycles = nodes.filter(({ look }) => look === 'cycle').map(({ id }) => idOf(id));
  return [
    ...comments.map((comment) => `%% ${comment}`),
    'flowchart LR',
    ...boxes(nodes, node, (title, id) => [`  subgraph ${id}["${mermaidLabel(title)}"]`, '  end']),
    ...(nodes.length === 0 ? ['  none["no run triggers"]'] : []),
    ...arrows.map(({ from, to, look }) => `  ${idOf(from)} ${arrowLooks[look].mermaid} ${idOf(to)}`),
    ...styles.flatMap(([{ colour }, indexes]) =>
      colour === null ? [] : [`  linkStyle ${indexes.join(',')} stroke:${colour},stroke-width:3px`],
    ),
    ...inCycles.map((id) => `  style ${id} stroke:${red},stroke-width:3px`),
  ];
}

/** The lines of all nodes, those of one box between its first and its last line. */
function boxes(
  nodes: readonly Node[],
  lineOf: (node: Node) => string,
  around: (title: string, id: string) => readonly [string, string],
): string[] {
  return [...groupBy(nodes, ({ box }) => box)].flatMap(([box, own], index) => {
    if (box === null) return own.map((one) => `  ${lineOf(one)}`);
    const [first, last] = around(box, `box_${index}`);
    return [first, ...own.map((one) => `    ${lineOf(one)}`), last];
  });
}

/** Of letters, digits and underscores, each once: the name as far as it can be read in the text, never a word of the language. */
function shortIds(nodes: readonly Node[]): (id: string) => string {
  const taken = new Map<string, number>();
  const ids = new Map<string, string>();
  for (const { id, name } of nodes) {
    const short = `w ${name.slice(0, 40)}`.replace(/[^A-Za-z0-9]+/g, '_');
    const before = taken.get(short) ?? 0;
    taken.set(short, before + 1);
    ids.set(id, before === 0 ? short : `${short}__${before}`);
  }
  return (id) => ids.get(id) ?? 'w_';
}

/** Nobody reads more of a name in a picture; never empty. */
function label(name: string): string {
  return oneLine(name, 80) || ' ';
}

/** Every character that means something to Mermaid, Markdown or HTML by its number; not those within a name that never do. */
function mermaidLabel(name: string): string {
  return label(name).replace(
    /(?<=[\p{L}\p{N}])(?<!www)([-./ ])(?=[\p{L}\p{N}])|[^\p{L}\p{N}]/giu,
    (found: string, harmless?: string) => harmless ?? `#${found.codePointAt(0)};`,
  );
}

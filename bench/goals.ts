/** The goals of the project for its speed, each with what the last full run measured: for the README and docs/performance.md. */
import type { Results } from './results';
import { mean } from './table';

/** In the README too where it says so. */
type Row = readonly [what: string, goal: string, measured: string, command: string, where?: 'readme'];

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const span = (values: readonly number[]) => [Math.min(...values), Math.max(...values)] as const;

/** Lowest and highest, once where they are one. */
function range(values: readonly number[], text: (value: number) => string): string {
  const [low, high] = span(values).map(text);
  return low === high ? `${low}` : `${low} to ${high}`;
}

/** The goals of the project for its speed, with what this run measured. */
function rows({
  calls,
  graphs,
  costs,
  growth,
  pages,
  warnings,
  rate,
  connections,
  start,
  service,
  install,
  pulumi,
}: Results) {
  const cost = (world: string, step: string) => costs.find((one) => one.world === world && one.step === step);
  const ofBound = (one: { calls: number; bound: number } | undefined) =>
    one === undefined ? 'not measured' : `${one.calls} for ${one.bound}`;
  const shape = (profile: string, name: string) =>
    calls.filter((one) => one.profile === profile && one.shape === name).map((one) => one.calls / one.bound);
  const shapes = (profile: string): Row => {
    const names = [...new Set(calls.map((one) => one.shape))];
    const texts = names.map((name) => `${name} ${range(shape(profile, name), (value) => value.toFixed(2))}`);
    return [
      `calls ÷ the fewest possible, profile ${profile}, all steps`,
      '1',
      texts.join(', '),
      'calls',
      'readme',
    ];
  };
  const digests = ['no-op plan at 28/s', 'no-op plan at 28/s, without secrets'].map(
    (step) => cost('medium', step)?.ms ?? 0,
  );
  const grown = (triggers: number, step: string) =>
    growth.find((one) => one.triggers === triggers && one.step === step);
  const growthOf = (step: string): Row => {
    const { cpuMs, peakMiB = Number.NaN, failed } = grown(100_000, step) ?? {};
    const measured =
      cpuMs === undefined ? (failed ?? 'not measured') : `${seconds(cpuMs)}, ${Math.round(peakMiB)} MiB`;
    const what = `${step} of 100,000 triggers over 5,000 workspaces: CPU (median of three plans), peak memory`;
    return [what, '< 10 s, < 500 MiB', measured, 'growth', 'readme'];
  };
  const exponents = growth.flatMap(({ exponent, triggers }) =>
    exponent !== undefined && triggers <= 300_000 ? [exponent] : [],
  );
  const million = grown(1_000_000, 'no-op plan');
  const manner = (name: string) => rate.filter((one) => one.manner === name);
  const rejected = (name: string) =>
    range(
      manner(name).map((one) => one.rejected / one.calls),
      percent,
    );
  const validate = start.find(({ name }) => name.includes('validate'));
  const peaks = (name: string) =>
    Math.max(...costs.filter(({ world }) => world === name).map(({ peakMiB }) => peakMiB));
  const [links, clients] = ['triggers into', 'with an attachment'].map((text) =>
    pulumi?.find(({ program, run }) => run === 'up' && program.includes(text)),
  );
  const all: readonly Row[] = [
    shapes('default'),
    shapes('hcp-terraform'),
    [
      `lists of a no-op plan, ${graphs.triggers.toLocaleString('en')} random triggers over ${graphs.workspaces} workspaces, mean of ${graphs.read.length} graphs`,
      `${mean(graphs.fewest)}`,
      `${mean(graphs.read)}`,
      'calls',
      'readme',
    ],
    ...pages.map(
      ({ triggers, calls: made, bound }): Row => [
        `no-op plan, one list of ${triggers.toLocaleString('en')} triggers`,
        `${bound} pages`,
        `${made}`,
        'growth',
      ],
    ),
    ...(['medium', 'large'] as const).flatMap((world): Row[] => [
      [`first apply, ${world}: calls`, '= bound', ofBound(cost(world, 'first apply')), 'costs'],
      [`destroy, ${world}: calls`, '= bound', ofBound(cost(world, 'destroy')), 'costs'],
    ]),
    [
      'first apply, large: CPU',
      '< 25 s',
      seconds(cost('large', 'first apply')?.cpuMs ?? Number.NaN),
      'costs',
    ],
    [
      'no-op plan, medium: CPU besides digests',
      '≤ 0.8 s',
      seconds(cost('medium', 'no-op plan, without secrets')?.cpuMs ?? Number.NaN),
      'costs',
    ],
    [
      'no-op plan, medium, with `--rate 28`: time that digests add',
      '0',
      seconds((digests[0] ?? 0) - (digests[1] ?? 0)),
      'costs',
    ],
    [
      'peak memory, medium · large',
      '< 160 · < 220 MiB',
      `${Math.round(peaks('medium'))} · ${Math.round(peaks('large'))} MiB`,
      'costs',
    ],
    growthOf('no-op plan'),
    growthOf('first plan'),
    [
      'growth of CPU from 1,000 to 300,000 triggers, exponents',
      'as n log n',
      range(exponents, (value) => value.toFixed(2)),
      'growth',
    ],
    [
      'no-op plan of 1,000,000 triggers: CPU, peak memory',
      'said',
      million?.cpuMs === undefined
        ? (million?.failed ?? 'not tried, since fewer failed')
        : `${seconds(million.cpuMs)}, ${Math.round(million.peakMiB ?? Number.NaN)} MiB`,
      'growth',
    ],
    [
      'share of 30 calls a second that is used, alone, three limiters',
      '≥ 95 %',
      range(
        manner('alone').map((one) => one.share),
        percent,
      ),
      'rate',
      'readme',
    ],
    [
      'calls rejected, three limiters, alone · stalled',
      '0 · 0',
      `${rejected('alone')} · ${rejected('stalled')}`,
      'rate',
      'readme',
    ],
    ['calls rejected, three limiters, two at once', '≤ 1 %', rejected('two at once'), 'rate'],
    [
      '`validate` over `node -e 0`, CPU',
      '≤ 100 ms',
      `${Math.round(validate?.moreMs ?? Number.NaN)} ms`,
      'start',
    ],
    [
      'CPU of a POST ÷ one with a connection of its own (TLS)',
      '≤ 0.5',
      (connections.clientMs / connections.plainMs).toFixed(2),
      'connections',
    ],
    ...['list', 'show', 'create'].map(
      (name): Row => [
        `service, ${name}: bare fastify's CPU ÷ the service's`,
        '≥ 0.7',
        service
          .filter(({ operation }) => operation === name)
          .map(({ ratio }) => ratio.toFixed(2))
          .join(', '),
        'service',
      ],
    ),
    [
      'empty folder → printed plan: size installed; time of npm install, of plan',
      '< 25 MB',
      `${install.megabytes.toFixed(1)} MB; ${seconds(install.installMs)}, ${seconds(install.planMs)}`,
      'install',
    ],
    [
      'Pulumi: calls of 5 clients and 100 triggers · client lists · Shows of 20 clients',
      '≤ 150 · 1 · 0',
      links === undefined || clients === undefined
        ? 'no engine'
        : `${links.calls} · ${links.clientLists} · ${clients.shows}`,
      'pulumi',
    ],
    [
      `\`validate -q\` of ${warnings.triggers.toLocaleString('en')} ring triggers: lines`,
      'a screen',
      `${warnings.quietLines}`,
      'growth',
    ],
  ];
  return all;
}

/** As a table in Markdown; the short one for readers who only want to know what to expect. */
export function summary(results: Results, isShort = false): string {
  const chosen = rows(results).filter(([, , , , where]) => !isShort || where === 'readme');
  const lines = chosen.map(([what, goal, measured, command]) =>
    isShort
      ? `| ${what} | ${measured} |`
      : `| ${what} | ${goal} | ${measured} | \`make bench ONLY=${command}\` |`,
  );
  const head = isShort
    ? ['| | Measured |', '|---|---|']
    : ['| | Goal | Measured | Command |', '|---|---|---|---|'];
  return [...head, ...lines, ''].join('\n');
}

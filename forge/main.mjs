/** What a pipeline tells a forge (GitHub or GitLab) about a run of Tether, and what it asks it before an apply. */
// main.mjs plan|apply|drift after tether.sh, main.mjs reviewed before an apply. It holds the forge's token and never the service's.
// What the forge refuses fails nothing, but for `reviewed`, which then finds no plan.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { github } from './github.mjs';
import { gitlab } from './gitlab.mjs';
import { codeBlock, cut, markerOf, withoutMarker } from './text.mjs';

const { env } = process;
const folder = (env.TETHER_FOLDER ?? '.').replace(/^(?:\.\/)+|\/+$/gu, '') || '.';
const forge = env.GITLAB_CI === undefined ? github(env, folder) : gitlab(env);
/** Of a heading; nothing for the only folder there is. */
const ofFolder = folder === '.' ? '' : ` of the folder \`${folder.replaceAll('`', '')}\``;
/** Longer texts would not reach the page of a run. */
const longestSummary = 300_000;

/** A file that tether.sh left, or nothing. */
function left(name) {
  const path = join(env.TETHER_OUT ?? '.', name);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}

function summarize(text) {
  if (env.GITHUB_STEP_SUMMARY !== undefined) appendFileSync(env.GITHUB_STEP_SUMMARY, `${text}\n\n`);
}

/** Does it, or says in the log and on the page of the run why the forge would not. */
async function attempt(what, work) {
  try {
    await work();
  } catch (error) {
    const text = `${what} failed, the run itself is not affected: ${error.message}`;
    forge.print('warning', text);
    summarize(`> [!WARNING]\n> ${text}`);
  }
}

/** The one of ours with this marker, whoever else wrote the marker too. */
async function findOne(notes, marker) {
  const perPage = 100;
  for (let page = 1; page <= 100; page += 1) {
    const found = await notes.list(page, perPage);
    const one = found.find(({ isOurs, body }) => isOurs && body?.startsWith(marker));
    if (one !== undefined || found.length < perPage) return one;
  }
  throw new Error('more than 10,000 entries');
}

/** Creates the note, or brings the one that is there up to date. */
async function keepOne(notes, kind, text) {
  const marker = markerOf(kind, folder);
  const pointer = `It is cut here: the whole is on [the page of the run](${forge.runUrl}).`;
  const body = cut(`${marker}\n${text}\n\n[Run](${forge.runUrl})${ofFolder}`, forge.longest, pointer);
  const one = await findOne(notes, marker);
  const title = `Objects were changed outside Tether${folder === '.' ? '' : ` (${folder})`}`;
  await (one === undefined ? notes.create(title, body) : notes.update(one.id, body));
}

/** The drift's issue is closed by the first run that finds nothing changed, or repairs it. */
async function closeIssue(why) {
  const marker = markerOf('drift', folder);
  const one = await findOne(forge.issues, marker);
  if (one === undefined) return;
  const before = withoutMarker(one.body).trim();
  const text = `${marker}\n**Closed:** ${why} ([run](${forge.runUrl})).\n\n${before}`;
  await forge.issues.close(one.id, cut(text, forge.longest, ''));
}

async function tell(command) {
  const code = left('exit-code');
  if (code === undefined) return;
  const failed = code !== '0' && !(command === 'drift' && code === '2');
  const heading = `### Tether ${command}${failed ? ' failed' : ''}`;
  // Without a report Tether ended before it had one: what it printed says why.
  const text = withoutMarker(left('report.md') ?? `${heading}\n\n${codeBlock(left('output.txt') ?? '')}`);
  summarize(cut(text, longestSummary, 'The rest is in the log of this step.'));
  if (command === 'plan' && forge.comments !== null) {
    await attempt('Writing the comment', () => keepOne(forge.comments, 'plan', text));
    await attempt('Recording the digest', () => forge.record(left('digest')));
  }
  if (command === 'drift' && code === '2') {
    await attempt('Writing the issue', () => keepOne(forge.issues, 'drift', text));
  }
  if (command !== 'plan' && code === '0') {
    const why = command === 'apply' ? 'an apply left nothing to do' : 'nothing differs any more';
    await attempt('Closing the issue about drift', () => closeIssue(why));
  }
}

/** The digest of the plan that the merged request showed; without one nothing is applied. */
async function printReviewed() {
  try {
    const { digest, source } = await forge.reviewed();
    if (!/^[0-9a-f]{16}$/u.test(digest)) throw new Error(`${source} holds no digest`);
    forge.print('notice', `Expecting the plan ${digest}, which ${source} showed`);
    forge.output('digest', digest);
  } catch (error) {
    const way = 'Review the plan, then run the pipeline by hand with its digest';
    forge.print('error', `No reviewed plan was found, so nothing is applied: ${error.message}. ${way}`);
    process.exitCode = 1;
  }
}

const [command] = process.argv.slice(2);
if (command === 'reviewed') await printReviewed();
else await tell(command);

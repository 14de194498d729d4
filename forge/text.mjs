/** The text of comments and issues: the marker that finds them again, what must not be read as Markdown, and the longest there may be. */

/** Hidden on the page, and as a report begins with it. Whatever the folder is called, it is one comment of HTML. */
export function markerOf(command, folder) {
  return `<!-- tether-${command} folder=${encodeURIComponent(folder).replaceAll('%2F', '/')} -->`;
}

/** The text below the marker, if it has one. */
export function withoutMarker(text) {
  return text.replace(/^<!-- tether-.* -->\n/u, '');
}

/** As it is, whatever it holds: the fence is longer than any in the text. */
export function codeBlock(text) {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** The text, or as many of its first lines as fit with what closes them and `pointer`. */
export function cut(text, longest, pointer) {
  if (text.length <= longest) return text;
  const room = longest - pointer.length - 200;
  const kept = text.slice(0, text.lastIndexOf('\n', room) + 1 || room);
  let fence = '';
  for (const [, ticks] of kept.matchAll(/^ {0,3}(`{3,})/gmu)) {
    if (fence === '') fence = ticks;
    else if (ticks.length >= fence.length) fence = '';
  }
  const opened = [...kept.matchAll(/<details/gu)].length - [...kept.matchAll(/<\/details/gu)].length;
  return [kept.trimEnd(), fence, ...Array(Math.max(0, opened)).fill('</details>'), '', pointer]
    .join('\n')
    .slice(0, longest);
}

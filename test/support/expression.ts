/** GitHub's expressions, as far as our workflows and our action use them; anything else is an error. */

/** What a name means: `inputs.folder`, `steps.tether.outcome`, `always()`. Throws where it does not know the name. */
export type Names = (name: string) => string | boolean;

type Value = string | boolean;
const isTrue = (value: Value): boolean => value !== false && value !== '';

/** The value of what stands between `${{` and `}}`. */
function evaluate(expression: string, names: Names): Value {
  const token = /\s*(?:(\|\||&&|==|!=|!|\(|\))|'((?:[^']|'')*)'|([a-z_][\w.-]*(?:\(\))?))\s*/giuy;
  const tokens: { operator?: string; text?: string; name?: string }[] = [];
  while (token.lastIndex < expression.length) {
    const found = token.exec(expression);
    if (found === null) throw new Error(`an expression this reader does not know: ${expression}`);
    const [, operator, text, name] = found;
    tokens.push({
      ...(operator && { operator }),
      ...(text !== undefined && { text }),
      ...(name && { name }),
    });
  }
  let at = 0;
  const takes = (operator: string): boolean => {
    if (tokens[at]?.operator !== operator) return false;
    at += 1;
    return true;
  };
  function primary(): Value {
    if (takes('!')) return !isTrue(primary());
    if (takes('(')) {
      const value = either();
      if (!takes(')')) throw new Error(`no closing bracket: ${expression}`);
      return value;
    }
    const { text, name } = tokens[at] ?? {};
    at += 1;
    if (text !== undefined) return text.replaceAll("''", "'");
    if (name === undefined) throw new Error(`no value where one is needed: ${expression}`);
    return names(name);
  }
  function comparison(): Value {
    const left = primary();
    if (takes('==')) return left === primary();
    if (takes('!=')) return left !== primary();
    return left;
  }
  function both(): Value {
    let value = comparison();
    while (takes('&&')) {
      const right = comparison();
      value = isTrue(value) ? right : value;
    }
    return value;
  }
  function either(): Value {
    let value = both();
    while (takes('||')) {
      const right = both();
      value = isTrue(value) ? value : right;
    }
    return value;
  }
  const value = either();
  if (at !== tokens.length) throw new Error(`more than one expression: ${expression}`);
  return value;
}

/** The text with each `${{ … }}` replaced by its value. */
export function fill(text: string, names: Names): string {
  return text.replace(/\$\{\{(.*?)\}\}/gsu, (_, expression: string) => String(evaluate(expression, names)));
}

/** Whether a condition holds; `${{ }}` around it may be left out. */
export function holds(condition: string, names: Names): boolean {
  return isTrue(evaluate(condition.replace(/^\s*\$\{\{(.*)\}\}\s*$/su, '$1'), names));
}

/** The JSON Schema of the JSON documents, from the types of cli/documents.ts. */
import ts from 'typescript';
import type { JsonSchema } from '../../manifest/schema';
import { errorCodes } from './error-codes';
import { typesOf } from './product-types';
import { ruleCodes } from './rule-codes';

type Definitions = Record<string, JsonSchema>;

let schema: JsonSchema | undefined;

/** One of many documents: by its command, or that of an error, which any command may print. Made once. */
export function outputSchema(): JsonSchema {
  schema ??= makeSchema();
  return schema;
}

function makeSchema(): JsonSchema {
  const { checker, file: documents } = typesOf('cli/documents.ts');
  const module = checker.getSymbolAtLocation(documents);
  const exported = new Map(
    module === undefined ? [] : checker.getExportsOfModule(module).map((one) => [one.name, one] as const),
  );
  const definitions: Definitions = {};
  const typeOf = (name: string): ts.Type => {
    const symbol = exported.get(name);
    if (symbol === undefined) throw new Error(`cli/documents.ts has no ${name}`);
    return checker.getDeclaredTypeOfSymbol(symbol);
  };
  const schemas = new Schemas(checker, documents, definitions);
  const head = schemas.membersOf(typeOf('Head'));
  const result = (command: ts.Symbol): JsonSchema => {
    const own = schemas.membersOf(checker.getTypeOfSymbol(command));
    return closed({ ...head, command: { required: true, schema: { const: command.name } }, ...own });
  };
  const error = closed({ ...head, ...schemas.membersOf(typeOf('ErrorDocument')) });
  const commands = typeOf('Documents').getProperties();
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Output of tether --json',
    description:
      'What `--json` prints and `--report json=FILE` writes, of every command but `tether schema`.',
    oneOf: [
      ...commands.map(({ name }) => ({ $ref: `#/definitions/${keyOf(name)}` })),
      { $ref: '#/definitions/error' },
    ],
    definitions: {
      ...Object.fromEntries(commands.map((command) => [keyOf(command.name), result(command)])),
      error: withCodes(error, ['error', 'code'], errorCodes),
      ...definitions,
      Issue: withCodes(definitions.Issue ?? {}, ['rule'], ruleCodes),
    },
  };
}

/** A reference may not hold a space. */
const keyOf = (command: string): string => command.replace(' ', '-');

/** The schema with all that this member may be. */
function withCodes(
  schema: JsonSchema,
  [name = '', ...rest]: readonly string[],
  codes: Readonly<Record<string, string>>,
): JsonSchema {
  const member = schema.properties?.[name] ?? {};
  const changed =
    rest.length > 0 ? withCodes(member, rest, codes) : { ...member, enum: Object.keys(codes).sort() };
  return { ...schema, properties: { ...schema.properties, [name]: changed } };
}

interface Member {
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** An object with these members and no other. */
function closed(members: Readonly<Record<string, Member>>): JsonSchema {
  const all = Object.entries(members);
  return {
    type: 'object',
    properties: Object.fromEntries(all.map(([name, { schema }]) => [name, schema])),
    required: all.filter(([, { required }]) => required).map(([name]) => name),
    additionalProperties: false,
  };
}

/** Schemas of types; those with a name of their own are definitions. */
class Schemas {
  constructor(
    private readonly checker: ts.TypeChecker,
    private readonly at: ts.Node,
    private readonly definitions: Definitions,
  ) {}

  membersOf(type: ts.Type): Record<string, Member> {
    return Object.fromEntries(
      this.checker.getPropertiesOfType(type).map((symbol) => {
        const required = (symbol.flags & ts.SymbolFlags.Optional) === 0;
        const schema = this.of(this.checker.getTypeOfSymbolAtLocation(symbol, this.at));
        const description = ts.displayPartsToString(symbol.getDocumentationComment(this.checker));
        // Beside a `$ref`, draft-07 ignores what else there is.
        const described = schema.$ref === undefined ? schema : { allOf: [schema] };
        return [
          symbol.name,
          { required, schema: description === '' ? schema : { description, ...described } },
        ];
      }),
    );
  }

  private of(type: ts.Type): JsonSchema {
    const name = nameOf(type);
    if (name === undefined) return this.inline(type);
    if (this.definitions[name] === undefined) {
      // Before its members, which may name it.
      this.definitions[name] = {};
      this.definitions[name] = this.inline(type);
    }
    return { $ref: `#/definitions/${name}` };
  }

  private inline(type: ts.Type): JsonSchema {
    const { checker } = this;
    if (type.isUnion()) return this.union(type.types);
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    if ((type.flags & ts.TypeFlags.BooleanLiteral) !== 0)
      return { const: checker.typeToString(type) === 'true' };
    for (const [flag, schema] of plainTypes) if ((type.flags & flag) !== 0) return schema;
    if (checker.isArrayType(type)) {
      return { type: 'array', items: this.of(checker.getTypeArguments(type as ts.TypeReference)[0] ?? type) };
    }
    const values = type.getStringIndexType();
    if (values !== undefined) return { type: 'object', additionalProperties: this.of(values) };
    if (type.getProperties().length > 0) return closed(this.membersOf(type));
    throw new Error(`no schema for the type ${checker.typeToString(type)}`);
  }

  private union(types: readonly ts.Type[]): JsonSchema {
    const present = types.filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0);
    const booleans = present.filter(({ flags }) => (flags & ts.TypeFlags.BooleanLiteral) !== 0);
    const others = present.filter((one) => booleans.length < 2 || !booleans.includes(one));
    const literals = others.flatMap((one) =>
      one.isStringLiteral() || one.isNumberLiteral() ? one.value : [],
    );
    const rest = others
      .filter((one) => !one.isStringLiteral() && !one.isNumberLiteral())
      .map((one) => this.of(one));
    const all: readonly JsonSchema[] = [
      // The compiler's order is that in which it met them.
      ...(literals.length > 0 ? [{ enum: literals.sort((one, other) => (one < other ? -1 : 1)) }] : []),
      ...(booleans.length > 1 ? [{ type: 'boolean' }] : []),
      ...rest.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
    ];
    return all.length === 1 ? (all[0] ?? {}) : { anyOf: all };
  }
}

const plainTypes = [
  [ts.TypeFlags.String, { type: 'string' }],
  [ts.TypeFlags.Number, { type: 'number' }],
  [ts.TypeFlags.Boolean, { type: 'boolean' }],
  [ts.TypeFlags.Null, { type: 'null' }],
] as const;

/** Of an interface or an alias of ours that takes no other types. */
function nameOf(type: ts.Type): string | undefined {
  if (type.aliasSymbol !== undefined) return type.aliasTypeArguments ? undefined : type.aliasSymbol.name;
  const { symbol } = type;
  const isInterface = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Interface) !== 0;
  const isOurs = symbol?.declarations?.some((one) => !one.getSourceFile().isDeclarationFile);
  return isInterface && isOurs ? symbol.name : undefined;
}

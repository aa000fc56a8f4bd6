/** The part of JSON Schema 2020-12 that the schemas in docs/ use. Keywords that it does not know are refused. */
type Json = unknown;
type Schema = Readonly<Record<string, Json>>;

const known = new Set([
  '$schema',
  '$defs',
  '$ref',
  'title',
  'description',
  'type',
  'const',
  'enum',
  'minimum',
  'required',
  'properties',
  'additionalProperties',
  'items',
  'prefixItems',
  'minItems',
  'maxItems',
  'oneOf',
]);

/** Where `value` does not follow `schema`, in words; empty when it does. */
export function violations(schema: Schema, value: Json, root: Schema = schema, at = '$'): string[] {
  const faults: string[] = [];
  for (const keyword of Object.keys(schema))
    if (!known.has(keyword)) faults.push(`unknown keyword ${keyword}`);
  const ref = schema['$ref'];
  if (typeof ref === 'string') {
    const defs = root['$defs'] as Record<string, Schema>;
    faults.push(...violations(defs[ref.replace('#/$defs/', '')], value, root, at));
  }
  if (typeof schema['type'] === 'string' && !hasType(value, schema['type']))
    faults.push(`${at} is no ${schema['type']}`);
  if ('const' in schema && value !== schema['const']) faults.push(`${at} is not ${String(schema['const'])}`);
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(value))
    faults.push(`${at} is not in the enumeration`);
  if (typeof schema['minimum'] === 'number' && typeof value === 'number' && value < schema['minimum'])
    faults.push(`${at} is less than ${schema['minimum']}`);
  if (Array.isArray(schema['oneOf'])) {
    const fitting = (schema['oneOf'] as Schema[]).filter(
      (one) => violations(one, value, root, at).length === 0,
    );
    if (fitting.length !== 1) faults.push(`${at} fits ${fitting.length} alternatives`);
  }
  if (Array.isArray(value) && isSchema(schema['items'])) {
    const { items } = schema;
    value.forEach((item, i) => faults.push(...violations(items, item, root, `${at}[${i}]`)));
  }
  if (Array.isArray(value)) {
    const {
      minItems = 0,
      maxItems = Infinity,
      prefixItems = [],
    } = schema as {
      minItems?: number;
      maxItems?: number;
      prefixItems?: Schema[];
    };
    if (value.length < minItems || value.length > maxItems) faults.push(`${at} has ${value.length} items`);
    prefixItems.forEach((item, i) => faults.push(...violations(item, value[i], root, `${at}[${i}]`)));
  }
  if (isObject(value)) faults.push(...objectViolations(schema, value, root, at));
  return faults;
}

function objectViolations(schema: Schema, value: Record<string, Json>, root: Schema, at: string): string[] {
  const faults: string[] = [];
  for (const name of (schema['required'] ?? []) as string[])
    if (!(name in value)) faults.push(`${at}.${name} is missing`);
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
  const more = schema['additionalProperties'];
  for (const [name, inner] of Object.entries(value)) {
    if (Object.hasOwn(properties, name))
      faults.push(...violations(properties[name], inner, root, `${at}.${name}`));
    else if (more === false) faults.push(`${at}.${name} is not described`);
    else if (isSchema(more)) faults.push(...violations(more, inner, root, `${at}.${name}`));
  }
  return faults;
}

const isObject = (value: Json): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isSchema = (value: Json): value is Schema => isObject(value);

function hasType(value: Json, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

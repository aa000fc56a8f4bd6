import type { Problem } from '../../../text/problem.js';
import type { Span } from '../../../text/span.js';
import { count } from '../../../text/words.js';
import type { Declarator, Initializer, Parameter, VariableDeclaration } from '../tree.js';
import { typeBytes, types, vectorLength } from '../types.js';
import { report, type Context } from './context.js';
import { EntityKind, describeEntity, type Entity } from './entities.js';
import { laterProblem } from './unknown-names.js';

/**
 * Rules for declarations of variables and parameters, as ptxas 13.0 has them: which state space may stand where,
 * which can be initialised, sizes, alignments (powers of two), vectors (at most 128 bits) and the number and kind
 * of initial values.
 */
const words: Readonly<Partial<Record<EntityKind, string>>> = {
  [EntityKind.Register]: 'register',
  [EntityKind.Variable]: 'variable',
  [EntityKind.Parameter]: 'parameter',
  [EntityKind.Label]: 'label',
  [EntityKind.Function]: 'function',
  [EntityKind.ModuleVariable]: 'variable',
  [EntityKind.Prototype]: 'label',
  [EntityKind.Targets]: 'label',
};

/** A name that its scope has already. */
export function duplicate(e: Entity, at: Span, first: Span | undefined): Problem {
  const word = words[e.kind] ?? 'name';
  const text =
    e.kind === EntityKind.Label
      ? `label '${e.name}' is already defined in this scope`
      : e.kind === EntityKind.Parameter
        ? `parameter '${e.name}' is declared twice`
        : `${word} '${e.name}' is already declared in this scope`;
  return {
    code: 'name/duplicate',
    severity: 'error',
    span: { start: at.start, end: at.end },
    message: `${text}; rename one of them`,
    ...(first !== undefined && {
      related: [{ span: { start: first.start, end: first.end }, message: 'the first one stands here' }],
    }),
  };
}

/** A parameter of a function; `.reg` ones are registers. */
export function checkParameter(context: Context, parameter: Parameter, isEntry: boolean): void {
  if (isEntry && parameter.space.text === '.reg')
    report(
      context,
      'type/parameter',
      parameter,
      `parameters of a kernel are in .param; '${parameter.name?.text ?? '_'}' is .reg`,
    );
  if (isEntry && parameter.dimensions.some((dimension) => dimension === undefined))
    report(
      context,
      'type/parameter',
      parameter,
      'a parameter of a kernel needs a size: an array of unknown length cannot be passed',
    );
}

type FindSymbol = (name: string) => Entity | undefined;

export function checkVariable(
  context: Context,
  node: VariableDeclaration,
  isLocal: boolean,
  find: FindSymbol,
): void {
  checkSpace(context, node, isLocal);
  checkVector(context, node);
  const isExternal = node.linkage.some((name) => name.text === '.extern');
  for (const declarator of node.declarators) {
    checkPlace(context, node, declarator, isExternal);
    if (declarator.initializer !== undefined)
      checkInitializer(context, node, declarator, declarator.initializer, isExternal, find);
  }
}

const opaque = new Set(['.texref', '.samplerref', '.surfref']);

function checkSpace(context: Context, node: VariableDeclaration, isLocal: boolean): void {
  const space = node.space.text;
  const type = node.type?.text ?? '';
  if (space === '.tex')
    report(
      context,
      'isa/removed',
      node.space,
      ".tex variables are gone since PTX ISA 1.5: declare '.global .texref' instead",
    );
  if (space === '.sreg')
    report(
      context,
      'type/state-space',
      node.space,
      'special registers are predefined; .sreg cannot be declared',
    );
  if (!isLocal && (space === '.reg' || space === '.local' || space === '.param'))
    report(
      context,
      'type/state-space',
      node.space,
      `${space} variables belong into a function: move this declaration into the body that uses it`,
    );
  if (type === '.pred' && space !== '.reg')
    report(
      context,
      'type/state-space',
      node.type ?? node,
      'predicates live in registers only: declare it as .reg .pred',
    );
  if (opaque.has(type)) {
    if (isLocal || space !== '.global')
      report(
        context,
        'type/state-space',
        node.type ?? node,
        `${type} variables stand at module level in .global, or are kernel parameters`,
      );
    checkTextureMode(context, node);
  }
}

/** Separate samplers exist in the independent texture mode alone; unified is the default. */
function checkTextureMode(context: Context, node: VariableDeclaration): void {
  const { options, target } = context.header;
  if (target === undefined || options.includes('texmode_independent')) return;
  if (node.type?.text !== '.samplerref') return;
  context.header.gates.holdsFrom = Infinity;
  report(
    context,
    'isa/texture-mode',
    node.type,
    `.samplerref needs '.target ${target}, texmode_independent'; in the unified mode a texture brings its own sampler`,
  );
}

function checkVector(context: Context, node: VariableDeclaration): void {
  if (node.vector === undefined || node.type === undefined) return;
  const length = vectorLength(node.vector.text);
  const bits = types.get(node.type.text)?.bits ?? 0;
  if (node.type.text === '.pred')
    report(context, 'type/vector', node.vector, `predicates have no vectors; remove ${node.vector.text}`);
  else if (length * bits > 128)
    report(
      context,
      'type/vector',
      node.vector,
      `${node.vector.text} ${node.type.text} is ${length * bits} bits; a vector has at most 128`,
    );
}

function checkPlace(
  context: Context,
  node: VariableDeclaration,
  declarator: Declarator,
  isExternal: boolean,
): void {
  const space = node.space.text;
  const { name } = declarator;
  if (space === '.reg') {
    if (declarator.dimensions.length > 0)
      report(
        context,
        'type/state-space',
        declarator,
        `registers have no arrays: declare '${name.text}<${declarator.dimensions[0]?.integer ?? 'N'}>' for a range, or put the array into .local`,
      );
    return;
  }
  if (
    declarator.dimensions.some((dimension) => dimension === undefined) &&
    declarator.initializer === undefined &&
    !isExternal
  )
    report(
      context,
      'type/array-size',
      declarator,
      `'${name.text}' needs a size; only .extern variables may leave it open`,
    );
}

/** Spaces whose variables start with a value. */
const initialised = new Set(['.global', '.const']);

function checkInitializer(
  context: Context,
  node: VariableDeclaration,
  declarator: Declarator,
  initializer: Initializer,
  isExternal: boolean,
  find: FindSymbol,
): void {
  const space = node.space.text;
  const { name } = declarator;
  if (isExternal) {
    report(
      context,
      'type/initialiser',
      initializer,
      `'${name.text}' is .extern: its value stands where it is defined`,
    );
    return;
  }
  if (!initialised.has(space)) {
    report(
      context,
      'type/initialiser',
      initializer,
      `a ${space} variable cannot have an initialiser; store the value at run time, or use .global or .const`,
    );
    return;
  }
  const type = node.type?.text ?? '';
  const dimensions = declarator.dimensions.map((d) => (d?.integer === undefined ? -1 : Number(d.integer)));
  if (dimensions.length === 0 && initializer.kind === 'list' && vectorLength(node.vector?.text) === 1) {
    report(
      context,
      'type/initialiser',
      initializer,
      `'${name.text}' is no array: write the value without braces`,
    );
    return;
  }
  checkElements(context, initializer, dimensions, 0, type, vectorLength(node.vector?.text), find);
}

function checkElements(
  context: Context,
  initializer: Initializer,
  dimensions: readonly number[],
  depth: number,
  type: string,
  vector: number,
  find: FindSymbol,
): void {
  if (initializer.kind === 'list') {
    const size = depth < dimensions.length ? dimensions[depth] : vector > 1 ? vector : -1;
    if (size >= 0 && initializer.elements.length > size) {
      const extra = initializer.elements[size];
      report(
        context,
        'type/array-size',
        { start: extra.start, end: initializer.elements[initializer.elements.length - 1].end },
        `${count(initializer.elements.length, 'initialiser')} for an array of ${count(size, 'element')}`,
      );
      return;
    }
    if (depth > 16) return;
    for (const element of initializer.elements)
      checkElements(context, element, dimensions, depth + 1, type, vector, find);
    return;
  }
  const fact = types.get(type);
  if (initializer.kind === 'constant') {
    const { value } = initializer;
    if (fact === undefined || (!value.isFloat && value.integer === undefined)) return;
    if (value.isFloat && fact.kind !== 'float' && fact.kind !== 'bits')
      report(
        context,
        'type/initialiser',
        initializer,
        `${type} takes an integer as initial value; this is a floating-point constant`,
      );
    if (!value.isFloat && fact.kind === 'float')
      report(
        context,
        'type/initialiser',
        initializer,
        `${type} takes a floating-point constant as initial value: write 1.0 or 0f3F800000`,
      );
    return;
  }
  if (initializer.kind === 'symbol') {
    const found = find(initializer.name.text);
    if (found === undefined) unknownSymbol(context, initializer.name);
    else if (typeBytes(type) < 4 && !(type === '.u8' && isMask(initializer.operator)))
      report(
        context,
        'type/initialiser',
        initializer,
        `the address of ${describeEntity(found)} needs 32 or 64 bits; ${type} is too small`,
      );
  }
}

/** `0xff00(symbol)`: one byte of an address, in an array of .u8. */
const isMask = (operator: string | undefined): boolean =>
  operator !== undefined && operator !== '' && operator !== 'generic';

function unknownSymbol(context: Context, name: { readonly text: string } & Span): void {
  const later = laterProblem(context, name.text, { start: name.start, end: name.end });
  if (later === undefined)
    report(context, 'name/undeclared', name, `'${name.text}' is not declared before this initialiser`);
  else context.problems.push(later);
}

/** A lowered program as text, for tests and for whoever debugs a pass: one line a node, store or branch. */
import type { Block, Input, Program, StorePlace, Value } from '../graph.js';
import { opNames } from '../operations.js';

const components = 'xyzw';

export function programText(program: Program): string {
  return program.blocks.map((block, b) => blockText(program, block, b)).join('');
}

function blockText(program: Program, block: Block, b: number): string {
  const lines = [`${b}: ${block.label}`.trimEnd()];
  for (const id of block.nodes) {
    const { op, inputs } = program.nodes[id];
    lines.push(`  n${id} = ${opNames[op]} ${inputs.map((input) => inputText(program, input)).join(', ')}`);
  }
  for (const { to, value } of block.stores)
    lines.push(`  ${placeText(program, to)} := ${valueText(program, value)}`);
  const { branch } = block;
  if (branch !== undefined)
    lines.push(
      branch.condition === undefined
        ? `  branch ${branch.target}`
        : `  branch ${branch.target} if ${valueText(program, branch.condition)}`,
    );
  return `${lines.join('\n')}\n`;
}

const inputText = (program: Program, input: Input): string =>
  (input.negate ? '-' : '') + valueText(program, input);

function valueText(program: Program, value: Value): string {
  switch (value.kind) {
    case 'node':
      return `n${value.node}`;
    case 'constant':
      return String(value.value);
    case 'register':
      return program.registers[value.register].name + (value.stored ? '!' : '');
    case 'uniform':
      return `u${value.vector}${value.address ? `+addr${value.address}` : ''}.${components[value.component]}`;
    case 'attribute':
      return `a${value.vector}.${components[value.component]}`;
    case 'temporary':
      return `t${value.vector}.${components[value.component]}${value.stored ? '!' : ''}`;
  }
}

function placeText(program: Program, place: StorePlace): string {
  if (place.kind === 'address') return `addr${place.vector}`;
  if (place.kind === 'register') return program.registers[place.register].name;
  return `${place.kind === 'varying' ? 'v' : 't'}${place.vector}.${components[place.component]}`;
}

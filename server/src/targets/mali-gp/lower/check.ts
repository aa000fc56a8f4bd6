/** Holds a program against the invariants of graph.ts. Shares nothing with the passes that keep them. */
import type { Block, Program, Value } from '../graph.js';
import { operations } from '../operations.js';

/** What is wrong, each as a sentence; empty for a sound program. */
export function checkProgram(program: Program): readonly string[] {
  const faults: string[] = [];
  program.nodes.forEach((node, k) => {
    if (node.id !== k) faults.push(`node ${k} has the id ${node.id}`);
    const { inputs, negates } = operations[node.op];
    if (node.inputs.length !== inputs) faults.push(`node ${k} has ${node.inputs.length} inputs`);
    node.inputs.forEach((input, n) => {
      if (input.negate && ((negates >> n) & 1) === 0) faults.push(`node ${k} cannot negate its input ${n}`);
    });
  });
  const owners = new Set<number>();
  const set = new Set(
    program.blocks.flatMap(({ stores }) => stores.map(({ to }) => (to.kind === 'address' ? to.vector : 0))),
  );
  for (const { inputs } of program.nodes)
    for (const input of inputs)
      if (input.kind === 'uniform' && input.address !== undefined && !set.has(input.address))
        faults.push(`address register ${input.address} is read and never set`);
  program.blocks.forEach((block, b) => {
    for (const id of block.nodes) {
      if (owners.has(id)) faults.push(`node ${id} is listed twice`);
      owners.add(id);
    }
    for (const fault of blockFaults(program, block)) faults.push(`block ${b}: ${fault}`);
  });
  return faults;
}

function* blockFaults(program: Program, block: Block): Generator<string> {
  const stored = new Set<string>();
  for (const { to } of block.stores) {
    const key =
      to.kind === 'register' ? `register ${to.register}` : `${to.kind} ${to.vector}.${to.component}`;
    if (stored.has(key)) yield `${key} is stored twice`;
    stored.add(key);
    if (to.kind === 'register' && program.registers.at(to.register) === undefined)
      yield `${key} does not exist`;
  }
  const known = new Set<number>();
  const faultOf = (value: Value): string | undefined => {
    switch (value.kind) {
      case 'node':
        return known.has(value.node) ? undefined : `node ${value.node} is read before it is there`;
      case 'register':
        if (program.registers.at(value.register) === undefined)
          return `register ${value.register} does not exist`;
        return value.stored && !stored.has(`register ${value.register}`)
          ? `register ${value.register} is read as stored and is not`
          : undefined;
      case 'temporary':
        return value.stored && !stored.has(`temporary ${value.vector}.${value.component}`)
          ? `temporary ${value.vector}.${value.component} is read as stored and is not`
          : undefined;
      case 'uniform':
        return value.vector < program.uniforms
          ? undefined
          : `uniform ${value.vector} is beyond the program's`;
      default:
        return undefined;
    }
  };
  for (const id of block.nodes) {
    if (program.nodes.at(id) === undefined) {
      yield `node ${id} does not exist`;
      continue;
    }
    for (const input of program.nodes[id].inputs) {
      const fault = faultOf(input);
      if (fault !== undefined) yield `node ${id}: ${fault}`;
    }
    known.add(id);
  }
  for (const { value } of block.stores) {
    const fault = faultOf(value);
    if (fault !== undefined) yield `a store: ${fault}`;
  }
  const { branch } = block;
  const fault = branch?.condition && faultOf(branch.condition);
  if (fault) yield `the branch: ${fault}`;
  if (branch !== undefined && (branch.target < 0 || branch.target >= program.blocks.length))
    yield `the branch goes to block ${branch.target}`;
}

import { IntList } from '../../ir/int-list.js';
import type { Listing } from '../target.js';
import type { GenCompilation, Program } from './compilation.js';
import { instructionText } from './text.js';

/**
 * The compiled program as text: directives that say what a dump leaves out, then the instructions with
 * hardware registers. Where nothing fitted, the program that went into allocation.
 */
export function listingOf(compilation: GenCompilation): Listing {
  const program = compilation.code ?? compilation.lowered;
  const lines: string[] = [];
  const source = new IntList(program.instructions.length + 16);
  const add = (line: string, instruction: number): void => {
    lines.push(line);
    source.push(instruction);
  };
  for (const line of header(program)) add(line, -1);
  const blocks = program.blockStart.length - 1;
  for (let block = 0; block < blocks; block++) {
    if (blocks > 1) add(blockLine(program, block), -1);
    for (let i = program.blockStart[block]; i < program.blockStart[block + 1]; i++) {
      const instruction = program.instructions[i];
      const text = instructionText({ program, source: compilation.source }, instruction);
      add(`${String(i).padStart(4)}: ${text}`, instruction.origin);
    }
  }
  return { lines, source: source.toArray() };
}

const modes: Readonly<Record<string, string>> = { '8': 'simd8', '16': 'simd16', '32': 'simd32' };

function header(program: Program): string[] {
  const { dialect, width, platform, phase, firstFree } = program;
  return [
    '.gen 1',
    `.target ${platform.name}`,
    `.mode ${dialect === 'vec4' ? 'simd4x2' : modes[String(width)]}`,
    `.phase ${phase}`,
    ...(firstFree > 0 ? [`.payload g0${firstFree > 1 ? `-g${firstFree - 1}` : ''}`] : []),
    ...(program.uniforms > 0 ? [`.uniforms ${program.uniforms}`] : []),
    `.grf_limit ${program.registerLimit}`,
  ];
}

function blockLine({ successors }: Program, block: number): string {
  const edges = successors[block].map((to) => ` ->B${to}`).join('');
  return `START B${block}${edges}`;
}

import type { Instruction, Operand, Program } from '../program.js';

/**
 * Watches the reserved pool of a program with Beignet's spill code (facts A.14, A.16): a pool register is valid for
 * one instruction, spill and unspill instructions not counted. A register of the pool that is read by an
 * instruction before which it was not loaded is taken to have survived from an earlier one, which it need not.
 * Instructions that leave the pool alone may stand between: Beignet's scheduler puts them there (facts A.17). Before
 * scheduling there are none, which the allocation checker proves.
 */
export class PoolWatch {
  readonly misuse: { readonly instruction: number; readonly message: string }[] = [];
  private readonly valid = new Set<number>();
  private isUsed = false;

  constructor(private readonly pool: NonNullable<Program['pool']>) {}

  see(instruction: Instruction, at: number): void {
    const { scratch } = instruction.opcode;
    if (scratch === 'read') {
      // The first reload behind an instruction begins the next one's.
      if (this.isUsed) this.valid.clear();
      this.isUsed = false;
      for (const g of this.poolRegisters(instruction.destinations.slice(0, 1))) this.valid.add(g);
      return;
    }
    const read = this.poolRegisters(instruction.sources);
    const written = this.poolRegisters(instruction.destinations);
    if (scratch === undefined && read.length + written.length === 0) return;
    for (const g of read)
      if (!this.valid.has(g) || (this.isUsed && scratch === undefined))
        this.misuse.push({
          instruction: at,
          message: `g${g} of the spill pool is read by an instruction that did not load it`,
        });
    if (scratch === 'write') return;
    this.valid.clear();
    this.isUsed = true;
    for (const g of written) this.valid.add(g);
  }

  private poolRegisters(operands: readonly Operand[]): readonly number[] {
    const { first, count } = this.pool;
    return operands.flatMap((operand) =>
      operand.file === 'grf' && operand.grf >= first && operand.grf < first + count ? [operand.grf] : [],
    );
  }
}

/**
 * The values and registers of one unit by number, in order of appearance, so that whoever comes after the parser
 * looks them up by index and hashes no text. Names are compared in the text itself; each becomes one string. An
 * open-addressing table at most half full.
 */
export class NameTable {
  private slots = new Int32Array(64).fill(-1);
  private readonly hashes: number[] = [];
  /** By number, with the sign: `%x`, `@r`, `$3.x`. */
  readonly texts: string[] = [];

  constructor(private readonly text: string) {}

  /** Number of the name that stands from `start` to `end`. */
  number(start: number, end: number): number {
    let hash = end - start;
    for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + this.text.charCodeAt(i)) | 0;
    const slot = this.slotOf(hash, this.text, start, end);
    const known = this.slots[slot];
    return known >= 0 ? known : this.add(slot, hash, this.text.slice(start, end));
  }

  /** Number of a name, or -1 where it does not stand in the unit. */
  find(name: string): number {
    let hash = name.length;
    for (let i = 0; i < name.length; i++) hash = (Math.imul(hash, 31) + name.charCodeAt(i)) | 0;
    return this.slots[this.slotOf(hash, name, 0, name.length)];
  }

  /** Where the name is, or where it belongs. */
  private slotOf(hash: number, text: string, start: number, end: number): number {
    const mask = this.slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (;;) {
      const known = this.slots[slot];
      if (known < 0 || (this.hashes[known] === hash && isAt(text, start, end, this.texts[known])))
        return slot;
      slot = (slot + 1) & mask;
    }
  }

  private add(slot: number, hash: number, name: string): number {
    const number = this.texts.push(name) - 1;
    this.hashes.push(hash);
    this.slots[slot] = number;
    if (2 * this.texts.length > this.slots.length) this.grow();
    return number;
  }

  private grow(): void {
    const slots = new Int32Array(4 * this.slots.length).fill(-1);
    const mask = slots.length - 1;
    for (let number = 0; number < this.hashes.length; number++) {
      const hash = this.hashes[number];
      let slot = (hash ^ (hash >>> 15)) & mask;
      while (slots[slot] >= 0) slot = (slot + 1) & mask;
      slots[slot] = number;
    }
    this.slots = slots;
  }
}

function isAt(text: string, start: number, end: number, name: string): boolean {
  if (name.length !== end - start) return false;
  for (let i = 0; i < name.length; i++) if (text.charCodeAt(start + i) !== name.charCodeAt(i)) return false;
  return true;
}

/** An operation's head in the lowered function's canonical order: `add(16) sat pred=+f0.1 nomask`. */
export interface Head {
  readonly name: string;
  readonly width: number;
  readonly saturates?: boolean;
  /** `l.v`, `nz.f0.1` */
  readonly condition?: string | undefined;
  /** `+v`, `-f0.1.any8h` */
  readonly predicate?: string | undefined;
  readonly noMask?: boolean;
  readonly group?: number;
  readonly writesAccumulator?: boolean;
  readonly target?: number | undefined;
}

export function headText(head: Head): string {
  let text = `${head.name}(${head.width})`;
  if (head.saturates === true) text += ' sat';
  if (head.condition !== undefined) text += ` cond=${head.condition}`;
  if (head.predicate !== undefined) text += ` pred=${head.predicate}`;
  if (head.noMask === true) text += ' nomask';
  if (head.group !== undefined && head.group > 0) text += ` group=${head.group}`;
  if (head.writesAccumulator === true) text += ' AccWrEn';
  if (head.target !== undefined) text += ` target=${head.target}`;
  return text;
}

/** f0.0, f0.1, f1.0, f1.1 by number. */
export const flagText = (flag: number): string => `f${flag >> 1}.${flag & 1}`;

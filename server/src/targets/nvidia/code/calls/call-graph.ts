import type { Function } from '../../../../ir/function.js';
import { callSite, isCall } from './sites.js';

/** More functions than that are not looked into: what they call is taken as outside of the module. */
const MOST_FUNCTIONS = 2000;
const MOST_INSTRUCTIONS = 400_000;

/** Functions that call each other in a ring, or one by itself. */
export interface Component {
  readonly names: readonly string[];
  readonly isRecursive: boolean;
}

/**
 * The components of what `roots` reach, those that are called before those that call them (Tarjan, with a stack of
 * its own: a chain of calls may be long). `functionOf` is asked once for each name.
 */
export function componentsOf(
  roots: readonly string[],
  functionOf: (name: string) => Function | undefined,
): Component[] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const walk: { readonly name: string; readonly calls: readonly string[]; next: number }[] = [];
  const components: Component[] = [];
  let instructions = 0;

  const enter = (name: string): void => {
    low.set(name, order.size);
    order.set(name, order.size);
    open.push(name);
    isOpen.add(name);
    const isTooMuch = order.size > MOST_FUNCTIONS || instructions > MOST_INSTRUCTIONS;
    const f = isTooMuch ? undefined : functionOf(name);
    instructions += f?.instructionCount ?? 0;
    walk.push({ name, calls: f === undefined ? [] : calledBy(f), next: 0 });
  };
  const lower = (name: string, value: number): void => {
    if (value < low.get(name)!) low.set(name, value);
  };
  const leave = (name: string, callsItself: boolean): void => {
    walk.pop();
    const caller = walk.at(-1);
    if (caller !== undefined) lower(caller.name, low.get(name)!);
    if (low.get(name) !== order.get(name)) return;
    const names = open.splice(open.lastIndexOf(name));
    for (const member of names) isOpen.delete(member);
    components.push({ names, isRecursive: names.length > 1 || callsItself });
  };

  for (const root of roots) {
    if (order.has(root)) continue;
    enter(root);
    for (let frame = walk.at(-1); frame !== undefined; frame = walk.at(-1)) {
      if (frame.next === frame.calls.length) {
        leave(frame.name, frame.calls.includes(frame.name));
        continue;
      }
      const called = frame.calls[frame.next++];
      if (!order.has(called)) enter(called);
      else if (isOpen.has(called)) lower(frame.name, order.get(called)!);
    }
  }
  return components;
}

/** The names of the functions that `f` calls, each once. */
export function calledBy(f: Function): readonly string[] {
  const names = new Set<string>();
  for (let i = 0; i < f.instructionCount; i++) if (isCall(f, i)) names.add(callSite(f, i).callee);
  names.delete('');
  return [...names];
}

import type { MachineCode, Mechanism, Modelled } from './code.js';

/**
 * Code that machines have in common. A pass knows of the machine what it asks, and most code gives it no reason to ask
 * for what tells one machine from another: what comes out then holds for all of them. One kernel often stands in several
 * files, each for another machine, or is compared on several.
 */
export class SharedCode {
  private readonly known = new WeakMap<MachineCode, Known[]>();

  /** What `make` makes of `from`, once for all contexts that answer its questions alike. */
  of(from: MachineCode, context: Modelled, make: (context: Modelled) => MachineCode): MachineCode {
    const known = this.known.get(from) ?? [];
    this.known.set(from, known);
    const found = known.find(({ answers }) => isAnsweredBy(answers, context));
    if (found !== undefined) return found.code;
    const questions = new Questions(context);
    const code = make(questions);
    known.push({ answers: questions.answers, code });
    return code;
  }
}

type Answers = ReadonlyMap<Mechanism | number, boolean>;

interface Known {
  /** What was asked on the way, mechanisms and capabilities. */
  readonly answers: Answers;
  readonly code: MachineCode;
}

const ask = (context: Modelled, question: Mechanism | number): boolean =>
  typeof question === 'number' ? context.isSince(question) : context.has(question);

function isAnsweredBy(answers: Answers, context: Modelled): boolean {
  for (const [question, answer] of answers) if (ask(context, question) !== answer) return false;
  return true;
}

/** A context that remembers what it was asked. */
class Questions implements Modelled {
  readonly answers = new Map<Mechanism | number, boolean>();

  constructor(private readonly context: Modelled) {}

  has(mechanism: Mechanism): boolean {
    return this.answer(mechanism);
  }

  isSince(capability: number): boolean {
    return this.answer(capability);
  }

  private answer(question: Mechanism | number): boolean {
    let answer = this.answers.get(question);
    if (answer === undefined) this.answers.set(question, (answer = ask(this.context, question)));
    return answer;
  }
}

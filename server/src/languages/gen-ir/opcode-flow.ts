import { FlowKind } from './flow.js';

/** Control flow by mnemonic. */
const kinds: Readonly<Record<string, FlowKind | undefined>> = {
  if: FlowKind.If,
  else: FlowKind.Else,
  endif: FlowKind.EndIf,
  do: FlowKind.Do,
  while: FlowKind.While,
  break: FlowKind.Break,
  cont: FlowKind.Continue,
  continue: FlowKind.Continue,
  jmpi: FlowKind.Jump,
};

export const flowKindOf = (mnemonic: string): FlowKind =>
  mnemonic.length <= 8 && Object.hasOwn(kinds, mnemonic) ? (kinds[mnemonic] ?? FlowKind.None) : FlowKind.None;

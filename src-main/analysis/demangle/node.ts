/** What a mangled C++ name stands for, as far as printing it needs. */
export type Node =
  | { readonly kind: 'text'; readonly text: string }
  /** Parts of an expression, printed one after the other. */
  | { readonly kind: 'parts'; readonly parts: readonly (string | Node)[] }
  | { readonly kind: 'nested'; readonly scope: Node; readonly name: Node }
  | { readonly kind: 'template'; readonly name: Node; readonly args: readonly Node[] }
  | { readonly kind: 'structor'; readonly of: Node; readonly isDestructor: boolean }
  | { readonly kind: 'conversion'; readonly type: Node }
  | { readonly kind: 'tagged'; readonly name: Node; readonly tag: string }
  | { readonly kind: 'lambda'; readonly params: readonly Node[]; readonly number: number }
  /** A parameter of a template that was used before it was known, or of a generic lambda. */
  | {
      readonly kind: 'param';
      readonly index: number;
      readonly isOfLambda: boolean;
      value: Node | undefined;
    }
  | { readonly kind: 'pack'; readonly items: readonly Node[] }
  | { readonly kind: 'expansion'; readonly of: Node }
  /** `*`, `&`, `&&`. */
  | { readonly kind: 'pointer'; readonly to: Node; readonly mark: '*' | '&' | '&&' }
  /** ` const`, ` volatile`, ` _Complex`: words behind a type. */
  | { readonly kind: 'qualified'; readonly type: Node; readonly words: string }
  | { readonly kind: 'member-pointer'; readonly scope: Node; readonly member: Node }
  | { readonly kind: 'array'; readonly of: Node; readonly size: Node | undefined }
  | {
      readonly kind: 'function';
      readonly result: Node | undefined;
      readonly params: readonly Node[];
      /** ` const &`, ` noexcept`. */
      readonly suffix: string;
    }
  /** A function or variable; `type` where it is a function. */
  | { readonly kind: 'encoding'; readonly name: Node; readonly type: FunctionType | undefined };

export type FunctionType = Extract<Node, { kind: 'function' }>;

export type Param = Extract<Node, { kind: 'param' }>;

/** Letters as they are. */
export const text = (value: string): Node => ({ kind: 'text', text: value });

/** Nodes printed one after the other. */
export const parts = (...values: readonly (string | Node)[]): Node => ({
  kind: 'parts',
  parts: values,
});

/** The name of the class itself, which a constructor repeats. */
export function baseName(node: Node): Node {
  if (node.kind === 'nested') return baseName(node.name);
  if (node.kind === 'template' || node.kind === 'tagged') return baseName(node.name);
  return node;
}

/** The syntax tree of a source, as `parseAst` of rolldown gives it, for the checks that look for calls and texts. */

export type Node = Readonly<Record<string, unknown>> & { readonly type: string; readonly start: number; readonly end: number }

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && "start" in value && "end" in value

export const nodesIn = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isNode) : [])

/** The text of a literal; undefined for anything else. */
export const literalText = (value: unknown): string | undefined =>
  isNode(value) && value.type === "Literal" && typeof value["value"] === "string" ? value["value"] : undefined

/** The texts of a template literal between its holes. */
export const templateTexts = (literal: Node): readonly string[] =>
  nodesIn(literal["quasis"]).map(({ value }) =>
    typeof value === "object" && value !== null && "cooked" in value ? String(value.cooked) : "",
  )

export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length

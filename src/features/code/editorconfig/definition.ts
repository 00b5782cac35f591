import { refuse } from "../../../core/errors.ts"
import { record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { partsToRead } from "../contents/paths.ts"
import { type RevisionView, repositoryOf } from "../contents/present.ts"
import { openProperties } from "./properties.ts"

/** The EditorConfig properties of one file. Unset properties are absent. */
export const EditorConfigDefinition = record("EditorConfigDefinition", {
  charset: Type.Optional(Type.String()),
  indent_style: Type.Optional(Type.String()),
  indent_size: Type.Optional(Type.String({ description: "a number, or tab" })),
  tab_width: Type.Optional(Type.String()),
  end_of_line: Type.Optional(Type.String()),
  trim_trailing_whitespace: Type.Optional(Type.String()),
  insert_final_newline: Type.Optional(Type.String()),
})
export type EditorConfigDefinition = Static<typeof EditorConfigDefinition>

const NAMES = [
  "charset",
  "indent_style",
  "indent_size",
  "tab_width",
  "end_of_line",
  "trim_trailing_whitespace",
  "insert_final_newline",
] as const

/** The longest path, in characters: matching time grows with the product of both. */
const LONGEST_PATH = 1024

/**
 * The properties of a file from the .editorconfig files from the root down to its directory; nearer ones win. The file itself need not exist.
 * Refuses `notFound` if there is no .editorconfig among them.
 */
export async function definitionFor(view: RevisionView, path: string): Promise<EditorConfigDefinition> {
  const parts = partsToRead(path)
  if (parts.length === 0 || path.length > LONGEST_PATH) throw refuse.notFound()
  const said = await openProperties(view.services.git, repositoryOf(view), view.revision.commit.tree)(parts)
  if (!said) throw refuse.notFound()
  const known = NAMES.flatMap((name) => {
    const value = said.get(name)
    return value === undefined || value === "unset" ? [] : [[name, value]]
  })
  return Object.fromEntries(known)
}

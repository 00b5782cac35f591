import { LONGEST_MARKUP } from "../../../core/markup/markup.ts"
import { oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

export const MODES = ["markdown", "gfm", "comment", "wiki", "file"] as const

const markdown = {
  Text: Type.Optional(Type.String({ formerly: "text", maxLength: LONGEST_MARKUP })),
  Mode: Type.Optional(
    oneOf([...MODES, ""], {
      formerly: "mode",
      description:
        "what the text is: `markdown` completes no links; `gfm` is a file of a repository; `comment` keeps line feeds; `wiki` is a page of a wiki; `file` is read as FilePath says",
    }),
  ),
  Context: Type.Optional(
    Type.String({
      formerly: "context",
      maxLength: 1000,
      description: "what links are relative to: /owner/repo, or /owner/repo/src/branch/NAME with a folder, or the address of one of them",
    }),
  ),
  Wiki: Type.Optional(Type.Boolean({ formerly: "wiki", description: "the older form of the mode `wiki`" })),
}

export const MarkdownOption = record("MarkdownOption", markdown)
export type MarkdownOption = Static<typeof MarkdownOption>

export const MarkupOption = record("MarkupOption", {
  ...markdown,
  FilePath: Type.Optional(
    Type.String({ formerly: "filePath", maxLength: 4096, description: "of the file in its repository; its end tells the kind of text" }),
  ),
})
export type MarkupOption = Static<typeof MarkupOption>

import { signedIn } from "../../../access/policies/site.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { renderMarkdown, renderTable } from "../../../core/markup/markup.ts"
import type { Rendering } from "../../../core/markup/rendering.ts"
import { type Operation, operation, type Sent } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { placeOf } from "./context.ts"
import { MarkdownOption, MarkupOption } from "./records.ts"
import { resolverFor } from "./resolve.ts"

interface Call {
  readonly services: Services
  readonly db: Handle
  readonly actor: Actor
}

const STYLES = { gfm: "document", file: "document", comment: "comment", wiki: "wiki" } as const

/** How a text is to be rendered. Any context may be named: only what the reader may see is looked up. */
function renderingOf({ services, db, actor }: Call, { Mode, Context = "", Wiki, FilePath = "" }: MarkupOption): Rendering {
  const { rootUrl } = services.site
  const mode = Wiki ? "wiki" : Mode || "markdown"
  if (mode === "markdown") return { style: "plain", rootUrl }
  return { style: STYLES[mode], rootUrl, ...placeOf(rootUrl, mode, Context, FilePath), resolve: resolverFor(services, db, actor) }
}

const MARKDOWN_FILE = /\.(?:md|markdown|mdown|mkd|livemd)$/i
const TABLE_FILE = /\.(?:csv|(tsv))$/i

async function renderFile(call: Call, body: MarkupOption): Promise<string> {
  const { Text = "", FilePath = "" } = body
  if (MARKDOWN_FILE.test(FilePath)) return renderMarkdown(Text, renderingOf(call, body))
  const table = TABLE_FILE.exec(FilePath)
  if (table) return renderTable(Text, table[1] === undefined ? "," : "\t")
  throw refuse.invalid("FilePath", "must end in one of .md, .markdown, .mdown, .mkd, .livemd, .csv, .tsv")
}

/** Whoever opens the answer as a page gets one where nothing runs and nothing is loaded. */
const HEADERS = { "content-type": "text/html; charset=utf-8", "content-security-policy": "default-src 'none'; sandbox" } as const

const html = (body: string): Sent<200, string> => ({ status: 200, body, headers: HEADERS })

const rendering = {
  tag: "miscellaneous",
  scope: [],
  access: signedIn,
  answers: { 200: Type.String({ description: "HTML" }) },
} as const

export const markupOperations: readonly Operation[] = [
  operation({
    ...rendering,
    id: "renderMarkdown",
    route: "POST /markdown",
    summary: "Render a text in Markdown as HTML",
    description: "Issues, people and commits that the caller may see become links. Very long texts come out as they are written.",
    body: MarkdownOption,
    handle: async ({ body, ...call }) => html(await renderMarkdown(body.Text ?? "", renderingOf(call, body))),
  }),

  operation({
    ...rendering,
    id: "renderMarkdownRaw",
    route: "POST /markdown/raw",
    summary: "Render the body in Markdown as HTML",
    description: "The body is the text itself, whatever its content type. Nothing in it is completed or looked up.",
    body: Type.String(),
    handle: async ({ body, ...call }) => html(await renderMarkdown(body, renderingOf(call, {}))),
  }),

  operation({
    ...rendering,
    id: "renderMarkup",
    route: "POST /markup",
    summary: "Render a file as HTML",
    description: "In the mode `file` the name of the file tells its kind: Markdown, or a table of comma- or tab-separated values.",
    body: MarkupOption,
    handle: async ({ body, ...call }) =>
      html(
        body.Mode === "file" && !body.Wiki ? await renderFile(call, body) : await renderMarkdown(body.Text ?? "", renderingOf(call, body)),
      ),
  }),
]

import { type OnRepository, onRepositorySignedIn } from "../../../access/policies/repositories.ts"
import { signedIn } from "../../../access/policies/site.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { LONGEST_MARKUP, renderMarkdown, renderTable } from "../../../core/markup/markup.ts"
import type { Rendering } from "../../../core/markup/rendering.ts"
import { type Operation, operation, type Sent } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { contextIn, readContext } from "./context.ts"
import { MarkdownOption, MarkupOption } from "./records.ts"
import { resolverFor } from "./resolve.ts"

interface Call {
  readonly services: Services
  readonly db: Handle
  readonly actor: Actor
  /** The repository that the text is rendered in, where it is rendered in one. */
  readonly on?: OnRepository
}

const STYLES = { gfm: "document", file: "document", comment: "comment", wiki: "wiki" } as const

/** How a text is to be rendered. Any context may be named: only what the reader may see is looked up. */
function renderingOf({ services, db, actor, on }: Call, { Mode, Context = "", Wiki, FilePath = "" }: MarkupOption): Rendering {
  const { rootUrl } = services.site
  const mode = Wiki ? "wiki" : Mode || "markdown"
  if (mode === "markdown") return { style: "plain", rootUrl }
  const context = on ? contextIn(rootUrl, { owner: on.owner.name, name: on.repository.name }, Context) : Context
  return { style: STYLES[mode], rootUrl, ...readContext(rootUrl, mode, context, FilePath), resolve: resolverFor(services, db, actor) }
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

/** Opened as a page, the answer runs and loads nothing. */
const HEADERS = { "content-type": "text/html; charset=utf-8", "content-security-policy": "default-src 'none'; sandbox" } as const

const html = (body: string): Sent<200, string> => ({ status: 200, body, headers: HEADERS })

const markdownOf = async (call: Call, body: MarkdownOption) => html(await renderMarkdown(body.Text ?? "", renderingOf(call, body)))
const rawOf = async (call: Call, body: string) => html(await renderMarkdown(body, renderingOf(call, {})))
const markupOf = async (call: Call, body: MarkupOption) =>
  body.Mode === "file" && !body.Wiki ? html(await renderFile(call, body)) : markdownOf(call, body)

const answers = { 200: Type.String({ description: "HTML" }) } as const

const MARKDOWN = {
  description: "Issues, people and commits that the caller may see become links. Very long texts come out as they are written.",
  body: MarkdownOption,
  answers,
} as const
const RAW = {
  description: "The body is the text itself, whatever its content type. Nothing in it is completed or looked up.",
  body: Type.String({ maxLength: LONGEST_MARKUP }),
  answers,
} as const
const MARKUP = {
  description: "In the mode `file` the name of the file tells its kind: Markdown, or a table of comma- or tab-separated values.",
  body: MarkupOption,
  answers,
} as const

const anywhere = { tag: "miscellaneous", scope: [], access: signedIn, changesNothing: true } as const
/** Relative to the repository, whatever the context says of others. */
const inRepository = { tag: "repository", scope: ["repository"], access: onRepositorySignedIn, changesNothing: true } as const
const REPOSITORY = "/repos/{owner}/{repo}"

export const markupOperations: readonly Operation[] = [
  operation({
    ...anywhere,
    ...MARKDOWN,
    id: "renderMarkdown",
    since: "0.2.0",
    route: "POST /markdown",
    summary: "Render a text in Markdown as HTML",
    handle: ({ body, ...call }) => markdownOf(call, body),
  }),
  operation({
    ...anywhere,
    ...RAW,
    id: "renderMarkdownRaw",
    since: "0.2.0",
    route: "POST /markdown/raw",
    summary: "Render the body in Markdown as HTML",
    handle: ({ body, ...call }) => rawOf(call, body),
  }),
  operation({
    ...anywhere,
    ...MARKUP,
    id: "renderMarkup",
    since: "0.2.0",
    route: "POST /markup",
    summary: "Render a file as HTML",
    handle: ({ body, ...call }) => markupOf(call, body),
  }),

  operation({
    ...inRepository,
    ...MARKDOWN,
    id: "repoRenderMarkdown",
    since: "0.2.0",
    route: `POST ${REPOSITORY}/markdown`,
    summary: "Render a text in Markdown as HTML, in a repository",
    handle: ({ body, ...call }) => markdownOf({ ...call, on: call }, body),
  }),
  operation({
    ...inRepository,
    ...RAW,
    id: "repoRenderMarkdownRaw",
    since: "0.2.0",
    route: `POST ${REPOSITORY}/markdown/raw`,
    summary: "Render the body in Markdown as HTML, in a repository",
    handle: ({ body, ...call }) => rawOf({ ...call, on: call }, body),
  }),
  operation({
    ...inRepository,
    ...MARKUP,
    id: "repoRenderMarkup",
    since: "0.2.0",
    route: `POST ${REPOSITORY}/markup`,
    summary: "Render a file as HTML, in a repository",
    handle: ({ body, ...call }) => markupOf({ ...call, on: call }, body),
  }),
]

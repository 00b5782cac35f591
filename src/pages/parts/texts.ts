import { hash } from "node:crypto"
import { LRUCache } from "lru-cache"
import type { Owned } from "../../access/permission.ts"
import type { Actor } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { type Html, html, trusted } from "../../core/html.ts"
import { distinctAnchors, withDistinctAnchors } from "../../core/markup/anchors.ts"
import { forPage } from "../../core/markup/for-page.ts"
import { renderHtml, renderMarkdown } from "../../core/markup/markup.ts"
import { piecesOf } from "../../core/markup/mentions.ts"
import { type Mention, MOST_MENTIONS, type Rendering, type Resolve, type Style, type Target } from "../../core/markup/rendering.ts"
import type { Services } from "../../core/services.ts"
import { escapePath } from "../../core/text/escape-path.ts"
import { resolverFor } from "../../features/planning/markup/resolve.ts"
import { path } from "../../web/address.ts"
import { type Ticks, withBoxes } from "./task-boxes.ts"

/** Texts in Markdown as pages show them. */

interface Call extends Owned {
  readonly services: Services
  readonly db: Handle
  readonly actor: Actor
}

export interface TextContext {
  readonly style: Style
  /** For files: the revision, like `branch/main`, and the folder that the file is in. */
  readonly file?: { readonly at: string; readonly folder: string }
  /** The texts are one document, in which equal headings need anchors of their own. */
  readonly isOneDocument?: boolean
  /** Where the boxes of the text at this place are ticked; undefined where the reader may not. */
  readonly ticks?: (at: number) => Ticks | undefined
}

/** A rendered text, with what it mentions and what that led to: it is the same for every reader for whom all of that leads to the same. */
interface Rendered {
  readonly mentions: readonly Mention[]
  /** As JSON, in the order of the mentions. */
  readonly targets: string
  readonly html: string
}

const MOST_BYTES = 16 * 1024 * 1024

const cache = new LRUCache<string, Rendered>({
  maxSize: MOST_BYTES,
  sizeCalculation: ({ html: made, targets }, key) => key.length + 2 * (made.length + targets.length) + 500,
})

/** How many UTF-16 units the texts of a page may have together; and how many a longer one has that comes after so much. */
const MOST_TOGETHER = 2 * 1024 * 1024
const SHORTENED = 2000

/** The texts, of which those that would make the page too large are cut. */
function withinPage(texts: readonly string[]): readonly { readonly text: string; readonly isCut: boolean }[] {
  let sum = 0
  return texts.map((text) => {
    const isCut = sum + text.length > MOST_TOGETHER && text.length > SHORTENED && texts.length > 1
    const shown = isCut ? `${text.slice(0, SHORTENED).toWellFormed()}…` : text
    sum += shown.length
    return { text: shown, isCut }
  })
}

const CUT = html`<p class="muted small">The rest is too long to show.</p>`

/**
 * Texts of a repository, in the order given; an empty one gives nothing. What they mention is looked up for all of them together, so that the number of
 * queries doesn't grow with them. Long ones are cut where all together are too much for a page. What was rendered before is not rendered again as long as what it mentions leads to the same.
 */
export async function renderTexts(
  { services, db, actor, owner, repository }: Call,
  given: readonly string[],
  context: TextContext = { style: "comment" },
): Promise<readonly Html[]> {
  const shown = withinPage(given)
  const texts = shown.map(({ text }) => text)
  const rendering = renderingIn(services, { owner, repository }, context)
  const keys = texts.map(
    (text) => `${rendering.style} ${JSON.stringify(rendering.links)} ${rendering.pictureKey ?? "-"} ${hash("sha256", text, "base64url")}`,
  )
  const wanted = new Map<string, Wanted>()
  for (const [at, text] of texts.entries()) {
    const key = keys[at] ?? ""
    if (text.trim() !== "" && !wanted.has(key)) wanted.set(key, { text, before: cache.get(key) })
  }
  const targets = targetsBy(resolverFor(services, db, actor))
  await targets.find([...wanted.values()].flatMap(({ text, before }) => before?.mentions ?? named(text, rendering)))
  const made = new Map<string, Rendered>()
  for (const [key, { text, before }] of wanted) {
    const isSame = before !== undefined && before.targets === targets.text(before.mentions)
    made.set(key, isSame ? before : await render(text, rendering, targets))
  }
  // What names things in other ways than as words, such as by their addresses, is known only now.
  await targets.find([...made.values()].flatMap(({ mentions }) => mentions))
  for (const [key, { text }] of wanted) {
    const rendered = made.get(key)
    if (rendered && rendered.targets !== targets.text(rendered.mentions)) made.set(key, await render(text, rendering, targets))
  }
  for (const [key, rendered] of made) if (cache.get(key) !== rendered) cache.set(key, rendered)
  // The API leaves equal anchors as they are.
  const distinct = distinctAnchors()
  return keys.map((key, at) => {
    const rendered = made.get(key)
    if (!rendered) return html``
    const ticks = context.ticks?.(at)
    const boxed = withBoxes(rendered.html, ticks)
    return html`
      <div class="prose" dir="auto">
        ${trusted(withDistinctAnchors(boxed.html, context.isOneDocument ? distinct : distinctAnchors()))}
        ${shown[at]?.isCut === true && CUT}${boxed.form}
      </div>
    `
  })
}

interface Wanted {
  readonly text: string
  readonly before: Rendered | undefined
}

function renderingIn(services: Services, { owner, repository }: Owned, { style, file }: TextContext): Rendering {
  const { rootUrl } = services.site
  const home = `${rootUrl}${path(owner.name, repository.name)}`
  const links =
    style === "wiki"
      ? { pages: `${home}/wiki`, media: `${home}/wiki/raw`, folder: "" }
      : file
        ? { pages: `${home}/src/${file.at}`, media: `${home}/media/${file.at}`, folder: escapePath(file.folder) }
        : { pages: home, media: home, folder: "" }
  return { ...forPage(services), style, rootUrl, links, home: { owner: owner.name, name: repository.name } }
}

/** HTML that someone else made, such as what a program wrote into a notebook. */
export async function renderForeignHtml(call: Call, text: string, context: TextContext): Promise<Html> {
  return html`<div class="prose" dir="auto">${trusted(await renderHtml(text, renderingIn(call.services, call, context)))}</div>`
}

/** One text, see `renderTexts`. */
export async function renderText(call: Call, text: string, context: TextContext): Promise<Html> {
  const [rendered] = await renderTexts(call, [text], context)
  return rendered ?? html``
}

/** A text that belongs to no repository, such as what people write about themselves. */
export async function renderPlainText(
  services: Services,
  db: Handle,
  actor: Actor,
  text: string,
  style: "comment" | "document" = "comment",
): Promise<Html> {
  const { rootUrl } = services.site
  const links = { pages: rootUrl, media: rootUrl, folder: "" }
  const made = await renderMarkdown(text, { ...forPage(services), style, rootUrl, links, resolve: resolverFor(services, db, actor) })
  return html`<div class="prose" dir="auto">${trusted(withBoxes(made).html)}</div>`
}

/** What the words of a text name, and perhaps more: some of them may stand in code. */
const named = (text: string, rendering: Rendering): readonly Mention[] =>
  piecesOf(text, MOST_MENTIONS, rendering).flatMap((piece) => (piece.kind === "mention" ? piece.mention : []))

async function render(text: string, rendering: Rendering, targets: Targets): Promise<Rendered> {
  let mentions: readonly Mention[] = []
  const made = await renderMarkdown(text, {
    ...rendering,
    resolve: async (asked) => {
      mentions = asked
      return asked.map(targets.of)
    },
  })
  return { mentions, targets: targets.text(mentions), html: made }
}

/** What mentions lead to, as far as it was looked up. */
interface Targets {
  /** Looks up those that were not yet, all at once. */
  readonly find: (mentions: readonly Mention[]) => Promise<void>
  readonly of: (mention: Mention) => Target | undefined
  /** What they lead to, as a text that can be compared. */
  readonly text: (mentions: readonly Mention[]) => string
}

/** The most mentions of one page that are looked up; further ones stay text. */
const MOST_LOOKED_UP = 500

const keyOf = (mention: Mention): string => JSON.stringify(Object.entries(mention).sort(([one], [other]) => (one < other ? -1 : 1)))

function targetsBy(resolve: Resolve): Targets {
  const known = new Map<string, Target | undefined>()
  const of = (mention: Mention): Target | undefined => known.get(keyOf(mention))
  return {
    find: async (mentions) => {
      const distinct = new Map(mentions.map((mention) => [keyOf(mention), mention]))
      const asked = [...distinct].filter(([key]) => !known.has(key)).slice(0, Math.max(0, MOST_LOOKED_UP - known.size))
      const found = asked.length === 0 ? [] : await resolve(asked.map(([, mention]) => mention))
      for (const [at, [key]] of asked.entries()) known.set(key, found[at])
    },
    of,
    text: (mentions) => JSON.stringify(mentions.map((mention) => of(mention) ?? null)),
  }
}

import type { Actor } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { Refusal } from "../../core/errors.ts"
import { plainCode } from "../../core/highlight/invisible.ts"
import { withMarks } from "../../core/highlight/marks.ts"
import { type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import type { Page } from "../../core/operation.ts"
import type { Reader } from "../../core/page.ts"
import { oneOf } from "../../core/record.ts"
import Type, { type Static, type TObject } from "../../core/schema.ts"
import { escapePath } from "../../core/text/escape-path.ts"
import type { CodeSearch } from "../../features/code/search/candidates-store.ts"
import { type FoundCode, type FoundFile, searchCode } from "../../features/code/search/search.ts"
import { inTurn } from "../../features/code/search/turns.ts"
import { type CodeAt, searchCommit } from "../../features/code/search/without-index.ts"
import { MODES, type Mode, withLanguage } from "../../features/code/search/words.ts"
import { path, withQuery } from "../../web/address.ts"
import { choices, dot, empty, filterForm, notice, pager } from "../../web/components.ts"
import { icon } from "../../web/icon.ts"
import { languageColor } from "../../web/language-colors.ts"
import { sentence, withoutField } from "../../web/problem.ts"
import { count, plural } from "../../web/time.ts"

/** Searches in code as pages show them: of everything, of an owner, of a repository. */

/** What an address may say. `l` is the language in older links, and `fuzzy` was a mode. */
export const codeSearchFields = {
  q: Type.Optional(Type.String()),
  l: Type.Optional(Type.String()),
  search_mode: Type.Optional(oneOf([...MODES, "fuzzy"])),
  case: Type.Optional(Type.Boolean()),
}

interface Call {
  readonly db: Handle
  readonly actor: Actor
  readonly query: Static<TObject<typeof codeSearchFields>>
  readonly page: Page
  readonly reader: Reader
}

interface SearchScope extends Pick<CodeSearch, "repositoryId" | "ownerId"> {
  /** In place of the default branches: a revision of the one repository, which has no index. */
  readonly at?: CodeAt
}

interface Asked {
  readonly q: string
  readonly mode: Mode
  readonly isCaseSensitive: boolean
}

const askedOf = ({ q = "", l, search_mode = "exact", case: isCaseSensitive = false }: Call["query"]): Asked => ({
  q: l === undefined || l === "" ? q : withLanguage(q, l),
  mode: search_mode === "fuzzy" ? "words" : search_mode,
  isCaseSensitive,
})

interface Result {
  /** Undefined where nothing was sought. */
  readonly found: FoundCode | undefined
  /** What is wrong with the query. */
  readonly fault: Text | undefined
}

async function find({ db, actor, page }: Call, { q, ...how }: Asked, scope: SearchScope): Promise<Result> {
  if (q.trim() === "") return { found: undefined, fault: undefined }
  try {
    const { at, ...within } = scope
    const search = () => (at ? searchCommit(at, { q, ...how }, page) : searchCode(db, actor, { q, ...how, ...within }, page))
    return { found: await inTurn(search), fault: undefined }
  } catch (error) {
    // A query that can't be read is for the person to change; it is no fault of the page.
    if (error instanceof Refusal && error.kind === "invalid" && error.field === "q")
      return { found: undefined, fault: t("The query {reason}", { reason: withoutField(error.said) }) }
    throw error
  }
}

/** What a count on a tab may read: the tab itself reads more. */
const COUNTED = { files: 300, size: 4 * 1024 * 1024, milliseconds: 150 }

/** How many files match, for a tab: at least so many, where there is more to be read. Nothing for a query that can't be read. */
export async function countCode({ db, actor, query }: Pick<Call, "db" | "actor" | "query">, scope: SearchScope = {}) {
  const { q, ...how } = askedOf(query)
  const { at, ...within } = scope
  if (q.trim() === "" || at) return {}
  try {
    const { total, isPartial } = await inTurn(() =>
      searchCode(db, actor, { q, ...how, ...within }, { limit: 0, offset: Number.MAX_SAFE_INTEGER }, COUNTED),
    )
    return { count: total, isAtLeast: isPartial }
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) return {}
    throw error
  }
}

export interface CodeSearchOptions {
  /** The path of the page. */
  readonly action: string
  /** Further values of the query that the form keeps. */
  readonly keep?: Readonly<Record<string, string>>
  readonly scope?: SearchScope
  readonly placeholder?: Text
  /** What stands between the field and what was found. */
  readonly below?: Html
}

/** The field, what is wrong with the query, and the files that were found. */
export async function codeSearch(
  call: Call,
  { action, keep = {}, scope = {}, placeholder = t("Search code"), below }: CodeSearchOptions,
): Promise<Html> {
  const asked = askedOf(call.query)
  const { found, fault } = await find(call, asked, scope)
  const form = filterForm(action, asked.q, placeholder, {
    ...keep,
    search_mode: asked.mode === "exact" ? undefined : asked.mode,
    case: asked.isCaseSensitive ? "1" : undefined,
  })
  const url = withQuery(call.reader.url, { q: asked.q, l: undefined, page: call.page.number })
  return html`
    <div class="stack tight">${form}${fault && notice("bad", sentence(fault))}</div>
    ${below}
    <div class="bar">
      ${choicesOf(url, asked)}
      ${found && found.total > 0 && html`<span class="muted">${plural(found.total, "file")}${found.isPartial && t(" or more")}</span>`}
    </div>
    ${found ? resultsView(call, url, asked, found, scope) : !fault && empty("code", t("Search code"), hints(asked.mode, scope))}
  `
}

const MODE_TEXTS: Readonly<Record<Mode, Text>> = { exact: t("Exact text"), words: t("Whole words"), regexp: t("Regular expression") }

const choicesOf = (url: string, { mode, isCaseSensitive }: Asked): Html =>
  html`
    ${choices(
      t("How to search"),
      MODES.map((each) => ({
        href: withQuery(url, { search_mode: each === "exact" ? undefined : each }),
        text: MODE_TEXTS[each],
        current: each === mode,
      })),
    )}
    ${choices(t("Letters"), [
      { href: withQuery(url, { case: isCaseSensitive ? undefined : "1" }), text: t("Match case"), current: isCaseSensitive },
    ])}
  `

function resultsView({ page, reader }: Call, url: string, asked: Asked, found: FoundCode, scope: SearchScope): Html {
  return html`
    ${found.isPartial && notice("info", t("The search is too broad. Narrow it with repo:, path: or lang:, or use a longer text."))}
    ${
      found.indexing > 0 &&
      notice(
        "info",
        t("{plural} still being indexed, and may have more results.", {
          plural: plural(found.indexing, "repository is", "repositories are"),
        }),
      )
    }
    ${languagesView(url, asked, found)}
    ${
      found.files.length > 0
        ? html`<ol class="plain stack">${found.files.map((file) => fileView(file, scope))}</ol>`
        : found.total > 0
          ? empty("search", t("No more results"), undefined, html`<a class="button" href="${withQuery(url, {})}">First page</a>`)
          : empty("search", t("No code found"), hints(asked.mode, scope))
    }
    ${pager(reader.url, page, found.total)}
  `
}

/** The most languages that are offered. */
const MOST_LANGUAGES = 10

function languagesView(url: string, { q }: Asked, { languages }: FoundCode): Html | undefined {
  const isNarrowed = withLanguage(q, undefined) !== q.trim()
  if (!isNarrowed && languages.length < 2) return undefined
  const to = (language: string | undefined) => withQuery(url, { q: withLanguage(q, language) })
  return html`
    <nav class="bar" aria-label="Languages">
      ${languages.slice(0, MOST_LANGUAGES).map(({ language, files }) =>
        language === ""
          ? html`<span class="chip">Other <span class="muted">${count(files)}</span></span>`
          : html`
            <a class="chip" rel="nofollow" href="${to(language)}">
              ${dot(languageColor(language))}${language} <span class="muted">${count(files)}</span>
            </a>
          `,
      )}
      ${isNarrowed && html`<a class="chip" href="${to(undefined)}">${icon("x")}All languages</a>`}
    </nav>
  `
}

function fileView({ repository, path: file, language, fragments, matches }: FoundFile, { repositoryId }: SearchScope): Html {
  const at = path(repository.owner, repository.name)
  const address = `${at}/src/commit/${repository.commitId}/${escapePath(file)}`
  const shown = fragments.reduce((sum, lines) => sum + lines.filter(({ marks }) => marks.length > 0).length, 0)
  return html`
    <li class="card">
      <div class="head">
        <h2 class="found-file">
          ${repositoryId === undefined && html`<a class="muted" href="${at}"><bdi>${repository.owner}/${repository.name}</bdi></a> `}
          <a href="${address}"><bdi>${file}</bdi></a>
        </h2>
        ${language !== "" && html`<span class="muted small end">${dot(languageColor(language))} ${language}</span>`}
      </div>
      ${fragments.map(
        (lines) =>
          html`
            <pre
              class="found"
              tabindex="0"
              aria-label="${t("Lines {number} to {number2}", { number: lines[0]?.number ?? 0, number2: lines.at(-1)?.number ?? 0 })}"
            >
              ${lines.map(
                ({ number, text, marks, isCut }) =>
                  html`<a href="${address}#L${number}">${number}</a>${withMarks(plainCode(text), marks)}${isCut && "…"}${"\n"}`,
              )}
            </pre>
          `,
      )}
      ${
        matches > shown &&
        html`<p class="found-more small"><a href="${address}">${plural(matches - shown, "more line")} in this file</a></p>`
      }
    </li>
  `
}

const HINTS: Readonly<Record<Mode, Text>> = {
  exact: t("Finds the exact text, also inside words. Quoted phrases must all be in the file."),
  words: t("Finds files with all of the whole words; use quotes for words in this order."),
  regexp: t("An expression of RE2 is matched against each line, such as create\\w+Server\\(."),
}

const hints = (mode: Mode, { repositoryId }: SearchScope): Html =>
  html`
    ${HINTS[mode]} Narrow a search with ${repositoryId === undefined && html`<code>repo:owner/name</code>, `}
    <code>path:*.ts</code> or <code>lang:go</code>.
  `

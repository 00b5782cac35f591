import { onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import type { User } from "../../../core/actor.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import type { HighlightedCode } from "../../../core/highlight/highlight.ts"
import { attribute, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { type Page, page } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { findPeople } from "../../../features/code/commits/people.ts"
import { type Located, locateCode, type OnCode } from "../../../features/code/contents/locate.ts"
import { openTabs } from "../../../features/code/editorconfig/tabs.ts"
import { type Blame, type BlameSoFar, blameSoFar, IGNORE_FILE, MOST_LINES, openBlame } from "../../../features/code/history/blame.ts"
import { type BlameBlock, isGitError } from "../../../git/index.ts"
import { codePath, repositoryPath, withQuery } from "../../../web/address.ts"
import { avatar, choices, notice } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { number, plural, time } from "../../../web/time.ts"
import { commitLink, commitPerson } from "../../parts/code/commits-view.ts"
import { finderLink } from "../../parts/code/finder.ts"
import { countLines, INVISIBLE_WARNING, linesData } from "../../parts/code/lines.ts"
import { pathCrumbs, revisionMenu } from "../../parts/code/parts.ts"
import { nearestField, nearestPlace } from "../../parts/code/revisions.ts"
import { repositoryPage } from "../frame.ts"

/** How long a page waits for colours; later ones come by its script. */
const PATIENCE_MS = 500
/** Lines in one part of the page, which browsers lay out only when it is seen. */
const PART = 250
/** The bytes that tell whether a file is text. */
const PROBED_BYTES = 8000

/** Who last touched each line of a file: the lines at once, and who wrote them as git finds it. */
export const blamePages: readonly Page[] = [
  page({
    id: "code.blame",
    address: "GET /{owner}/{repo}/blame/{filepath}",
    access: onRepositoryUnitRead("code"),
    query: { "bypass-blame-ignore": Type.Optional(Type.Boolean()), ...nearestField },
    answer: async (call) => {
      const { services, path, query, reader } = call
      const located = await locateCode(call, path.filepath)
      if (!located) throw refuse.notFound()
      if (query.nearest === true) return nearestPlace(call, "blame", located)
      const { git, revision, parts } = located
      const bypass = query["bypass-blame-ignore"] === true
      const blame = await openBlame(services, call, revision.commit, parts.join("/"), { bypass })
      const content = await services.git.objects.readBlob(git, blame.file.id)
      const isText = !content.subarray(0, PROBED_BYTES).includes(0)
      const { name, id } = blame.file
      // Known before its lines are looked at one by one.
      const isTooLong = isText && countLines(content) > MOST_LINES
      const code = await services.highlighter.lines({
        name,
        text: isText && !isTooLong ? content.toString("utf8") : "",
        id,
        patienceMs: PATIENCE_MS,
      })
      const wishes = { name, code, bypass, tabs: await openTabs(services.git, git, revision.commit.tree)(parts) }
      const found = isText && !isTooLong ? await blameSoFar(services, call, revision.commit, parts.join("/"), { bypass }) : undefined
      return repositoryPage(call, {
        tab: "code",
        isUnfinished: found?.isComplete === false || code.isPending,
        title: t("Blame of {value} at {name}", { value: parts.join("/"), name: revision.name }),
        modules: ["code", "finder", "refs", "again"],
        unlisted: true,
        body: html`
          <h1 class="hidden-text">Blame of <bdi>${parts.join("/")}</bdi></h1>
          <div class="bar">
            ${revisionMenu(call, located, "blame")}${pathCrumbs(call, located, "src")}
            <span class="end"></span>${finderLink(call, located, true)}
          </div>
          ${ignoreNote(call, located, blame, bypass, reader.url)}
          <div class="card file" ${linesData(call, located, true)}>
          <div class="head">
            ${choices(t("View"), [
              { href: codePath(call, "src", revision, parts), text: t("Code") },
              { href: codePath(call, "blame", revision, parts), text: t("Blame"), current: true },
              { href: codePath(call, "commits", revision, parts), text: t("History") },
            ])}
            <span class="muted small">${isText && !isTooLong && plural(code.lines.length, "line")}</span>
          </div>
          ${code.hasInvisible && INVISIBLE_WARNING}
        `,
        rest: found ? linesOf(call, { ...wishes, blame: found }) : isText ? tooLong() : noText(),
      })
    },
  }),
]

function ignoreNote(
  call: OnCode,
  { revision }: Located,
  { hasIgnoreFile, ignored }: Blame,
  bypass: boolean,
  url: string,
): Html | undefined {
  if (!hasIgnoreFile) return undefined
  const file = html`<a href="${codePath(call, "src", revision, [IGNORE_FILE])}">${IGNORE_FILE}</a>`
  const other = withQuery(url, { "bypass-blame-ignore": bypass ? undefined : true })
  return bypass
    ? notice("info", html`The commits listed in ${file} are included. <a href="${other}" rel="nofollow">Ignore them</a>`)
    : notice(
        "info",
        html`
          ${plural(ignored, "commit")} listed in ${file} ${ignored === 1 ? t("is") : t("are")} ignored.${" "}
          <a href="${other}" rel="nofollow">Show all</a>
        `,
      )
}

async function* noText(): AsyncGenerator<Html> {
  yield html`
    <p class="inside muted">Binary file.</p>
    </div>
  `
}

async function* tooLong(): AsyncGenerator<Html> {
  yield html`
    <div class="inside">${notice("bad", TOO_LARGE)}</div>
    </div>
  `
}

interface Blamed {
  readonly name: string
  readonly blame: BlameSoFar
  readonly code: HighlightedCode
  readonly bypass: boolean
  /** The class for the width of tabs. */
  readonly tabs: string | undefined
}

/** All lines, with who wrote them as far as that was found. While it isn't, or has no colours yet, the script asks for it again. */
async function* linesOf(call: OnCode, { name, blame, code, bypass, tabs }: Blamed): AsyncGenerator<Html> {
  const { blocks, isComplete, failure } = blame
  const total = code.lines.length
  const found = blocks.reduce((sum, { lines }) => sum + lines, 0)
  // The page says what is wrong; what isn't known is a defect.
  const failed = failure === undefined ? undefined : failureOf(failure)
  if (failure !== undefined && failed === undefined) throw failure
  const isFinding = !isComplete && failed === undefined
  yield html`
    <div id="lines" ${attribute("data-again", (isFinding || code.isPending) && "1")}>
    ${
      isFinding &&
      html`
        <p class="inside muted small finding">
          Finding who wrote the lines… ${number(found)} of ${number(total)} so far.
          <noscript>Reload the page to see more.</noscript>
        </p>
      `
    }
    ${failed !== undefined && html`<div class="inside">${notice("bad", failed)}</div>`}
    <div class="code blame${tabs && ` ${tabs}`}" role="region" aria-label="${name}" tabindex="0">
  `
  const person = await findPeople(
    call.db,
    call.services.site,
    blocks.map(({ author }) => author),
  )
  let part: Html[] = []
  let first = 1
  for (const block of withUnknown(blocks, total)) {
    part.push("commit" in block ? blockView(call, block, person(block.author), code.lines, bypass) : unknownView(block, code.lines))
    const next = block.line + block.lines
    if (next - first < PART) continue
    yield html`<div class="part">${part}</div>`
    part = []
    first = next
  }
  yield html`
    ${part.length > 0 && html`<div class="part">${part}</div>`}
    </div>
    </div>
    </div>
  `
}

interface Lines {
  readonly line: number
  readonly lines: number
}

/** The blocks, and between them lines of which it isn't known who wrote them, some at a time. */
function* withUnknown(blocks: readonly BlameBlock[], total: number): Generator<BlameBlock | Lines> {
  let next = 1
  for (const block of [...blocks, undefined]) {
    const until = block?.line ?? total + 1
    for (; next < until; next += PART) yield { line: next, lines: Math.min(PART, until - next) }
    if (block) yield block
    next = until + (block?.lines ?? 0)
  }
}

const unknownView = ({ line, lines }: Lines, code: readonly Html[]): Html =>
  html`
    <div class="block">
      <div class="who"></div>
      ${codeOf(line, lines, code)}
    </div>
  `

const codeOf = (line: number, lines: number, code: readonly Html[]): Html =>
  html`
    <div class="chunk">
      ${code
        .slice(line - 1, line - 1 + lines)
        .map((each, index) => html`<div id="L${line + index}" data-n="${line + index}">${each}${"\n"}</div>`)}
    </div>
  `

const TOO_LARGE = t("The file is too large to blame.")

function failureOf(error: unknown): Text | undefined {
  if (isGitError(error, "tooLarge")) return TOO_LARGE
  if (isGitError(error, "timeout")) return t("The history of this file is too long to blame.")
  if (isGitError(error, "busy") || (error instanceof Refusal && error.kind === "busy"))
    return t("The server is busy. Reload the page later.")
  return undefined
}

const DAY = 86_400
/** The ages, in days, at which a block is shaded less. */
const AGES = [30, 90, 365, 1095]

function blockView(
  call: OnCode,
  { commit, line, lines, author, committer, summary, previous }: BlameBlock,
  user: User | undefined,
  code: readonly Html[],
  bypass: boolean,
): Html {
  const days = (call.services.now() - committer.when) / DAY
  const age = AGES.filter((limit) => days > limit).length
  const before = previous && withQuery(blamePath(call, previous.commit, previous.path), { "bypass-blame-ignore": bypass || undefined })
  const isShort = lines === 1
  // A block of one line has room for the picture alone.
  return html`
    <div class="block">
      <div class="who age-${age}">
        <div>
          ${isShort && (user ? html`<span class="face" title="${user.name}">${avatar(user, 16)}</span>` : undefined)}
          <span class="subject" title="${summary}">${commitLink(call, { id: commit, subject: summary })}</span>
          <span class="muted" ${attribute("title", isShort ? author.name : undefined)}>
            ${time(author.when)}
            ${
              before !== undefined &&
              html`
                ${" "}
                <a href="${before}" rel="nofollow">${icon("versions", t("Blame before this commit"))}</a>
              `
            }
          </span>
        </div>
        <div class="${isShort ? "hidden-text" : ""}">${commitPerson(user, author)}</div>
      </div>
      ${codeOf(line, lines, code)}
    </div>
  `
}

const blamePath = (call: OnCode, id: string, path: string): string => `${repositoryPath(call)}/blame/commit/${id}/${escapePath(path)}`

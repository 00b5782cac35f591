import { Mode } from "../../../access/modes.ts"
import { type OnComment, onComment, onCommentAsAuthorOrAdministrator } from "../../../access/policies/comments.ts"
import { type OnIssue, onIssue, onIssueAsAuthorOrAdministrator } from "../../../access/policies/issues.ts"
import { requireUnarchived } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { attribute, type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { moved, numberIn, type Page, page, type Shown } from "../../../core/page.ts"
import { rfc3339 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { usersById } from "../../../features/code/repositories/store.ts"
import { standIn } from "../../../features/people/users/present.ts"
import { deleteVersion } from "../../../features/planning/edits/rules.ts"
import { findVersions, type Version } from "../../../features/planning/edits/store.ts"
import { requireText } from "../../../features/planning/issues/timeline.ts"
import { withQuery } from "../../../web/address.ts"
import { empty, notice, person } from "../../../web/components.ts"
import { formButton } from "../../../web/form.ts"
import { time } from "../../../web/time.ts"
import type { ConversationCall } from "../../parts/conversation/call.ts"
import { conversationPath } from "../../parts/conversation/call.ts"
import { historyPath } from "../../parts/conversation/histories.ts"
import { changesView } from "../../parts/diffs/changes-view.ts"
import { repositoryPage } from "../frame.ts"

/** The history of an edited text: who wrote which version, and what it changed. Who may read the text may read it. */

interface Told {
  /** Where the text is. */
  readonly commentId: number | null
  readonly authorId: number
  readonly originalAuthor: string
  /** Current value. */
  readonly content: string
  /** The form that deletes the content of a version, with the values of its address. */
  readonly remove: { readonly form: Page; readonly path: Readonly<Record<string, string>> }
}

type Call = ConversationCall & OnIssue & { readonly query: { readonly version?: number } }

async function historyPage(call: Call, told: Told): Promise<Shown> {
  const { db, issue, query } = call
  const { commentId } = told
  const versions = await findVersions(db, { issueId: issue.id, commentId })
  const at = versions.findIndex(({ number }) => number === (query.version ?? versions[0]?.number))
  const chosen = versions[at]
  if (query.version !== undefined && !chosen) throw refuse.notFound()
  const words = await wordsOf(call, told, versions)
  const anchor = commentId === null ? `issue-${issue.id}` : `issuecomment-${commentId}`
  const of = commentId === null ? t("the text") : "a comment"
  return repositoryPage(call, {
    tab: issue.is_pull === 1 ? "pulls" : "issues",
    title: t("History of {of} of #{number}", { of, number: issue.number }),
    unlisted: true,
    body: html`
      <h1>History of ${of} <span class="muted">of #${issue.number}</span></h1>
      <p><a href="${conversationPath(call)}#${anchor}">Back to conversation</a></p>
      ${
        chosen
          ? html`
            <div class="columns">
              <section class="stack" aria-labelledby="version">
                <h2 id="version">${chosen.number === 1 ? t("Version 1") : t("Changes in version {number}", { number: chosen.number })}</h2>
                ${
                  chosen.deleted_at > 0
                    ? notice("info", html`The content of this version was ${words.gone(chosen)}.`)
                    : await changesOf(call, told, versions, at)
                }
                ${at > 0 && chosen.deleted_at === 0 && removal(call, told, chosen)}
              </section>
              <aside class="side" aria-label="Versions">
                <ol class="rows versions" reversed>
                  ${versions.map((each, index) =>
                    versionRow([conversationPath(call), historyPath(call, commentId)], each, each === chosen, index === 0, words),
                  )}
                </ol>
              </aside>
            </div>
          `
          : empty("history", t("No earlier versions"), t("Earlier versions of edited text are kept here."))
      }
    `,
  })
}

interface Words {
  readonly written: (version: Version) => Html
  readonly gone: (version: Version) => Html
}

/** Who wrote a version and who deleted it, and when. One query. */
async function wordsOf({ services, db }: Call, { originalAuthor }: Told, versions: readonly Version[]): Promise<Words> {
  const users = await usersById(
    db,
    versions.flatMap(({ author_id, deleted_by }) => [author_id, deleted_by]).filter((id) => id > 0),
  )
  const now = services.now()
  const named = (id: number): Html => person(users.get(id) ?? standIn(id))
  return {
    written: ({ number, author_id, written_at }) =>
      html`
        ${number === 1 && originalAuthor !== "" ? html`<bdi class="strong">${originalAuthor}</bdi>` : named(author_id)}${" "}
        ${time(written_at, now)}
      `,
    gone: ({ deleted_by, deleted_at }) => html`deleted by ${named(deleted_by)} ${time(deleted_at, now)}`,
  }
}

const versionRow = (
  [whole, at]: readonly [string, string],
  version: Version,
  isChosen: boolean,
  isNow: boolean,
  { written, gone }: Words,
): Html =>
  html`
    <li>
      <div class="main">
        <span class="title">
          <a
            href="${withQuery(at, { version: version.number })}"
            rel="nofollow"
            ${attribute("aria-current", isChosen ? "true" : undefined)}
          >
            Version ${version.number}
          </a>
          ${isNow && html` <span class="chip">Now</span>`}
        </span>
        <span class="muted small">
          ${written(version)}${version.deleted_at > 0 && html`; ${gone(version)}`}
        </span>
        ${
          !isNow &&
          html`
            <a class="small" href="${withQuery(whole, { at: rfc3339(version.written_at) })}" rel="nofollow">All as it was then</a>
          `
        }
      </div>
    </li>
  `

/** What a version changed of the one before it, as far as that is known, and all that it said. */
async function changesOf({ services }: Call, { content }: Told, versions: readonly Version[], at: number): Promise<Content> {
  const [version, before] = [versions[at], versions[at + 1]]
  if (!version) return undefined
  const textOf = (each: Version): string => (each === versions[0] ? content : each.content)
  // Whether a text ends with a newline is no difference to its readers.
  const linesOf = (each: Version): string => textOf(each).replace(/[^\n]$/, "$&\n")
  const isKnown = before !== undefined && before.deleted_at === 0
  const missing =
    before && !isKnown
      ? t("What version {number} said is deleted, so this is all of version {number2}.", { number: before.number, number2: version.number })
      : !before && version.number > 1
        ? t("Older versions are not kept, so this is all of version {number}.", { number: version.number })
        : before &&
          before.number + 1 < version.number &&
          t("Compared with version {number}: those between them are not kept.", { number: before.number })
  return html`
    ${missing && html`<p class="muted">${missing}</p>`}
    ${await changesView(services, "text.md", [isKnown ? linesOf(before) : "", linesOf(version)])}
    <details class="stack">
      <summary>All of version ${version.number}</summary>
      <pre class="prose" tabindex="0"><code dir="auto">${textOf(version)}</code></pre>
    </details>
  `
}

/** For the author and for administrators: a secret that was in the text can be taken out of its history. */
function removal({ actor, repository, permission }: Call, { authorId, remove }: Told, { number }: Version): Content {
  if (actor.kind !== "user" || repository.is_archived === 1) return undefined
  if (actor.user.id !== authorId && permission.mode < Mode.admin) return undefined
  return html`
    <div class="bar">
      ${formButton(remove.form, { ...remove.path, version: String(number) }, t("Delete this version’s content"))}
      <span class="muted small">
        The author and date stay. Other versions with the same content have to be deleted as well.
      </span>
    </div>
  `
}

const version = { version: Type.Optional(Type.Integer()) } as const

const ofIssue = (call: Call): Told => ({
  commentId: null,
  authorId: call.issue.author_id,
  originalAuthor: call.issue.original_author,
  content: call.issue.content,
  remove: { form: removeOfIssue, path: call.path },
})

const ofComment = (call: Call & OnComment): Told => {
  requireText(call.comment)
  return {
    commentId: call.comment.id,
    authorId: call.comment.author_id,
    originalAuthor: call.comment.original_author,
    content: call.comment.content,
    remove: { form: removeOfComment, path: call.path },
  }
}

const removeOfIssue: Page = page({
  id: "issue.deleteVersion",
  address: "POST /{owner}/{repo}/issues/{index}/history/{version}/delete",
  access: onIssueAsAuthorOrAdministrator,
  answer: async (call) => {
    requireUnarchived(call)
    await call.services.database.write((tx) => deleteVersion(tx, call.services, call, null, numberIn(call.path, "version")))
    return gone(historyPath(call, null), call.path.version)
  },
})

const removeOfComment: Page = page({
  id: "issue.deleteCommentVersion",
  address: "POST /{owner}/{repo}/issues/{index}/comments/{id}/history/{version}/delete",
  access: onCommentAsAuthorOrAdministrator,
  answer: async (call) => {
    requireUnarchived(call)
    requireText(call.comment)
    await call.services.database.write((tx) => deleteVersion(tx, call.services, call, call.comment.id, numberIn(call.path, "version")))
    return gone(historyPath(call, call.comment.id), call.path.version)
  },
})

const gone = (at: string, number: string) => moved(withQuery(at, { version: number }), { flash: t("Content deleted.") })

export const textHistoryPages: readonly Page[] = [
  page({
    id: "issue.history",
    address: "GET /{owner}/{repo}/issues/{index}/history",
    access: onIssue,
    query: version,
    answer: (call) => historyPage(call, ofIssue(call)),
  }),
  removeOfIssue,
  page({
    id: "issue.commentHistory",
    address: "GET /{owner}/{repo}/issues/{index}/comments/{id}/history",
    access: onComment,
    query: version,
    answer: (call) => historyPage(call, ofComment(call)),
  }),
  removeOfComment,
]

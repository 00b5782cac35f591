import { writesCode } from "../../../../access/policies/code.ts"
import { refuse } from "../../../../core/errors.ts"
import { type Content, type Html, html } from "../../../../core/html.ts"
import { t } from "../../../../core/language/message.ts"
import type { Page as ListPage } from "../../../../core/operation.ts"
import { moved, type PageAnswer, type Reader, sentFile } from "../../../../core/page.ts"
import { escapePath } from "../../../../core/text/escape-path.ts"
import { findNote } from "../../../../features/code/commits/notes.ts"
import { patchDownload } from "../../../../features/code/commits/patches.ts"
import { findPeople } from "../../../../features/code/commits/people.ts"
import { commitById, gitOf, isId, resolveRevision } from "../../../../features/code/commits/revision.ts"
import type { OnCode } from "../../../../features/code/contents/locate.ts"
import { containing } from "../../../../features/code/history/containing.ts"
import { type ListedCommit, listCommitsForPages } from "../../../../features/code/history/list.ts"
import { latestStatuses } from "../../../../features/code/statuses/store.ts"
import { findCommitMark } from "../../../../features/people/sign-in/credentials/deeds-store.ts"
import type { Commit, ObjectId } from "../../../../git/index.ts"
import { repositoryPath, withQuery } from "../../../../web/address.ts"
import { copyButton, menu, state } from "../../../../web/components.ts"
import { icon } from "../../../../web/icon.ts"
import { plural, time } from "../../../../web/time.ts"
import { coAuthorsOf, renderMessage } from "../../../parts/code/commit-message.ts"
import { commitPath, commitPerson, idLink, signatureMark, statusMark, subjectOf } from "../../../parts/code/commits-view.ts"
import { choicesFor, type DiffQuery, fromOlderQuery } from "../../../parts/diffs/choices.ts"
import { openDiff } from "../../../parts/diffs/diffs.ts"
import { diffView } from "../../../parts/diffs/view.ts"
import { madeWithMark } from "../../../parts/made-with.ts"
import { repositoryPage } from "../../frame.ts"

export interface CommitCall extends OnCode {
  readonly query: DiffQuery & { readonly parent?: number | undefined; readonly containing?: boolean | undefined }
  readonly page: ListPage
  readonly reader: Reader
}

/**
 * The page of a commit, its diff or its patch; a branch or a tag leads to the page of its commit. Refuses `notFound` for what is no commit. At most fifteen queries more than
 * the frame, whatever the commit changes.
 */
export async function commitPage(call: CommitCall, asked: string): Promise<PageAnswer> {
  const { services, query, reader } = call
  const [, id = "", form] = /^(.*?)\.(diff|patch)$/.exec(asked) ?? []
  if (isId(id)) {
    const { commit, parent } = parentOf(call, await commitById(services, call, id))
    return sentFile(
      patchDownload(services.git, gitOf(services, call), { from: parent, to: commit.id, form: form === "patch" ? "patch" : "diff" }),
    )
  }
  const named = isId(asked) ? await commitById(services, call, asked).catch(() => undefined) : undefined
  if (!named) {
    const revision = await resolveRevision(services.git, call.repository, asked)
    if (!revision) throw refuse.notFound()
    return moved(`${commitPath(call, revision.commit.id)}`)
  }
  const older = fromOlderQuery(call)
  if (older) return older
  const { commit, parent } = parentOf(call, named)
  const choices = choicesFor(call)
  const diff = await openDiff(services, {
    repository: gitOf(services, call),
    from: parent,
    to: commit.id,
    whitespace: choices.whitespace,
  })
  const here = commitPath(call, commit.id)
  const at = repositoryPath(call)
  const shown = await diffView(services, diff, { url: reader.url, query, choices, page: call.page, oldAt: at, newAt: at })
  return repositoryPage(call, {
    tab: "code",
    title: `${subjectOf(commit)} · ${commit.id.slice(0, 10)}`,
    canonical: here,
    unlisted: true,
    modules: ["diff"],
    head: html`<link rel="alternate" type="text/x-diff" href="${here}.diff" title="Diff">`,
    body: html`${await about(call, commit, parent)}${shown.body}`,
    ...(shown.rest ? { rest: shown.rest } : {}),
  })
}

/** The parent that a commit is compared with: the first, or the chosen one. */
function parentOf({ query }: CommitCall, commit: Commit): { readonly commit: Commit; readonly parent: ObjectId | null } {
  return { commit, parent: commit.parents[(query.parent ?? 1) - 1] ?? commit.parents[0] ?? null }
}

async function about(call: CommitCall, commit: Commit, parent: ObjectId | null): Promise<Html> {
  const { services, db, query, reader } = call
  const [listed] = await listCommitsForPages(services, db, call, [commit])
  if (!listed) throw new TypeError("one entry for each commit")
  const [subject = ""] = commit.message.split("\n", 1)
  const rest = commit.message.slice(subject.length).trim()
  const note = await findNote(services, call, commit.id)
  const here = commitPath(call, commit.id)
  return html`
    <div class="bar">
      <h1>Commit <span class="mono">${commit.id.slice(0, 10)}</span></h1>
      <a class="button small" href="${repositoryPath(call)}/src/commit/${commit.id}">${icon("code")}Browse files</a>
      ${menu(
        html`${icon("download")}Download`,
        html`<a href="${here}.diff" rel="nofollow">Diff</a><a href="${here}.patch" rel="nofollow">Patch, as a mail</a>`,
      )}
      ${writesCode(call) && pickMenu(call, commit.id)}
    </div>
    <section class="card commit" aria-label="About this commit">
      <div class="inside stack">
        <div class="subject">${await renderMessage(call, subject || "(no message)")}</div>
        ${rest !== "" && (await renderMessage(call, rest))}
        ${
          note &&
          html`
            <div class="notice info">
              <p class="strong">Note</p>
              <pre dir="auto" tabindex="0">${note.message.slice(0, MOST_NOTE)}</pre>
            </div>
          `
        }
        ${await people(call, listed)}${parents(call, commit, parent)}${await checks(call, listed)}
        ${
          query.containing === true
            ? await contained(call, commit)
            : html`
              <p class="small">
                <a href="${withQuery(reader.url, { containing: true })}#containing" rel="nofollow">
                  ${icon("git-branch")} Branches and tags
                </a>
              </p>
            `
        }
      </div>
    </section>
  `
}

const MOST_NOTE = 20_000

function pickMenu(call: CommitCall, id: ObjectId): Html {
  const at = `${repositoryPath(call)}/_cherrypick/${id}/${escapePath(call.repository.default_branch)}`
  return menu(
    html`${icon("kebab-horizontal", t("More"))}`,
    html`<a href="${at}?revert=true" rel="nofollow">Revert</a><a href="${at}" rel="nofollow">Cherry-pick</a>`,
  )
}

async function people(call: CommitCall, { commit, author, committer, verification }: ListedCommit): Promise<Html> {
  const { services, db } = call
  const mark = await findCommitMark.first(db, { repositoryId: call.repository.id, commitId: commit.id })
  const { author: by, committer: with_ } = commit
  const isSame = by.email === with_.email && by.name === with_.name
  const others = coAuthorsOf(commit.message)
  const find = others.length > 0 ? await findPeople(db, services.site, others) : undefined
  return html`
    <p class="meta">
      <span>
        ${commitPerson(author, by)} ${isSame ? t("committed") : t("authored")}${" "}
        ${time(isSame ? with_.when : by.when)}
      </span>
      ${!isSame && html`<span>${commitPerson(committer, with_)} committed ${time(with_.when)}</span>`}
      ${others.length > 0 && html`<span>with ${others.map((other) => html`${commitPerson(find?.(other), other)} `)}</span>`}
      ${mark && madeWithMark(mark.token_name)}${signatureMark(verification)}
    </p>
  `
}

function parents(call: CommitCall, { id, parents: all }: Commit, chosen: ObjectId | null): Html {
  const { reader } = call
  const isMerge = all.length > 1
  const one = (parent: ObjectId, at: number): Html =>
    html`
      <span>
        ${idLink(call, parent)}
        ${
          isMerge &&
          (parent === chosen
            ? html` <span class="chip">compared with</span>`
            : html`
              ${" "}<a
                href="${withQuery(reader.url, { file: undefined, parent: at === 0 ? undefined : at + 1 })}"
                rel="nofollow"
              >
                compare with this
              </a>
            `)
        }
      </span>
    `
  return html`
    <p class="meta">
      ${
        all.length === 0
          ? html`<span>Root commit: no parents.</span>`
          : html`<span>${all.length === 1 ? t("parent") : plural(all.length, "parent")}</span>${all.map(one)}`
      }
      <span>
        commit <span class="mono break">${id}</span> ${copyButton(id, icon("copy", t("Copy full SHA")), "small quiet")}
      </span>
    </p>
  `
}

async function checks(call: CommitCall, { commit, status }: ListedCommit): Promise<Content> {
  if (!status) return undefined
  const all = await latestStatuses(call.db, call.repository.id, commit.id)
  return html`
    <details>
      <summary>${statusMark(status)} ${plural(status.contexts, "check")}</summary>
      <ul class="plain stack tight">
        ${all.map(
          ({ state: word, context, description, target_url }) =>
            html`
              <li>
                ${state(
                  toneOf(word),
                  word === "success" ? "check" : word === "pending" ? "dot-fill" : word === "skipped" ? "skip" : "x",
                  word,
                )} <span class="strong" dir="auto">${context || t("default")}</span>${" "}
                <span class="muted" dir="auto">${description}</span>
                ${target_url !== "" && html` <a href="${target_url}" rel="nofollow ugc noopener">Details</a>`}
              </li>
            `,
        )}
      </ul>
    </details>
  `
}

const toneOf = (word: string): string =>
  ({ success: "success", pending: "pending", skipped: "skipped", warning: "warning" })[word] ?? "failure"

async function contained(call: CommitCall, commit: Commit): Promise<Html> {
  const { branches, tags, isCut } = await containing(call.services, call, commit)
  const at = repositoryPath(call)
  const link = (kind: "branch" | "tag", name: string): Html =>
    html`
      <a class="chip" href="${at}/src/${kind}/${escapePath(name)}" rel="nofollow">
        ${icon(kind === "branch" ? "git-branch" : "tag")}<bdi>${name}</bdi>
      </a>
    `
  return html`
    <p class="bar" id="containing">
      ${branches.map((name) => link("branch", name))}${tags.map((name) => link("tag", name))}
      ${branches.length + tags.length === 0 && !isCut && html`<span class="muted small">Not on any branch or tag.</span>`}
      ${isCut && html`<span class="muted small">There may be more.</span>`}
    </p>
  `
}

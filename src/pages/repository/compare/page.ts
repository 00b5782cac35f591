import { Mode } from "../../../access/modes.ts"
import { unitMode } from "../../../access/permission.ts"
import { onPulls } from "../../../access/policies/pulls.ts"
import { onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { Refusal } from "../../../core/errors.ts"
import { type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Request } from "../../../core/operation.ts"
import { type Draft, moved, type Page, type PageAnswer, page, type Shown, sentFile } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { findBranches } from "../../../features/code/branches/store.ts"
import { type Comparison, comparedCommits, comparedFrom, readComparison } from "../../../features/code/commits/compare.ts"
import { readHead } from "../../../features/code/commits/heads.ts"
import { patchDownload } from "../../../features/code/commits/patches.ts"
import { resolveRevision } from "../../../features/code/commits/revision.ts"
import type { OnCode } from "../../../features/code/contents/locate.ts"
import { type ListedCommit, listCommitsForPages } from "../../../features/code/history/list.ts"
import { findOpenBetween } from "../../../features/review/pulls/store.ts"
import { repositoryPath, withQuery } from "../../../web/address.ts"
import { empty, menu, notice } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { plural, time } from "../../../web/time.ts"
import { commitLink, commitPerson, idLink, signatureMark, statusMark, subjectOf } from "../../parts/code/commits-view.ts"
import { choicesFor, diffFields, fromOlderQuery } from "../../parts/diffs/choices.ts"
import { openDiff } from "../../parts/diffs/diffs.ts"
import { diffView } from "../../parts/diffs/view.ts"
import type { CommitCall } from "../code/commit/view.ts"
import { repositoryPage } from "../frame.ts"
import { openForm, openPull } from "./open-form.ts"

/** Comparisons of branches, tags and commits, and the form that opens a pull request for one. */

const access = onRepositoryUnitRead("code")
const text = Type.Optional(Type.String())

const compareShow: Page = page({
  id: "compare.show",
  address: "GET /{owner}/{repo}/compare/{basehead}",
  access,
  asksToSignIn: true,
  changesWithTime: true,
  query: { ...diffFields, expand: text, quick_pull: text, title: text, body: text },
  answer: async (call) => {
    const { query, draft } = call
    const isOpen = query.expand !== undefined || query.quick_pull !== undefined || draft !== undefined
    return comparisonPage(call, call.path.basehead, { isOpen, title: query.title, body: query.body, draft })
  },
})

export const comparePages: readonly Page[] = [
  page({
    id: "compare.choose",
    address: "GET /{owner}/{repo}/compare",
    access,
    asksToSignIn: true,
    changesWithTime: true,
    query: { base: text, head: text },
    answer: (call) => {
      const { base = "", head = "" } = call.query
      return head === "" ? chooser(call, { base, head }) : moved(comparePath(call, { base, head }))
    },
  }),

  compareShow,

  openPull.on(compareShow),

  // What git prints after a push.
  page({
    id: "pull.new",
    address: "GET /{owner}/{repo}/pulls/new/{branch}",
    access: onPulls,
    answer: (call) => moved(`${comparePath(call, { base: call.repository.default_branch, head: call.path.branch })}?expand=1`),
  }),
]

interface Names {
  readonly base: string
  readonly head: string
}

const comparePath = (on: Pick<OnCode, "owner" | "repository">, { base, head }: Names): string =>
  `${repositoryPath(on)}/compare/${escapePath(base)}...${escapePath(head)}`

/** The names in an address, as `readComparison` reads them. */
function readNames({ repository }: OnCode, basehead: string): Names & { readonly dots: string } {
  const [, base = "", dots = "...", head = basehead] = /^(.*?)(\.\.\.?)(.+)$/.exec(basehead) ?? []
  return { base: base || repository.default_branch, dots, head }
}

/** Two fields with the branches of the repository; a fork's are `owner:branch`. */
async function chooserForm(call: OnCode, { base, head }: Names): Promise<Html> {
  const { rows } = await findBranches(call.db, call.repository.id, "", { number: 1, limit: 100, offset: 0 })
  return html`
    <form class="bar compare-form" action="${repositoryPath(call)}/compare" aria-label="What is compared">
      <label>
        Base <input
          name="base"
          list="branches"
          value="${base}"
          placeholder="${call.repository.default_branch}"
          spellcheck="false"
          autocomplete="off"
        >
      </label>
      <label>
        Head <input
          name="head"
          list="branches"
          value="${head}"
          placeholder="branch, or owner:branch"
          required
          spellcheck="false"
          autocomplete="off"
        >
      </label>
      <datalist id="branches">
        ${rows.map(({ name }) => html`<option value="${name}"></option>`)}
      </datalist>
      <button>${icon("git-compare")}Compare</button>
      ${
        head !== "" &&
        html`
          <a
            class="button quiet"
            href="${comparePath(call, { base: head, head: base || call.repository.default_branch })}"
            rel="nofollow"
          >
            ${icon("arrow-switch")}Swap
          </a>
        `
      }
    </form>
  `
}

async function chooser(call: OnCode, names: Names, isMissing = false): Promise<Shown> {
  const shown = await repositoryPage(call, {
    tab: "code",
    title: t("Compare"),
    unlisted: true,
    body: html`
      <h1>Compare</h1>
      ${isMissing && notice("bad", t("Base or head not found."))}
      ${
        call.repository.is_empty === 1
          ? empty("git-compare", t("Nothing to compare yet"), t("Push a branch or a tag first."))
          : html`
            <p class="muted">Branches, tags or commits. The head may be in a fork: owner:branch.</p>
            ${await chooserForm(call, names)}
          `
      }
    `,
  })
  return isMissing ? { ...shown, status: 404 } : shown
}

interface Wanted {
  readonly isOpen: boolean
  readonly title?: string | undefined
  readonly body?: string | undefined
  readonly draft: Draft | undefined
}

type CompareCall = Omit<CommitCall, "query"> &
  Pick<Request, "path"> & { readonly query: Omit<CommitCall["query"], "parent" | "containing"> }

/**
 * The page of a comparison; with `.diff` or `.patch` behind the names, it as text. What is missing or hidden leads to the chooser, with the status 404. A constant number of queries,
 * whatever is compared.
 */
async function comparisonPage(call: CompareCall, basehead: string, wanted: Wanted): Promise<PageAnswer> {
  const { services, db, actor } = call
  const names = readNames(call, basehead)
  const read = async (named: string): Promise<Comparison | undefined> => {
    try {
      return await readComparison(services, db, actor, call, named)
    } catch (error) {
      if (error instanceof Refusal) return undefined
      throw error
    }
  }
  const comparison = await read(basehead)
  if (comparison) return fromOlderQuery(call) ?? shownComparison(call, names, comparison, wanted)
  const [, without = "", form] = /^(.+)\.(diff|patch)$/.exec(basehead) ?? []
  const asText = without === "" ? undefined : await read(without)
  if (!asText) return chooser(call, names, true)
  const { repository, base, head } = asText
  const isPatch = form === "patch"
  const from = isPatch ? base : await comparedFrom(services, asText)
  return sentFile(patchDownload(services.git, repository, { from, to: head, form: isPatch ? "patch" : "diff" }))
}

async function shownComparison(
  call: CompareCall,
  names: Names & { readonly dots: string },
  comparison: Comparison,
  wanted: Wanted,
): Promise<Shown> {
  const { services, db } = call
  const { base, head, direct, on } = comparison
  const from = await comparedFrom(services, comparison)
  const { commits, total } = await comparedCommits(services, comparison)
  const listed = await listCommitsForPages(services, db, on, commits)
  const isSame = base === head || (total === 0 && from === head)
  const shown = isSame && !direct ? undefined : await differences(call, names, comparison, from)
  const pull = await pullPart(call, names, comparison, listed, wanted)
  return repositoryPage(call, {
    tab: "code",
    title: t("Comparing {base}{dots}{head}", { base: names.base, dots: names.dots, head: names.head }),
    unlisted: true,
    modules: ["diff", "composer"],
    body: html`
      <h1>Comparing <bdi>${names.base}</bdi> with <bdi>${names.head}</bdi></h1>
      ${await chooserForm(call, names)}
      ${from === null && notice("warn", t("No common history: all files of the head are shown."))}
      ${isSame ? nothingNew(call, names, base === head) : html`${pull}${commitList(comparison, listed, total)}`}${shown?.body}
    `,
    ...(shown?.rest ? { rest: shown.rest } : {}),
  })
}

async function differences(
  call: CompareCall,
  names: Names & { readonly dots: string },
  { head, direct, repository, on }: Comparison,
  from: Awaited<ReturnType<typeof comparedFrom>>,
) {
  const { services, query, reader } = call
  const here = `${repositoryPath(call)}/compare/${escapePath(names.base)}${names.dots}${escapePath(names.head)}`
  const choices = choicesFor(call)
  const diff = await openDiff(services, { repository, from, to: head, whitespace: choices.whitespace })
  return diffView(services, diff, {
    url: reader.url,
    query,
    choices,
    page: call.page,
    oldAt: repositoryPath(direct ? call : on),
    newAt: repositoryPath(on),
    tools: menu(
      html`${icon("download")}Download`,
      html`<a href="${here}.diff" rel="nofollow">Diff</a><a href="${here}.patch" rel="nofollow">Patches, as mails</a>`,
    ),
  })
}

const nothingNew = (call: CompareCall, { base, head }: Names, isOneCommit: boolean): Html =>
  isOneCommit
    ? empty("git-compare", t("Base and head are identical"), t("There is nothing to compare."))
    : empty(
        "git-compare",
        t("No new commits"),
        t("The base has all commits of the head."),
        html`
          <a class="button" href="${comparePath(call, { base: head, head: base })}">
            ${icon("arrow-switch")}Switch base and head
          </a>
        `,
      )

function commitList({ on }: Comparison, listed: readonly ListedCommit[], total: number): Html {
  const row = ({ commit, author, verification, status }: ListedCommit): Html =>
    html`
      <li>
        ${icon("git-commit")}
        <div class="main">
          <h3 class="title">${commitLink(on, { id: commit.id, subject: subjectOf(commit) }, "")}</h3>
          <p class="meta">
            <span>${commitPerson(author, commit.author)} committed ${time(commit.committer.when)}</span>
            ${signatureMark(verification)}${statusMark(status)}
          </p>
        </div>
        ${idLink(on, commit.id)}
      </li>
    `
  return html`
    <details class="stack" open>
      <summary>
        <h2 class="inline">${plural(total, "commit")}</h2>
      </summary>
      <ul class="rows">${listed.map(row)}</ul>
      ${total > listed.length && html`<p class="muted small">The newest ${listed.length} of them.</p>`}
    </details>
  `
}

// --- the pull request ---------------------------------------------------------------------------------------------------------------

/** The open pull request for the two branches, or the form that opens one; nothing where there can't be one. */
async function pullPart(
  call: CompareCall,
  names: Names,
  { on, direct }: Comparison,
  listed: readonly ListedCommit[],
  wanted: Wanted,
): Promise<Html | undefined> {
  const { db, services, repository, permission, actor, reader } = call
  if (direct || repository.is_mirror === 1 || repository.is_archived === 1 || unitMode(permission, repository, "repo.pulls") < Mode.read)
    return undefined
  const branch = readHead(names.head).branch
  const [from, to] = [
    await resolveRevision(services.git, on.repository, branch),
    await resolveRevision(services.git, repository, names.base),
  ]
  if (from?.kind !== "branch" || to?.kind !== "branch") return undefined
  const between = { repositoryId: repository.id, baseBranch: to.name, headRepositoryId: on.repository.id, headBranch: from.name }
  const open = await findOpenBetween.first(db, between)
  if (open)
    return html`
      <div class="notice info">
        ${icon("git-pull-request")} These branches have an open pull request:${" "}
        <a href="${repositoryPath(call)}/pulls/${open.number}">#${open.number}</a>
      </div>
    `
  if (actor.kind === "anonymous")
    return html`
      <div class="notice info">
        <a href="/user/login?redirect_to=${encodeURIComponent(withQuery(reader.url, { expand: 1 }))}" rel="nofollow">
          Sign in
        </a> to open a pull request.
      </div>
    `
  const only = listed.length === 1 ? listed[0]?.commit : undefined
  const title = wanted.title ?? (only ? subjectOf(only) : from.name.replaceAll(/[-_/]+/g, " ").trim())
  const said = only ? only.message.split("\n").slice(1).join("\n").trim() : ""
  const form =
    wanted.isOpen && (await openForm(call, { base: to.name, head: names.head, title, body: wanted.body ?? said, draft: wanted.draft }))
  return wanted.isOpen
    ? html`
      <section class="card" aria-labelledby="open-pull">
        <div class="head">
          <h2 id="open-pull">Open a pull request</h2>
        </div>
        <div class="inside">${form}</div>
      </section>
    `
    : html`
      <p>
        <a class="button primary" href="${withQuery(reader.url, { expand: 1 })}">
          ${icon("git-pull-request")}Open a pull request
        </a>
      </p>
    `
}

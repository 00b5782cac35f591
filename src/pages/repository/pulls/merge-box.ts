import { type Content, flagged, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { TooMuchWork } from "../../../core/work.ts"
import { requiredChecks, workOfChecks } from "../../../features/code/protections/required-checks.ts"
import { findProtection, mayBypass, mayMerge } from "../../../features/code/protections/rules.ts"
import { latestStatuses, type Status } from "../../../features/code/statuses/store.ts"
import { openDependencies } from "../../../features/planning/dependencies/store.ts"
import { isUnfinished } from "../../../features/planning/issues/draft.ts"
import type { PullView } from "../../../features/review/pulls/present.ts"
import { findSchedule } from "../../../features/review/pulls/schedules-store.ts"
import { reviewVerdict } from "../../../features/review/reviews/verdict.ts"
import { path, repositoryPath } from "../../../web/address.ts"
import { person, state } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import type { IconName } from "../../../web/icon-names.ts"
import { plural, time } from "../../../web/time.ts"
import type { MergeCall } from "./merge-call.ts"
import { branchForms, openForms, type Prospect, revertForm } from "./merge-forms.ts"

/** What stands between a pull request and its merge, in words: what decides comes first. */

interface Condition {
  /** Whether it keeps the pull request from being merged. */
  readonly blocks: boolean
  readonly tone: string
  readonly icon: IconName
  readonly words: Content
  /** It doesn't pass by itself, and no one may override it. */
  readonly isFinal?: boolean
}

const blocking = (name: IconName, words: Content): Condition => ({ blocks: true, tone: "failure", icon: name, words })
const waiting = (name: IconName, words: Content): Condition => ({ blocks: true, tone: "pending", icon: name, words })
const met = (words: Content): Condition => ({ blocks: false, tone: "success", icon: "check", words })
const final = (condition: Condition): Condition => ({ ...condition, isFinal: true })
const told = (name: IconName, words: Content): Condition => ({ blocks: false, tone: "", icon: name, words })

/** The box: a constant number of queries. */
export async function mergeBox(call: MergeCall, view: PullView, style?: string): Promise<Html> {
  const { db, repository, pull, issue } = call
  const statuses = await latestStatuses(db, repository.id, pull.head_id)
  const { conditions, ...may } = await conditionsOf(call, view, statuses)
  const { queued } = may
  const against = conditions.filter(({ blocks }) => blocks)
  const headline = against.find(({ tone }) => tone === "failure") ?? against[0]
  const isMerged = pull.is_merged === 1
  const isDone = isMerged || issue.is_closed === 1
  return html`
    <section class="card merge-box" id="merge-box" aria-label="Merging" data-live>
      <div class="head" id="merge-state" data-live>
        <h2>
          ${
            isMerged
              ? state("merged", "git-merge", t("Merged"))
              : issue.is_closed === 1
                ? state("closed", "git-pull-request-closed", t("Closed without merging"))
                : queued
                  ? state("pending", "clock", t("In the merge queue"))
                  : headline
                    ? state(
                        headline.tone,
                        headline.icon,
                        headline.tone === "pending" ? t("Not ready to merge yet") : t("Merging is blocked"),
                      )
                    : state("success", "check-circle", t("Ready to merge"))
          }
        </h2>
      </div>
      <div class="inside stack tight">
        <ul class="plain checks" id="merge-conditions" data-live>
          ${(isDone ? doneWords(call, view) : conditions).map(
            ({ tone, icon: name, words }) => html`
              <li>
                <span class="${tone}">${icon(name)}</span>
                <div>${words}</div>
              </li>
            `,
          )}
        </ul>
        ${checksOf(call.services, statuses)}
        ${
          isDone
            ? html`${await revertForm(call, view)}${branchForms(call, view)}`
            : await openForms(call, view, {
                ...may,
                isReady: headline === undefined,
                isPossible: !against.some(({ isFinal }) => isFinal === true),
                style,
              })
        }
        ${!isDone && commandLine(call)}
      </div>
    </section>
  `
}

function doneWords(call: MergeCall, view: PullView): readonly Condition[] {
  const { pull } = view
  const head = html`<code><bdi>${pull.head_branch}</bdi></code>`
  const base = html`<code><bdi>${pull.base_branch}</bdi></code>`
  if (pull.is_merged === 0) return [told("git-branch", html`The branch ${head} was not merged into ${base}.`)]
  const id = pull.merge_commit_id
  return [
    told(
      "git-merge",
      html`
        ${person(view.mergedBy)} merged this into ${base}${" "}
        ${time(pull.merged_at, call.services.now())}
        ${id !== "" && html`, in <a href="${repositoryPath(call)}/commit/${id}"><code>${id.slice(0, 10)}</code></a>`}.
      `,
    ),
    ...(isBranchGone(view) ? [told("git-branch", html`The branch ${head} was deleted.`)] : []),
  ]
}

const isBranchGone = ({ hasBranch, pull }: PullView): boolean => !hasBranch && pull.is_offered === 0

interface Conditions extends Pick<Prospect, "mayMerge" | "mayOverride" | "isScheduled" | "hasQueue" | "queued"> {
  readonly conditions: readonly Condition[]
}

async function conditionsOf(call: MergeCall, view: PullView, statuses: readonly Status[]): Promise<Conditions> {
  const { db, actor, repository, issue, pull } = call
  const protection = await findProtection(db, repository.id, pull.base_branch)
  const verdict = await reviewVerdict(db, issue.id, protection)
  const open = repository.enable_issue_dependencies === 1 ? await openDependencies(db, issue.id) : 0
  const schedule = await findSchedule.first(db, { pullId: pull.id })
  const may = actor.kind === "user" && (await mayMerge(db, protection, call, actor.user))
  const base = html`<code><bdi>${pull.base_branch}</bdi></code>`
  const approvals = protection?.required_approvals ?? 0
  const isQueue = protection?.enable_merge_queue === 1
  const part = isQueue ? await import("./queue-part.ts") : undefined
  const queued = await part?.findQueued(call)
  const conditions = [
    ...(isUnfinished(issue.title)
      ? [final(waiting("git-pull-request-draft", t("This is a draft: its title has a work-in-progress prefix.")))]
      : []),
    ...(pull.stands_on === "" ? [] : [waiting("stack", t("It stands on pull requests that have to be merged before it."))]),
    mergeability(call),
    ...(isBranchGone(view)
      ? [told("git-branch", html`The branch <code><bdi>${pull.head_branch}</bdi></code> was deleted; its last commit is kept.`)]
      : []),
    ...behind(call, protection?.block_on_outdated_branch === 1 && !isQueue, base),
    ...(approvals > verdict.approvals
      ? [
          waiting(
            "eye",
            html`
              ${plural(approvals, "approval is", "approvals are")} required, and there${" "}
              ${verdict.approvals === 1 ? t("is 1") : t("are {approvals}", { approvals: verdict.approvals })}.
            `,
          ),
        ]
      : verdict.approvals > 0
        ? [met(html`Approved by ${plural(verdict.approvals, "reviewer")}.`)]
        : []),
    ...(verdict.rejected
      ? [
          protection?.block_on_rejected_reviews === 1
            ? blocking("file-diff", t("A reviewer requested changes."))
            : told("file-diff", t("A reviewer requested changes.")),
        ]
      : []),
    ...(verdict.requestedOfficially && protection?.block_on_official_review_requests === 1
      ? [waiting("eye", t("A requested review is pending."))]
      : []),
    ...(protection?.enable_status_check === 1
      ? (await requiredConditions(call.services, protection, statuses)).map((each) => (isQueue ? unlessFailed(each) : each))
      : optionalConditions(statuses)),
    ...(open > 0 ? [final(waiting("package-dependencies", html`Blocked by ${plural(open, "open issue")}.`))] : []),
    ...(protection?.require_signed_commits === 1 ? [told("verified", html`Commits into ${base} must be signed.`)] : []),
    ...(part ? [{ ...told("clock", part.queueWords(call, queued)), tone: queued ? "pending" : "" }] : []),
    ...(schedule ? [told("clock", t("Auto-merge: it will be merged when all conditions are met."))] : []),
    ...(may || actor.kind === "anonymous" ? [] : [told("lock", html`You don’t have permission to merge into ${base}.`)]),
  ]
  const mayOverride = may && protection !== undefined && (await mayBypass(db, protection, call, actor.user))
  return { conditions, mayMerge: may, mayOverride, isScheduled: schedule !== undefined, hasQueue: isQueue, queued }
}

/** A queue tests the merge itself: of the head's checks only those count that have failed. */
const unlessFailed = (condition: Condition): Condition => (condition.tone === "pending" ? { ...condition, blocks: false } : condition)

/** The most conflicting files that are named. */
const MOST_NAMED = 20

function mergeability({ pull }: MergeCall): Condition {
  switch (pull.mergeability) {
    case "conflict": {
      const files = conflicts(pull.conflicted_files)
      return final(
        blocking(
          "alert",
          html`
            Conflicts with <code><bdi>${pull.base_branch}</bdi></code>
            ${
              files.length > 0 &&
              html`
                :
                <ul>
                  ${files.slice(0, MOST_NAMED).map((file) => html`<li class="break"><code><bdi>${file}</bdi></code></li>`)}
                  ${files.length > MOST_NAMED && html`<li>and ${files.length - MOST_NAMED} more</li>`}
                </ul>
              `
            }
          `,
        ),
      )
    }
    case "checking":
      return final(waiting("sync", t("Checking whether it can be merged.")))
    case "error":
      return final(blocking("alert", "The branches have no common history, or git could not merge them."))
    case "ancestor":
      return final(blocking("git-commit", t("The base branch already has all of its commits.")))
    case "empty":
      return met(t("It can be merged, but has no changes."))
    case "mergeable":
      return met(t("No conflicts with the base branch."))
  }
}

function conflicts(json: string): readonly string[] {
  const stored: unknown = json === "" ? [] : JSON.parse(json)
  return Array.isArray(stored) ? stored.filter((file) => typeof file === "string") : []
}

function behind({ pull }: MergeCall, isBlocking: boolean, base: Html): readonly Condition[] {
  if (pull.commits_behind === 0 || pull.mergeability === "checking") return []
  const words = html`${plural(pull.commits_behind, "commit")} behind ${base}.`
  return [isBlocking ? waiting("git-compare", html`${words} It must be brought up to date first.`) : told("git-compare", words)]
}

type Protection = NonNullable<Awaited<ReturnType<typeof findProtection>>>

const isGood = ({ state: word }: Status): boolean => word === "success" || word === "skipped"

async function requiredConditions(services: Services, protection: Protection, statuses: readonly Status[]): Promise<readonly Condition[]> {
  const checks = await requiredChecks(protection, statuses, workOfChecks(services)).catch((error: unknown) => {
    if (error instanceof TooMuchWork) return undefined
    throw error
  })
  if (!checks) return [final(blocking("alert", t("The branch protection rule requires too many checks.")))]
  const { missing, required } = checks
  if (missing.length > 0)
    return [waiting("dot-fill", html`Waiting for required checks: ${missing.map((glob) => html`<code><bdi>${glob}</bdi></code> `)}`)]
  if (required.length === 0) return [waiting("dot-fill", t("Waiting for required checks to report."))]
  const bad = required.filter((status) => !isGood(status))
  if (bad.some(({ state: word }) => word === "failure" || word === "error"))
    return [blocking("x-circle", t("A required check has failed."))]
  return bad.length > 0 ? [waiting("dot-fill", t("Required checks are still running."))] : [met(t("All required checks have passed."))]
}

function optionalConditions(statuses: readonly Status[]): readonly Condition[] {
  if (statuses.length === 0) return []
  if (statuses.some(({ state: word }) => word === "failure" || word === "error"))
    return [{ ...told("x-circle", t("A check has failed, but it is not required.")), tone: "failure" }]
  return statuses.every(isGood)
    ? [met(t("All checks have passed."))]
    : [{ ...told("dot-fill", t("Checks are still running.")), tone: "pending" }]
}

const CHECK: Readonly<Record<string, readonly [tone: string, icon: IconName]>> = {
  success: ["success", "check"],
  failure: ["failure", "x"],
  error: ["failure", "alert"],
  warning: ["pending", "alert"],
  pending: ["pending", "dot-fill"],
  skipped: ["skipped", "skip"],
}

/** The checks of the head, each with where it leads. */
function checksOf({ site }: Services, statuses: readonly Status[]): Content {
  if (statuses.length === 0) return undefined
  const isOpen = statuses.some((status) => !isGood(status))
  return html`
    <details class="checks-list" id="merge-checks" data-live ${flagged("open", isOpen)}>
      <summary>${plural(statuses.length, "check")}</summary>
      <ul class="plain checks">
        ${statuses.map((status) => {
          const [tone, name] = CHECK[status.state] ?? ["pending", "dot-fill"]
          const isHere = status.target_url.startsWith(`${site.rootUrl}/`)
          return html`
            <li>
              <span class="${tone}">${icon(name, status.state)}</span>
              <div>
                ${
                  status.target_url === ""
                    ? html`<bdi class="strong">${status.context}</bdi>`
                    : html`
                      <a
                        class="strong"
                        href="${isHere ? status.target_url.slice(site.rootUrl.length) : status.target_url}"
                        rel="nofollow"
                      >
                        <bdi>${status.context}</bdi>
                      </a>
                    `
                } <span class="muted" dir="auto">${status.description}</span>
              </div>
            </li>
          `
        })}
      </ul>
    </details>
  `
}

function commandLine(call: MergeCall): Content {
  const { services, owner, repository, issue, pull } = call
  const clone = `${services.site.rootUrl}${path(owner.name, repository.name)}.git`
  return html`
    <details>
      <summary class="small">On the command line</summary>
      <pre class="hunk" tabindex="0">
        <span>git fetch ${clone} refs/pull/${issue.number}/head</span><span>git switch ${pull.base_branch}</span>
        <span>git merge FETCH_HEAD</span>
      </pre>
    </details>
  `
}

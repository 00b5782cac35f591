import { Refusal } from "../../../core/errors.ts"
import { t, type Words } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { type ObjectId, objectId, type Repository } from "../../../git/index.ts"
import type { QueueStyle } from "../../code/protections/records.ts"
import type { Protection } from "../../code/protections/rules.ts"
import { build } from "../merging/build.ts"
import { type Merging, requireMerger, requireOpen, requireReady } from "../merging/checks.ts"
import { findMerging } from "../merging/jobs.ts"
import { messageFor } from "../merging/message.ts"
import type { Entry } from "./store.ts"

/** Several pull requests on top of each other, as commits that no reference names yet. */
export interface Combination {
  readonly commitId: ObjectId
  readonly parts: readonly Part[]
  /** The pull requests that can't be merged any more, and why. */
  readonly unfit: readonly Unfit[]
}

export interface Part {
  readonly entry: Entry
  readonly number: number
  /** The commit that its part ends with. */
  readonly commitId: ObjectId
}

export interface Unfit {
  readonly entry: Entry
  readonly issueId: number | undefined
  readonly reason: Words
}

/** The most entries that are looked at for one trial: those in conflict with others of it wait. */
const MOST_LOOKED_AT = 100

interface Given {
  readonly repository: Repository
  readonly base: ObjectId
  readonly branch: string
  readonly rule: Protection
  readonly style: QueueStyle
}

/**
 * Merges the first entries that fit onto the base, one after the other, each as the rule's style says and in the name of who lined it up. One that is in conflict only
 * with others of the same trial waits for the next one; one that can't be merged by itself is unfit.
 */
export async function combine(services: Services, given: Given, entries: readonly Entry[]): Promise<Combination> {
  const parts: Part[] = []
  const unfit: Unfit[] = []
  let tip = given.base
  let most = given.rule.merge_queue_batch_size
  for (const entry of entries.slice(0, MOST_LOOKED_AT)) {
    const bound = entry.span > 0 ? Math.min(most, entry.span) : most
    if (parts.length + 1 > bound) break
    const looked = await whyNot(services, given, entry)
    if ("reason" in looked) {
      unfit.push({ entry, ...looked })
      continue
    }
    const made = await addTo(services, given, looked.found, tip)
    if (made === "waits") continue
    if (made === tip) {
      unfit.push({ entry, issueId: looked.found.issue.id, reason: t("it changes nothing any more") })
      continue
    }
    tip = made
    most = bound
    parts.push({ entry, number: looked.found.issue.number, commitId: made })
  }
  return { commitId: tip, parts, unfit }
}

type Looked = { readonly found: Merging } | Pick<Unfit, "issueId" | "reason">

/** Whether a pull request may still be merged as it lined up; or why not. */
export async function whyNot(services: Services, { branch, style }: Pick<Given, "branch" | "style">, entry: Entry): Promise<Looked> {
  const found = await findMerging(services, entry.pull_id, entry.user_id)
  if (!found) return { issueId: undefined, reason: t("who lined it up may not merge any more") }
  const issueId = found.issue.id
  if (found.pull.base_branch !== branch) return { issueId, reason: t("it has another base now") }
  if (found.pull.head_id !== entry.head_id) return { issueId, reason: t("its commits have changed since it lined up") }
  try {
    requireOpen(found)
    const protection = await requireMerger(services.database.read, found)
    await requireReady(services, found, { protection, style, force: false, later: false, isQueued: true })
    return { found }
  } catch (error) {
    if (error instanceof Refusal) return { issueId, reason: error.said }
    throw error
  }
}

/** Merges a pull request onto a commit. "waits" for one that is in conflict with what is there. */
async function addTo(services: Services, { repository, style }: Given, found: Merging, tip: ObjectId): Promise<ObjectId | "waits"> {
  const head = objectId(found.pull.head_id)
  const merged = await services.git.merging.mergeTrees(repository, tip, head)
  if (merged.kind !== "clean") return "waits"
  const message = await messageFor(services, found, style, { title: "", body: "" })
  try {
    return (await build(services, found, { repository, base: tip, head, tree: merged.tree }, style, message)).id
  } catch (error) {
    if (error instanceof Refusal) return "waits"
    throw error
  }
}

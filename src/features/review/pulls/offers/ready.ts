import type { OnRepository } from "../../../../access/policies/repositories.ts"
import type { Transaction } from "../../../../core/database/database.ts"
import type { Services } from "../../../../core/services.ts"
import { type Commit, isGitError, objectId, type RefName, type Repository, type WrittenRef } from "../../../../git/index.ts"
import { gateAt } from "../../../planning/newcomers/gate.ts"
import type { NewHead } from "../heads.ts"
import type { PullWithIssue } from "../present.ts"
import { writePullRefs } from "../refs.ts"
import { findPull } from "../store.ts"
import { cleanText, oneLine } from "./request.ts"

/** What is written of an offer. */

/** One pull request that is ready to be written; an offer gives one, or several on top of each other. */
export interface Ready {
  readonly ref: RefName
  readonly write: (tx: Transaction) => Promise<PullWithIssue>
  /** What follows outside of the database. Doesn't throw: a job does what failed. */
  readonly finish: (made: PullWithIssue) => Promise<void>
  readonly done: (made: PullWithIssue) => Done
}

interface Done {
  readonly written: WrittenRef
  /** What is told to the pusher, before the address and after it. */
  readonly line: string
  readonly notes?: readonly string[]
}

/** Nothing is kept of commits that no pull request has. */
export const HELD = "the first pull request here waits for approval: open it from a fork"

/** The gate for newcomers of a repository, loaded where there is one. */
export const openGate = async ({ config }: Pick<Services, "config">, found: OnRepository) =>
  gateAt(config, found) && (await import("../newcomers.ts"))

/** The longest description that is taken from a commit, in characters. */
const LONGEST_MESSAGE = 65_536

/** The title and description that a commit gives a pull request. */
export function textsOf({ message }: Pick<Commit, "message">): { readonly title: string; readonly body: string } {
  const [subject = "", ...rest] = message.slice(0, LONGEST_MESSAGE).split("\n")
  return { title: oneLine(subject), body: cleanText(rest.join("\n").trim()) }
}

/** How often the references are written again because another push came between. */
const TRIES = 5

/** Writes the references of a pull request that has new commits; of two pushes at once, the last to finish leaves those of the row. */
export async function writeRefsOfUpdate(
  services: Services,
  repository: Repository,
  { head, number }: { readonly head: NewHead; readonly number: number },
): Promise<void> {
  const current = () => findPull.first(services.database.read, { id: head.pull.id })
  try {
    let row = await current()
    for (let tries = 0; tries < TRIES && row; tries++) {
      const isOurs = row.head_id === head.id
      const assessment = isOurs ? head.assessment : undefined
      await writePullRefs(services, repository, { number, headId: objectId(row.head_id), ...(assessment && { assessment }) })
      const next = await current()
      if (next?.head_id === row.head_id) return
      row = next
    }
  } catch (error) {
    if (!isGitError(error, "conflict"))
      services.log.error({ err: error, pull: head.pull.id }, "the references of a pull request were left to the job")
  }
}

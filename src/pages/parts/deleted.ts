import type { Deleted } from "../../access/policies/deletions.ts"
import type { DeletionKind } from "../../core/database/tables/undo.ts"
import { refuse } from "../../core/errors.ts"
import { type Content, type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import type { Request } from "../../core/operation.ts"
import type { Services } from "../../core/services.ts"
import { findLast } from "../../features/code/deletions/store.ts"
import type { DeletedThing } from "../../features/site/undo/records.ts"
import { empty, notice, person } from "../../web/components.ts"
import { icon } from "../../web/icon.ts"
import type { IconName } from "../../web/icon-names.ts"
import { time } from "../../web/time.ts"

/** What was deleted and can be restored, on pages; and the button that takes a deletion back at once. */

const LOOKS: Readonly<Record<DeletionKind, readonly [IconName, Text]>> = {
  issue: ["issue-opened", t("Issue")],
  pull: ["git-pull-request", t("Pull request")],
  comment: ["comment", t("Comment")],
  branch: ["git-branch", t("Branch")],
  label: ["tag", t("Label")],
  milestone: ["milestone", t("Milestone")],
  release: ["package", t("Release")],
  repository: ["repo", t("Repository")],
}

const secondsOf = (moment: string): number => Math.floor(Date.parse(moment) / 1000)

/** A list of them; `actions` are what can be done with each. */
export function deletedList(
  { config, now }: Pick<Services, "config" | "now">,
  records: readonly DeletedThing[],
  actions: (record: DeletedThing) => Content,
): Html {
  if (config.undo.keepSeconds === 0) return notice("info", t("This site keeps nothing of what is deleted."))
  if (records.length === 0) return empty("trash", t("Nothing to restore"), t("What is deleted is listed here until its time is over."))
  return html`<ul class="rows">${records.map((record) => row(record, actions(record), now()))}</ul>`
}

function row(record: DeletedThing, actions: Content, now: number): Html {
  const [name, kind] = LOOKS[record.kind]
  const who = person(record.deleted_by && { name: record.deleted_by.login })
  const [deleted, until] = [secondsOf(record.deleted_at), secondsOf(record.restorable_until)]
  return html`
    <li>
      ${icon(name)}
      <div class="main">
        <span class="title" dir="auto">
          ${kind} <bdi>${record.name}</bdi> ${record.number > 0 && html`<span class="muted">#${record.number}</span>`}
        </span>
        <span class="muted small">
          Deleted by ${who} ${time(deleted, now)}, gone for good ${time(until, now)}
        </span>
        <div class="bar">${actions}</div>
      </div>
    </li>
  `
}

interface Undone {
  readonly services: Pick<Services, "config">
}

/** What a form that deletes something of a repository offers afterwards. */
export const undoDeletion = (kind: DeletionKind) => ({
  by: { id: "repository.undoDelete" },
  path: ({ owner = "", repo = "" }: Readonly<Record<string, string>>) => ({ owner, repo }),
  fields: ({ services }: Undone) => (services.config.undo.keepSeconds > 0 ? { kind } : undefined),
})

/** What the caller deleted last of a kind, of this owner. Refuses `notFound` where that can't be restored any more. */
export async function lastDeleted({ db, actor, services }: Request, ownerId: number, kind: string): Promise<Deleted> {
  const { keepSeconds } = services.config.undo
  const since = services.now() - keepSeconds
  const found =
    actor.kind === "user" && keepSeconds > 0 ? await findLast.first(db, { ownerId, actorId: actor.user.id, kind, since }) : undefined
  if (!found) throw refuse.notFound()
  return found
}

/** Where what was restored is. */
export function whereRestored(record: unknown, otherwise: string): string {
  const url = typeof record === "object" && record !== null && "html_url" in record ? String(record.html_url) : ""
  if (!URL.canParse(url)) return otherwise
  const { pathname, hash } = new URL(url)
  return pathname + hash
}
